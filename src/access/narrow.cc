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

std::vector<Grant> grants_of(const Principal& principal) {
  return principal.grants.empty()
             ? std::vector<Grant>{{.servers = principal.servers, .tools = principal.tools}}
             : principal.grants;
}

// Empty: all of them.
std::vector<std::string> tools_of(const std::vector<Grant>& grants, const std::string& server) {
  std::vector<std::string> tools;
  for (const Grant& grant : grants) {
    if (grant.gives(server) && grant.tools.empty()) {
      return {};
    }
    if (grant.gives(server)) {
      tools.insert(tools.end(), grant.tools.begin(), grant.tools.end());
    }
  }
  return tools;
}

}  // namespace

bool may_use(const Principal& principal, const std::string& server) {
  const auto gives = [&](const Grant& grant) {
    return grant.gives(server);
  };
  if (principal.metrics_alone) {
    return false;
  }
  return principal.grants.empty() ? principal.servers.empty() || has(principal.servers, server)
                                  : std::ranges::any_of(principal.grants, gives);
}

config::Settings narrow(config::Settings settings, const Principal& principal) {
  settings.principal = principal.id;
  settings.principal_name = principal.rules == 0 ? principal.name : "";
  const std::vector<Grant> grants = grants_of(principal);
  const bool has_limits =
      principal.metrics_alone ||
      std::ranges::none_of(grants, [](const Grant& grant) { return grant.servers.empty(); });
  if (has_limits) {
    std::vector<std::string> servers;
    for (const Grant& grant : grants) {
      servers.insert(servers.end(), grant.servers.begin(), grant.servers.end());
    }
    std::erase_if(settings.servers,
                  [&](const config::Server& server) { return !has(servers, server.name); });
    keep_what_is_about(settings.warnings, servers);
    keep_what_is_about(settings.notes, servers);
    std::erase_if(settings.trust_requests, [&](const config::TrustRequest& request) {
      return !has(servers, request.server);
    });
  }
  for (config::Server& server : settings.servers) {
    server.only_tools = tools_of(grants, server.name);
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
