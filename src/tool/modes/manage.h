// What people do to the servers through a user interface of the host: the tool `mcp_manage`, which
// only such a host is shown. A model that could reach it would change its user's configuration.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/settings.h"
#include "json/document.h"
#include "registry/server_registry.h"
#include "tool/answer.h"

namespace pi_mcp::tool {

enum class TrustTerm : std::uint8_t { always, session };

// What a session may do to its configuration. Each is in effect when it returns; an empty function
// cannot be done here.
struct ConfigAccess {
  // Changes one key of a server where it is stored. Gives the file; empty when nothing had to be
  // changed. An error names it too.
  std::function<Result<std::string>(
      const std::string& server, std::string_view key, const std::string& value_json)>
      edit = nullptr;
  // From now on these servers, the value of `mcpServers`, exist below those of every file.
  std::function<void(std::string servers_json)> register_servers = nullptr;
  // The user allows what project files want, for good or for this session only.
  std::function<Result<void>(TrustTerm term, const std::vector<config::TrustRequest>& requests)>
      trust = nullptr;
  // What the host's user has said of the folder there (config::TrustOptions::host).
  std::function<void(bool trusted)> host_trusts = nullptr;
};

std::string_view manage_tool_name();
// The entry of tools/list, JSON; its _meta says that it is not for the model.
std::string_view manage_tool_definition();

// `arguments` of the call: action (status; enable, disable, direct-tools, logs) and server,
// directTools for direct-tools; action register and servers; or action trust and trusted. Waits for
// the lock of the configuration, no longer than ConfigAccess::edit does.
Answer manage(const registry::ServerRegistry& registry,
              const ConfigAccess& access,
              json::Value arguments);

}  // namespace pi_mcp::tool
