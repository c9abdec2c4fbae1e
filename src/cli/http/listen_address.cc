#include "cli/http/listen_address.h"

#include <algorithm>

#include "access/gate.h"

namespace pi_mcp::cli {
namespace {

constexpr std::string_view unix_prefix = "unix:";

}  // namespace

Result<std::string> listen_address(std::string_view said) {
  if (said.starts_with(unix_prefix)) {
    return std::string(said);
  }
  const std::string given(said);
  const auto colons = std::ranges::count(said, ':');
  if (said.empty() || (colons > 1 && !said.starts_with('['))) {
    return fail(ErrorCode::invalid_argument,
                "--http wants 127.0.0.1:8808, [::1]:8808 or unix:PATH, not \"" + given + "\"");
  }
  if (said.find_first_not_of("0123456789") == std::string_view::npos) {
    return "127.0.0.1:" + given;
  }
  if (said.starts_with(':')) {
    return "127.0.0.1" + given;
  }
  const bool has_port =
      said.starts_with('[') ? said.find("]:") != std::string_view::npos : colons == 1;
  return has_port ? given : given + ":" + std::string(http_port_default);
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
