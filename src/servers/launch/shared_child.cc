#include "servers/launch/shared_child.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "io/files/file.h"
#include "io/process/executable.h"
#include "packages/launcher_table.h"
#include "servers/launch/remote.h"
#include "servers/share/passing.h"
#include "servers/share/scope.h"

namespace pi_mcp::servers {
namespace {

// What a child gets of our environment when its server says inheritEnv: false. Without these most
// programs do not even start.
constexpr std::array<std::string_view, 8> safe_variables = {
    "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "TMPDIR"};

// What programs have that raise it no further; Node, for one, raises it by itself.
constexpr std::uint64_t shared_open_files = 1024;

bool is_safe_variable(std::string_view name) {
  return name.starts_with("LC_") ||
         std::find(safe_variables.begin(), safe_variables.end(), name) != safe_variables.end();
}

// How deep pi-mcp serves pi-mcp is known to every one of them (docs/lifecycle.md).
bool is_always_inherited(std::string_view name) {
  return is_safe_variable(name) || name == "PI_MCP_DEPTH";
}

bool opens_our_logins(std::string_view name) {
  return name == "PI_MCP_ADAPTER_OAUTH_FILE_KEY";  // auth/seal_key.h
}

bool is_shared(const Sharing& sharing) {
  return sharing.with_others && sharing.share != config::Share::session;
}

// A folder of PATH that belongs to one process is worth its server when the program is only there.
void keep_found(const config::Server& server,
                const config::Environment& environment,
                Variables& lasting) {
  const auto path = lasting.find("PATH");
  const std::optional<std::string> whole = environment.variable("PATH");
  if (path == lasting.end() || !whole || path->second == *whole) {
    return;
  }
  const std::string program = server.command.value_or("");
  if (!io::find_executable(program, lasting, environment.cwd) &&
      io::find_executable(program, environment.variables, environment.cwd)) {
    path->second = *whole;
  }
}

// What a launcher or a script is run by, as far as PATH decides that.
std::vector<std::string> runs_on(const std::string& program, const std::string& file) {
  const std::string_view name = packages::file_name(program);
  if (name == "npx" || name == "npm" || name == "pnpm" || name == "pnpx" || name == "yarn") {
    return {"node"};
  }
  if (name == "uvx" || name == "uv" || name == "pipx") {
    return {"python3", "python"};
  }
  constexpr std::size_t head_bytes = 256;
  const Result<std::string> head = io::read_head(file, head_bytes);
  if (!head || !head->starts_with("#!")) {
    return {};
  }
  const std::vector<std::string_view> words =
      text::words(std::string_view(*head).substr(2, head->find('\n') - 2));
  const bool by_env = words.size() > 1 && packages::file_name(words.front()) == "env";
  return by_env ? std::vector<std::string>{std::string(words.back())} : std::vector<std::string>{};
}

std::vector<std::string> files_of(const Launch& launch) {
  std::vector<std::string> files;
  const auto add = [&](const std::string& name) {
    const Result<std::string> found = io::find_executable(name, launch.env, launch.cwd);
    files.push_back(found ? io::canonical_path(*found) : "");
    return files.back();
  };
  for (const std::string& interpreter : runs_on(launch.command, add(launch.command))) {
    (void)add(interpreter);
  }
  return files;
}

}  // namespace

bool is_for_all(const Sharing& sharing) {
  return sharing.with_others && sharing.share == config::Share::user;
}

std::map<std::string, std::string> child_environment(const config::Server& server,
                                                     const config::Environment& environment,
                                                     const Sharing& sharing) {
  const KnownServer* const known = is_for_all(sharing) ? find_known(server) : nullptr;
  const bool inherits = server.inherit_env && !is_for_all(sharing);
  Variables wanted = is_for_all(sharing) ? network_environment(environment) : Variables();
  for (const auto& [name, value] : environment.variables) {
    const bool is_wanted =
        inherits || is_always_inherited(name) || (known != nullptr && known->does_read(name));
    if (is_wanted && !opens_our_logins(name)) {
      wanted.emplace(name, value);
    }
  }
  if (!is_shared(sharing)) {
    return wanted;
  }
  // Who has set what is read in the whole environment.
  const Variables lasting = without_passing(environment.variables, io::canonical_path);
  std::erase_if(wanted, [&lasting](const auto& each) { return !lasting.contains(each.first); });
  for (auto& [name, value] : wanted) {
    value = lasting.find(name)->second;
  }
  keep_found(server, environment, wanted);
  return wanted;
}

bool would_have_same_variables(const config::Server& server,
                               Entry changed,
                               const Launch& one,
                               const Launch& other) {
  const bool for_all = changed == Entry::share_user;
  const KnownServer* const known = for_all ? find_known(server) : nullptr;
  const auto counts = [&](const std::string& name) {
    const bool is_led_to = for_all && (says_language(name) || name == "PATH");
    return server.env.contains(name) || (is_always_inherited(name) && !is_led_to) ||
           (for_all && is_network_variable(name)) || (known != nullptr && known->does_read(name));
  };
  const auto keyed = [&](const Launch& launch) {
    Variables env = launch.env;
    std::erase_if(env, [&](const auto& each) { return !counts(each.first); });
    return env;
  };
  return keyed(one) == keyed(other) && (!for_all || files_of(one) == files_of(other));
}

std::optional<ProcessTraits> child_process(const config::Environment& environment,
                                           const Sharing& sharing) {
  std::optional<ProcessTraits> traits = environment.process;
  if (traits && is_shared(sharing)) {
    ResourceLimit& files = traits->limits.at(open_files_resource);
    files.soft = std::min(shared_open_files, files.hard);
  }
  return traits;
}

void note_sharing(const config::Server& server, const Sharing& sharing, Launch& launch) {
  if (!is_shared(sharing)) {
    return;
  }
  const bool for_all = is_for_all(sharing);
  const auto is_inherited = [&server](const std::string& name) {
    return !server.env.contains(name);
  };
  Variables inherited = launch.env;
  std::erase_if(inherited, [&](const auto& each) { return !is_inherited(each.first); });
  launch.short_list = !for_all && server.inherit_env && is_short_list(inherited);
  if (!for_all && !launch.short_list) {
    return;
  }
  for (const auto& [name, value] : inherited) {
    if (says_language(name) || (for_all && name == "PATH")) {
      launch.not_in_key.insert(name);
    }
  }
  if (launch.not_in_key.contains("PATH")) {
    launch.leads_to = files_of(launch);
  }
}

}  // namespace pi_mcp::servers
