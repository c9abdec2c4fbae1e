#include "access/narrow.h"

#include <algorithm>
#include <utility>

namespace pi_mcp::access {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// What is said of files as a whole may name any server.
void keep_what_is_about(std::vector<config::Warning>& said,
                        const std::vector<std::string>& servers) {
  std::erase_if(said,
                [&](const config::Warning& warning) { return !has(servers, warning.server); });
}

}  // namespace

bool may_use(const Principal& principal, const std::string& server) {
  return principal.servers.empty() || has(principal.servers, server);
}

config::Settings narrow(config::Settings settings, const Principal& principal) {
  if (!principal.servers.empty()) {
    std::erase_if(settings.servers,
                  [&](const config::Server& server) { return !may_use(principal, server.name); });
    keep_what_is_about(settings.warnings, principal.servers);
    keep_what_is_about(settings.notes, principal.servers);
    std::erase_if(settings.trust_requests, [&](const config::TrustRequest& request) {
      return !has(principal.servers, request.server);
    });
  }
  for (config::Server& server : settings.servers) {
    server.only_tools = principal.tools;
  }
  return settings;
}

std::vector<std::string> unknown_servers(const config::Settings& settings,
                                         const std::vector<std::string>& servers) {
  std::vector<std::string> unknown;
  for (const std::string& name : servers) {
    if (settings.find(name) == nullptr) {
      unknown.push_back(name);
    }
  }
  return unknown;
}

}  // namespace pi_mcp::access
