// Configuration files as people and other programs leave them: loading never fails, every server
// and every warning is whole, and what is merged can be read again. Zero bytes divide the input
// into the files below, in their order.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "config/identity.h"
#include "config/interpolate.h"
#include "config/load.h"
#include "json/document.h"
#include "support/memory_files.h"

namespace {

using pi_mcp::config::Environment;
using pi_mcp::config::Server;
using pi_mcp::config::Settings;
using pi_mcp::json::Document;

constexpr std::array<const char*, 11> paths{
    "/home/u/.pi/agent/mcp.json",
    "/home/u/p/.mcp.json",
    "/home/u/.codex/config.toml",
    "/home/u/p/.vscode/mcp.json",
    "/home/u/.claude.json",
    "/home/u/.config/opencode/opencode.json",
    "/home/u/.cursor/mcp.json",
    "/home/u/p/.pi/mcp.json",
    "/home/u/.kiro/settings/mcp.json",
    "/home/u/.cline/data/settings/cline_mcp_settings.json",
    "/home/u/.config/Code/User/settings.json",
};
constexpr const char* importing =
    R"({"imports":["cursor","claude-code","claude-desktop","vscode","windsurf","codex","opencode",)"
    R"("kiro","cline"]})";

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void check_server(const Server& server, const Environment& environment) {
  const auto entry = Document::parse(server.entry_json);
  require(entry && entry->root().is_object());
  require(pi_mcp::config::identity_hash(entry->root()).size() == 64);
  // A server that nobody has allowed yet is a name and nothing else.
  const bool waits = server.standing == pi_mcp::config::Standing::needs_trust;
  require(!waits || (server.disabled && !server.command && !server.url && !server.socket));
  require(waits || server.problem || server.command || server.url || server.socket);
  for (const auto& [name, value] : server.env) {
    const auto secret = pi_mcp::config::secret_command(value);
    (void)pi_mcp::config::interpolate(secret.text, environment);  // must only not misbehave
  }
  (void)pi_mcp::config::expand_home(server.cwd.value_or(""), environment);  // the same
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  pi_mcp::config::MemoryFiles files;
  files.add("/home/u/.config/mcp/mcp.json", importing);
  for (const char* path : paths) {
    const std::size_t end = input.find('\0');
    files.add(path, std::string(input.substr(0, end)));
    if (end == std::string_view::npos) {
      break;
    }
    input.remove_prefix(end + 1);
  }
  Environment environment;
  environment.home = "/home/u";
  environment.cwd = "/home/u/p";
  environment.variables = {{"SET", "value"}, {"EMPTY", ""}, {"HOME", "/home/u"}};
  const Settings settings = pi_mcp::config::load(environment, files, {});
  std::set<std::string> names;
  for (const Server& server : settings.servers) {
    require(names.insert(server.name).second && settings.find(server.name) == &server);
    check_server(server, environment);
  }
  for (const auto& warning : settings.warnings) {
    require(!warning.message.empty());
  }
  require(Document::parse(settings.settings_json).has_value());
  return 0;
}
