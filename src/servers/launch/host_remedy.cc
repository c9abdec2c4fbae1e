#include "servers/launch/host_remedy.h"

#include <set>
#include <utility>

#include "base/text.h"
#include "config/interpolate.h"

namespace pi_mcp::servers {
namespace {

// How the hosts that we know give a variable of theirs to a server; their clientInfo begins so.
struct Remedy {
  std::string_view client;
  std::string_view host;
  std::string_view place;
  std::string_view open;  // around the name in the value of "env"; empty: it has a list of names
  std::string_view close;
};

constexpr Remedy remedies[] = {
    {.client = "codex",
     .host = "Codex",
     .place = "under [mcp_servers.pi-mcp] in ~/.codex/config.toml",
     .open = "",
     .close = ""},
    {.client = "gemini-cli",
     .host = "Gemini CLI",
     .place = "in the entry of pi-mcp in ~/.gemini/settings.json",
     .open = "$",
     .close = ""},
    {.client = "qwen",
     .host = "Qwen Code",
     .place = "in the entry of pi-mcp in ~/.qwen/settings.json",
     .open = "$",
     .close = ""},
    {.client = "claude",
     .host = "Claude",
     .place = "in the entry of pi-mcp",
     .open = "${",
     .close = "}"},
};

std::string setting(const Remedy& remedy, const std::vector<std::string>& variables) {
  const bool lists_names = remedy.open.empty();
  std::vector<std::string> members;
  for (const std::string& name : variables) {
    std::string member = "\"" + name + "\"";
    if (!lists_names) {
      member += ": \"" + std::string(remedy.open) + name + std::string(remedy.close) + "\"";
    }
    members.push_back(std::move(member));
  }
  const std::string all = text::join(members, ", ");
  return lists_names ? "env_vars = [" + all + "]" : "\"env\": {" + all + "}";
}

}  // namespace

std::vector<std::string> missing_variables(const config::Server& server,
                                           const config::Environment& environment) {
  std::set<std::string> missing;
  const auto look_in = [&](std::string_view configured) {
    for (const std::string& name : config::interpolate(configured, environment).missing) {
      missing.insert(name);
    }
  };
  look_in(server.command.value_or(""));
  look_in(server.url.value_or(""));
  look_in(server.bearer_token.value_or(""));
  for (const std::string& argument : server.args) {
    look_in(argument);
  }
  for (const auto& [name, value] : server.env) {
    look_in(value);
  }
  for (const auto& [name, value] : server.headers) {
    look_in(value);
  }
  if (server.bearer_token_env &&
      environment.variable(*server.bearer_token_env).value_or("").empty()) {
    missing.insert(*server.bearer_token_env);
  }
  return {missing.begin(), missing.end()};
}

std::string host_remedy(std::string_view host, const std::vector<std::string>& variables) {
  if (host.empty() || host == "pi" || variables.empty()) {
    return {};
  }
  const std::string name = text::lower(host);
  for (const Remedy& remedy : remedies) {
    if (name.starts_with(remedy.client)) {
      return "If it is set where you work, " + std::string(remedy.host) +
             " does not pass it on: put " + setting(remedy, variables) + " " +
             std::string(remedy.place);
    }
  }
  return "If it is set where you work, the host does not pass it on: give it in \"env\" of the "
         "host's entry of pi-mcp";
}

}  // namespace pi_mcp::servers
