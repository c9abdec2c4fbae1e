#include "replicas/store_address.h"

#include <charconv>

#include "base/ascii.h"
#include "http/url.h"

namespace pi_mcp::replicas {
namespace {

constexpr std::string_view plain_scheme = "redis://";
constexpr std::string_view secure_scheme = "rediss://";
constexpr unsigned database_max = 65'535;

Error no_address(std::string_view why) {
  return Error(ErrorCode::invalid_argument,
               "--store wants redis://HOST:PORT, or rediss://USER:PASSWORD@HOST:PORT/DATABASE; " +
                   std::string(why));
}

// Whether the part between scheme and path ends with a port.
bool has_port(std::string_view rest) {
  const std::string_view authority = rest.substr(0, rest.find('/'));
  const std::size_t colon = authority.rfind(':');
  return colon != std::string_view::npos && colon + 1 < authority.size() &&
         authority.find_first_not_of("0123456789", colon + 1) == std::string_view::npos &&
         authority.find('@', colon) == std::string_view::npos;
}

}  // namespace

std::string StoreAddress::text() const {
  const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return std::string(is_secure ? secure_scheme : plain_scheme) + shown + ":" +
         std::to_string(port) + (database == 0 ? "" : "/" + std::to_string(database));
}

Result<StoreAddress> parse_store_address(std::string_view text) {
  const bool is_secure = text.starts_with(secure_scheme);
  if (!is_secure && !text.starts_with(plain_scheme)) {
    return fail(no_address("it begins with neither redis:// nor rediss://"));
  }
  const std::string_view rest = text.substr((is_secure ? secure_scheme : plain_scheme).size());
  const Result<http::Url> url = http::parse_url("http://" + std::string(rest));
  if (!url || url->host.empty() || !url->query.empty()) {
    return fail(no_address("what follows is no host, port and number of a database"));
  }
  StoreAddress address;
  address.host = url->host;
  address.is_secure = is_secure;
  if (has_port(rest)) {
    address.port = url->port;
  }
  const std::size_t colon = url->user_info.find(':');
  if (!url->user_info.empty() && colon == std::string::npos) {
    return fail(no_address("a password stands behind a colon: redis://:PASSWORD@HOST"));
  }
  if (colon != std::string::npos) {
    address.user = ascii::percent_decoded(url->user_info.substr(0, colon));
    address.password = ascii::percent_decoded(url->user_info.substr(colon + 1));
  }
  if (const std::string path = url->path.substr(1); !path.empty()) {
    const auto [end, error] =
        std::from_chars(path.data(), path.data() + path.size(), address.database);
    if (error != std::errc() || end != path.data() + path.size() ||
        address.database > database_max) {
      return fail(no_address("its path has to be the number of a database"));
    }
  }
  return address;
}

}  // namespace pi_mcp::replicas
