#include "replicas/sealed_login.h"

#include <utility>

#include "auth/handed_login.h"
#include "base/digest.h"

namespace pi_mcp::replicas {
namespace {

std::string purpose_of(const auth::LoginName& name) {
  return "login 1 " + login_id(name);
}

std::string waiting_purpose_of(const auth::LoginName& name) {
  return "waiting login 1 " + login_id(name);
}

}  // namespace

// Neither an id of a principal nor a url has a line break in it.
std::string login_id(const auth::LoginName& name) {
  return sha256_hex(name.principal + "\n" + name.server + "\n" + name.url);
}

std::string sealed_login(const access::SessionKeys& keys,
                         const auth::LoginName& name,
                         auth::Credentials credentials) {
  return keys.seal(
      purpose_of(name), auth::handed_login_text(std::move(credentials)), login_bytes_max);
}

std::optional<auth::Credentials> opened_login(const access::SessionKeys& keys,
                                              const auth::LoginName& name,
                                              std::string_view sealed) {
  const std::optional<std::string> text = keys.open(purpose_of(name), sealed, login_bytes_max);
  Result<auth::Credentials> credentials =
      text ? auth::parse_credentials(*text)
           : Result<auth::Credentials>(fail(ErrorCode::invalid_argument, "not sealed by us"));
  if (!credentials || credentials->server_url != name.url) {
    return std::nullopt;
  }
  return *std::move(credentials);
}

std::string sealed_waiting(const access::SessionKeys& keys,
                           const auth::LoginName& name,
                           const auth::WaitingLogin& waiting) {
  return keys.seal(waiting_purpose_of(name), auth::to_json(waiting));
}

std::optional<auth::WaitingLogin> opened_waiting(const access::SessionKeys& keys,
                                                 const auth::LoginName& name,
                                                 std::string_view sealed) {
  const std::optional<std::string> text = keys.open(waiting_purpose_of(name), sealed);
  Result<auth::WaitingLogin> waiting =
      text ? auth::parse_waiting_login(*text)
           : Result<auth::WaitingLogin>(fail(ErrorCode::invalid_argument, "not sealed by us"));
  if (!waiting || waiting->so_far.server_url != name.url) {
    return std::nullopt;
  }
  return *std::move(waiting);
}

}  // namespace pi_mcp::replicas
