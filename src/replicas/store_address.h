// Where the store is that replicas share: what --store takes. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pi_mcp::replicas {

struct StoreAddress {
  std::string host;
  std::uint16_t port = 6379;
  bool is_secure = false;  // rediss
  std::string user;        // empty: the store's default one
  std::string password;    // empty: none
  unsigned database = 0;

  // Without secrets, for messages: "redis://host:6379/2".
  [[nodiscard]] std::string text() const;
};

// redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], rediss:// with TLS; user and password
// percent-encoded (the registration of the schemes with IANA). invalid_argument never repeats it:
// it holds a secret.
Result<StoreAddress> parse_store_address(std::string_view text);

}  // namespace pi_mcp::replicas
