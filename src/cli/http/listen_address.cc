#include "cli/http/listen_address.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "access/gate.h"
#include "http/ip_address.h"

namespace pi_mcp::cli {
namespace {

constexpr std::string_view unix_prefix = "unix:";

// Host and port of an address that is complete.
bool can_be_listened_on(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  std::string_view host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    host = host.substr(0, host.find('%'));
  }
  // Short forms ("1.2.3") are none here.
  const bool is_whole = std::ranges::count(host, '.') == 3 || host.find(':') != host.npos;
  const std::string_view port = address.substr(colon + 1);
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  return (host == "localhost" || (is_whole && http::parse_ip_address(host))) &&
         error == std::errc() && end == port.data() + port.size();
}

std::string completed(std::string_view said) {
  std::string given(said);
  if (said.find_first_not_of("0123456789") == std::string_view::npos) {
    return "127.0.0.1:" + given;
  }
  if (said.starts_with(':')) {
    return "127.0.0.1" + given;
  }
  const bool has_port = said.starts_with('[') ? said.find("]:") != std::string_view::npos
                                              : said.find(':') != std::string_view::npos;
  return has_port ? given : given + ":" + std::string(http_port_default);
}

}  // namespace

Result<std::string> listen_address(std::string_view said) {
  if (said.starts_with(unix_prefix)) {
    return std::string(said);
  }
  std::string address = completed(said);
  if (!can_be_listened_on(address)) {
    return fail(ErrorCode::invalid_argument,
                "\"" + std::string(said) +
                    "\" is no address to listen on: --http wants 127.0.0.1:8808, [::1]:8808 or "
                    "unix:PATH");
  }
  return address;
}

std::string listening_text(std::string_view address, bool has_tls) {
  if (address.starts_with(unix_prefix)) {
    return "serving MCP on the Unix socket " + std::string(address.substr(unix_prefix.size())) +
           " at /mcp and /servers/NAME/mcp; ctrl-C ends it";
  }
  const std::string url = std::string(has_tls ? "https://" : "http://") + std::string(address);
  return "serving MCP at " + url + "/mcp, and each server at " + url +
         "/servers/NAME/mcp; ctrl-C ends it";
}

std::vector<std::string> listening_warnings(std::string_view address,
                                            bool has_tls,
                                            const std::vector<std::string>& names) {
  if (access::is_local_address(address)) {
    return names.empty()
               ? std::vector<std::string>()
               : std::vector{"a proxy that passes " + names.front() +
                             " on has to set X-Forwarded-For: without it everybody who comes "
                             "through it is let in as you, without a token"};
  }
  return has_tls ? std::vector<std::string>()
                 : std::vector{"tokens and answers travel unencrypted to and from " +
                               std::string(address) +
                               ": give it --tls-cert and --tls-key, or keep that network to "
                               "yourself"};
}

}  // namespace pi_mcp::cli
