#include "cli/sharing/share.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/log.h"
#include "cli/sharing/host_session.h"
#include "cli/sharing/shared_process.h"
#include "config/load.h"
#include "io/net/connect.h"
#include "io/process/peer.h"
#include "io/process/process_tree.h"

namespace pi_mcp::cli {
namespace {

constexpr const char* shared_variable = "PI_MCP_SHARED";

// Why nobody wants to share; empty: they do. What cannot be known here (settings.shared) the shared
// process finds in the session's configuration, and refuses.
std::string unwanted(const Setup& setup) {
  constexpr std::array<std::string_view, 3> off = {"off", "0", "false"};
  const std::string said = setup.environment.variable(shared_variable).value_or("");
  if (setup.line.has(OptionId::alone)) {
    return "--alone";
  }
  if (std::ranges::find(off, said) != off.end()) {
    return std::string(shared_variable) + "=" + said;
  }
  return "";
}

// The log is one for a whole process.
bool wants_log(const Setup& setup) {
  return setup.line.has(OptionId::log_level) || setup.environment.variable("PI_MCP_LOG");
}

// Who looks into the log for the reason is told the one that counts without the log.
std::string why_beside_log(const Setup& setup, attach::FrontRequest request) {
  if (std::string why = wants_alone(load_settings(setup)); !why.empty()) {
    return why;
  }
  return attach::why_alone(std::move(request))
      .value_or("the log of this program is wanted; nothing else is in the way of sharing");
}

attach::FrontRequest front_request(const Setup& setup, std::optional<io::Woken> woken) {
  attach::FrontRequest request;
  request.place = {.agent_folder = config::agent_dir(setup.environment),
                   .runtime_folder = setup.environment.variable("XDG_RUNTIME_DIR").value_or("")};
  request.shared_process = shared_process_words();
  request.folder = setup.environment.cwd;
  request.environment = setup.environment.variables;
  request.traits = setup.environment.process ? *setup.environment.process : io::own_traits();
  request.woken = std::move(woken);
  return request;
}

// The session of a command, as the words of a program that its host would have started.
std::vector<std::string> shell_arguments(const Setup& setup, const char* host) {
  std::vector<std::string> words = {"pi-mcp", "serve", "--host", host};
  if (setup.load_options.config_file) {
    words.insert(words.end(), {"--config", *setup.load_options.config_file});
  }
  if (const std::optional<std::string> timeout = setup.line.value(OptionId::timeout)) {
    words.insert(words.end(), {"--timeout", *timeout});
  }
  if (setup.line.has(OptionId::trust_project)) {
    words.emplace_back("--trust-project");
  }
  return words;
}

// What came of a command's own end of its session.
struct ShellOutcome {
  std::optional<ShellSession> session;
  std::string why;  // without a session
  int silent = 0;   // see attach::Alone
};

ShellOutcome attach_shell(attach::FrontRequest request) {
  Result<std::pair<io::Fd, io::Fd>> ends = io::connected_pair();
  if (!ends) {
    return {.session = {}, .why = ends.error().message()};
  }
  request.input = request.output = ends->second.get();
  request.waits = false;
  attach::FrontOutcome outcome = attach::attach(std::move(request));
  if (auto* attached = std::get_if<attach::Attached>(&outcome)) {
    const int process = io::connected_peer(attached->control.get()).id;
    return {.session = ShellSession{.control = std::move(attached->control),
                                    .socket = std::move(ends->first),
                                    .process_id = process},
            .why = {}};
  }
  const auto* alone = std::get_if<attach::Alone>(&outcome);
  return alone == nullptr ? ShellOutcome{}
                          : ShellOutcome{.session = {}, .why = alone->why, .silent = alone->silent};
}

}  // namespace

Shared share_host(Setup& setup) {
  std::optional<io::Woken> woken = io::take_woken(setup.environment.variables);
  std::string why = unwanted(setup);
  if (why.empty() && wants_log(setup)) {
    why = why_beside_log(setup, front_request(setup, std::nullopt));
  } else if (why.empty()) {
    attach::FrontRequest request = front_request(setup, std::move(woken));
    request.arguments = {"pi-mcp"};
    const std::vector<std::string>& words = setup.line.arguments();
    request.arguments.insert(request.arguments.end(), words.begin(), words.end());
    attach::FrontOutcome outcome = attach::attach(std::move(request));
    if (const auto* over = std::get_if<attach::Over>(&outcome)) {
      return {.over = static_cast<ExitStatus>(over->exit_status), .woken = {}};
    }
    auto& alone = std::get<attach::Alone>(outcome);
    why = std::move(alone.why);
    woken = std::move(alone.woken);
  }
  log::info("this session has a process of its own: " + why);
  return {.over = {}, .woken = std::move(woken)};
}

std::optional<ShellSession> share_shell(const Setup& setup) {
  std::string why =
      setup.environment.variable("CI").value_or("").empty() ? unwanted(setup) : "CI is set";
  if (why.empty() && wants_log(setup)) {
    const Result<std::pair<io::Fd, io::Fd>> ends = io::connected_pair();
    attach::FrontRequest request = front_request(setup, std::nullopt);
    request.input = request.output = ends ? ends->second.get() : request.input;
    why = why_beside_log(setup, std::move(request));
  } else if (why.empty()) {
    attach::FrontRequest request = front_request(setup, std::nullopt);
    request.arguments = shell_arguments(setup, shell_host);
    ShellOutcome outcome = attach_shell(std::move(request));
    if (outcome.session) {
      return std::move(outcome.session);
    }
    why = std::move(outcome.why);
  }
  log::info("this command has servers of its own: " + why);
  return std::nullopt;
}

std::optional<attach::Obstacle> obstacle_to_sharing(const Setup& setup,
                                                    const config::Settings& settings) {
  const bool is_wanted = unwanted(setup).empty() && wants_alone(settings).empty();
  return is_wanted ? attach::obstacle_to(front_request(setup, std::nullopt)) : std::nullopt;
}

SharedProcesses look_for_shared(const Setup& setup) {
  SharedProcesses found;
  const attach::FrontRequest any = front_request(setup, std::nullopt);
  for (const std::string& socket : attach::sockets_to_see(any.place, any.traits)) {
    attach::FrontRequest request = front_request(setup, std::nullopt);
    request.arguments = shell_arguments(setup, looking_host);
    request.starts = false;
    request.socket = socket;
    ShellOutcome outcome = attach_shell(std::move(request));
    if (outcome.session) {
      found.sessions.push_back(*std::move(outcome.session));
    } else {
      log::info("no process of other sessions is seen: " + outcome.why);
    }
    if (outcome.silent != 0) {
      found.silent.push_back(outcome.silent);
    }
  }
  for (const std::string& socket : attach::sockets_of_other_builds(any.place)) {
    if (const int process = io::process_listening_at(socket); process != 0) {
      found.of_other_builds.push_back(process);
    }
  }
  return found;
}

}  // namespace pi_mcp::cli
