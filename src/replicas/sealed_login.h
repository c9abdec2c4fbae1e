// A login as it stands in the store: sealed, and bound to whose it is and where. Pure, but for the
// nonce.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "access/session_keys.h"
#include "auth/credentials.h"
#include "auth/shared_logins.h"

namespace pi_mcp::replicas {

// Of its text. Tokens are headers, which no server takes that long.
constexpr std::size_t login_bytes_max = std::size_t{256} << 10U;

// What a login is found by: 64 hexadecimal digits.
std::string login_id(const auth::LoginName& name);

// Empty: it is longer than login_bytes_max.
std::string sealed_login(const access::SessionKeys& keys,
                         const auth::LoginName& name,
                         auth::Credentials credentials);
// nullopt: none of these keys has sealed it for this name.
std::optional<auth::Credentials> opened_login(const access::SessionKeys& keys,
                                              const auth::LoginName& name,
                                              std::string_view sealed);

// The same of one that waits for a person.
std::string sealed_waiting(const access::SessionKeys& keys,
                           const auth::LoginName& name,
                           const auth::WaitingLogin& waiting);
std::optional<auth::WaitingLogin> opened_waiting(const access::SessionKeys& keys,
                                                 const auth::LoginName& name,
                                                 std::string_view sealed);

}  // namespace pi_mcp::replicas
