#include "tool/modes/manage.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/count_text.h"
#include "base/text.h"
#include "io/loop/clock.h"
#include "json/writer.h"
#include "registry/server_registry.h"
#include "runs/run_folder.h"
#include "tool/consent/trust_gate.h"
#include "tool/direct/direct_tools.h"
#include "tool/failures.h"
#include "tool/introduction.h"
#include "tool/modes/bearer_token.h"
#include "tool/modes/install.h"
#include "tool/modes/logins.h"
#include "tool/modes/status.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

constexpr std::string_view definition =
    R"({"name":"mcp_manage","title":"Manage MCP servers","description":"For the user interface )"
    R"(of the host: changes the configuration of a server, or shows what it said last.",)"
    R"("inputSchema":{"type":"object","properties":{"action":{"type":"string"},)"
    R"("server":{"type":"string"},"scope":{"enum":["here","everywhere"]},)"
    R"("words":{"type":"array","items":{"type":"string"}},"url":{"type":"string"},)"
    R"("secret":{"type":"string"},)"
    R"("path":{"type":"string"},"was":{"type":"string"},"text":{"type":"string"},)"
    R"("undo":{"type":"boolean"},"remove":{"type":"boolean"},)"
    R"("servers":{"type":"object"},"config":{"type":"object"},)"
    R"("trusted":{"type":"boolean"},"id":{"type":"string"},)"
    R"("directTools":{"anyOf":[{"type":"boolean"},{"type":"array","items":{"type":"string"}}]}},)"
    R"("required":["action"]},"_meta":{"ui":{"visibility":["app"]}}})";

Answer said(Message text) {
  return Reply(std::nullopt, std::move(text)).take();
}

Answer refused(Failure failure, std::string_view code, std::string text) {
  return Reply(std::nullopt, failure, code, std::move(text)).take();
}

// What the server said last, in this session or in the one before.
Answer logs_of(const registry::ServerRegistry& registry, const std::string& server) {
  const servers::ServerStatus status = registry.status(server);
  std::string error = status.reason.empty() ? status.last_error : status.reason;
  std::string words = registry.stderr_text(server);
  if (words.empty() && error.empty()) {
    const config::Server* configured = registry.find(server);
    const std::optional<runs::LastRun> last =
        configured == nullptr
            ? std::nullopt
            : runs::RunFolder(registry.settings().agent_dir).last_run(*configured);
    if (last) {
      error = last->error;
      words = last->stderr_tail;
    }
  }
  std::string text = server + ": " + std::string(servers::state_name(status.state));
  text += error.empty() ? "" : "\nLast error: " + error;
  text += words.empty() ? "\nIt has written nothing to its stderr." : "\nstderr:\n" + words;
  return said(std::move(text));
}

bool is_selection(json::Value value) {
  if (!value.is_array()) {
    return value.as_bool().has_value();
  }
  for (const json::Value element : value.elements()) {
    if (!element.is_string()) {
      return false;
    }
  }
  return true;
}

// What was done, for people.
struct Done {
  std::string_view what;  // "is disabled": what the server then is
  std::string_view note;  // behind the sentence that says so
};

Answer apply(const ConfigAccess& access, const KeyChange& change, const Done& done) {
  const Result<std::string> file =
      access.edit ? access.edit(change)
                  : fail(ErrorCode::invalid_argument, "the configuration cannot be changed here");
  if (!file) {
    return refused(Failure::usage, "config_not_changed", file.error().message());
  }
  const std::string_view here = change.scope == Scope::here ? " for this folder" : "";
  return said(change.server + " " + std::string(done.what) +
              (file->empty() ? " already" : std::string(here) + " now, in " + *file) +
              std::string(done.note));
}

Answer register_servers(const ConfigAccess& access, json::Value servers) {
  if (!servers.is_object() || !access.register_servers) {
    return refused(
        Failure::usage, "invalid_parameter", "register needs servers, an object like mcpServers");
  }
  access.register_servers(json::compact(servers));
  return said(text::count_text(servers.size(), "server") + (servers.size() == 1 ? " is" : " are") +
              " registered");
}

Answer take_trust(const ConfigAccess& access, json::Value trusted) {
  if (!trusted.as_bool() || !access.host_trusts) {
    return refused(Failure::usage, "invalid_parameter", "trust needs trusted: true or false");
  }
  access.host_trusts(trusted.bool_or(false));
  return said(trusted.bool_or(false) ? "the host trusts this folder"
                                     : "the host does not trust this folder");
}

// What an action is done with.
struct Managing {
  ModeParts* parts;
  json::Value arguments;
  std::string server;
  CallContext context;

  [[nodiscard]] const ConfigAccess& access() const { return *parts->access; }
};

io::Task<Answer> show_status(Managing now) {
  const registry::ServerRegistry& registry = *now.parts->registry;
  co_return said(status_facts(registry.statuses(),
                              registry.settings(),
                              trust_note(registry.settings(), TrustStep::tell))
                     .lines());
}

io::Task<Answer> show_logs(Managing now) {
  co_return logs_of(*now.parts->registry, now.server);
}

io::Task<Answer> take_servers(Managing now) {
  co_return register_servers(now.access(), now.arguments.find("servers"));
}

// Before it came nobody could introduce the servers, so the answer does.
io::Task<Answer> take_configuration(Managing now) {
  const json::Value config = now.arguments.find("config");
  if (!now.access().configure) {
    co_return refused(Failure::usage,
                      "config_not_changed",
                      "the host brings a configuration only to pi-mcp serve --host-config");
  }
  if (!config.is_object()) {
    co_return refused(
        Failure::usage, "invalid_parameter", "configure needs config, an object like mcp.json");
  }
  now.access().configure(json::compact(config));
  const registry::ServerRegistry& registry = *now.parts->registry;
  const std::size_t count = registry.settings().servers.size();
  co_return Reply(std::nullopt,
                  text::count_text(count, "server") + (count == 1 ? " is" : " are") + " configured")
      .with("instructions",
            now.parts->direct->offers_mcp()
                ? introduction(registry.settings(), registry.catalog(), now.parts->host)
                : "")
      .take();
}

io::Task<Answer> take_hosts_trust(Managing now) {
  co_return take_trust(now.access(), now.arguments.find("trusted"));
}

io::Task<Answer> begin_session(Managing now) {
  const std::string id = now.arguments.find("id").string_or("");
  if (id.empty() || !now.access().begin_session) {
    co_return refused(Failure::usage, "invalid_parameter", "session needs id, a string");
  }
  now.access().begin_session(id);
  co_return said("the session has begun");
}

Answer set_disabled(const Managing& now, bool disabled) {
  const json::Value scope = now.arguments.find("scope");
  return apply(now.access(),
               {.server = now.server,
                .key = "disabled",
                .value_json = disabled ? "true" : "false",
                .scope = scope.equals("here")         ? Scope::here
                         : scope.equals("everywhere") ? Scope::everywhere
                                                      : Scope::standard},
               {.what = disabled ? "is disabled" : "is enabled", .note = ""});
}

io::Task<Answer> enable_server(Managing now) {
  co_return set_disabled(now, false);
}

io::Task<Answer> disable_server(Managing now) {
  co_return set_disabled(now, true);
}

io::Task<Answer> choose_direct_tools(Managing now) {
  const json::Value chosen = now.arguments.find("directTools");
  if (!is_selection(chosen)) {
    co_return refused(Failure::usage,
                      "invalid_parameter",
                      "direct-tools needs directTools: true, false or a list of names");
  }
  const bool is_forced =
      !now.parts->registry->environment().variable("MCP_DIRECT_TOOLS").value_or("").empty();
  co_return apply(
      now.access(),
      {.server = now.server,
       .key = "directTools",
       .value_json = json::compact(chosen),
       .scope = Scope::standard},
      {.what = "has these direct tools",
       .note = is_forced ? ". This session does not use them: MCP_DIRECT_TOOLS is set" : ""});
}

io::Task<Answer> log_out_of(Managing now) {
  co_return co_await now.parts->logins->log_out(now.server);
}

// What was ended, each name once for each server; `text` says it.
Answer stopped(const std::vector<std::string>& names, std::string text) {
  json::Writer out;
  out.begin_array();
  for (const std::string& name : names) {
    out.string(name);
  }
  return Reply(std::nullopt, std::move(text)).with_json("stopped", out.end_array().take()).take();
}

// Those of one name, or without one all that run in this process; with `resting` what of the name
// no session uses.
io::Task<Answer> stop_servers(Managing now) {
  const auto& stop = now.arguments.find("resting").bool_or(false) ? now.access().stop_resting
                                                                  : now.access().stop_servers;
  if (!stop) {
    co_return refused(Failure::usage, "invalid_parameter", "servers cannot be stopped from here");
  }
  const std::vector<std::string> names = co_await stop(now.server);
  const std::size_t count = names.size();
  if (!now.server.empty()) {
    co_return stopped(names, now.server + (count == 0 ? " does not run" : " has been stopped"));
  }
  co_return stopped(names,
                    count == 0 ? "no server runs"
                               : text::count_text(count, "server") +
                                     (count == 1 ? " has" : " have") + " been stopped");
}

io::Task<Answer> show_shared(Managing now) {
  co_return now.access().shared.view
      ? shared_answer(now.access().shared.view())
      : refused(Failure::usage, "invalid_parameter", "this process serves one session alone");
}

io::Task<Answer> show_runs(Managing now) {
  co_return now.access().shared.runs
      ? runs_answer(now.access().shared.runs(now.server), io::epoch_now())
      : refused(Failure::usage, "invalid_parameter", "only a command of the user is told that");
}

io::Task<Answer> change_token(Managing now) {
  if (now.arguments.find("remove").bool_or(false)) {
    co_return co_await remove_bearer_token(now.parts, now.server);
  }
  co_return co_await set_bearer_token(now.parts, now.server, now.context);
}

io::Task<Answer> change_secret(Managing now) {
  std::string name = now.arguments.find("secret").string_or("");
  if (now.arguments.find("remove").bool_or(false)) {
    co_return co_await remove_secret(now.parts, std::move(name));
  }
  co_return co_await set_secret(now.parts, std::move(name), std::move(now.context));
}

io::Task<Answer> ask_for_trust(Managing now) {
  co_return co_await now.parts->trust->ask_about_folder(std::move(now.context));
}

io::Task<Answer> add_new(Managing now) {
  NewServerWords written{.name = now.server,
                         .words = {},
                         .arguments = {},
                         .is_command = false,
                         .is_address = false,
                         .env = {},
                         .headers = {},
                         .cwd = {},
                         .sse = false,
                         .description = {}};
  for (const json::Value word : now.arguments.find("words").elements()) {
    written.words.push_back(word.string_or(""));
  }
  if (!written.words.empty() && written.words.front() == "--") {
    written.is_command = true;
    written.words.erase(written.words.begin());
  }
  const std::string url = now.arguments.find("url").string_or("");
  const auto& is_program = now.access().is_program;
  Result<NewServer> server = !url.empty() ? server_at(url, now.server)
                             : is_program
                                 ? new_server(written, {.is_program = is_program, .folder = {}})
                                 : fail(ErrorCode::invalid_argument, "not here");
  if (!server) {
    co_return refused(Failure::usage, "invalid_parameter", server.error().message());
  }
  co_return co_await install_server(
      now.parts, {.server = *std::move(server), .by_person = true}, now.context);
}

// Without `text` gives what there is to edit, as details; with it writes that.
io::Task<Answer> edit_file(Managing now) {
  const ConfigAccess& access = now.access();
  if (!access.file_to_edit || !access.write_edited) {
    co_return refused(Failure::usage, "config_not_changed", "there is no file to edit here");
  }
  Result<EditedFile> file = access.file_to_edit(now.server);
  if (!file) {
    co_return refused(Failure::usage, "config_not_changed", file.error().message());
  }
  const json::Value text = now.arguments.find("text");
  if (!text) {
    co_return Reply(std::nullopt, "The file is " + file->shown)
        .with("path", file->shown)
        .with("text", file->text)
        .take();
  }
  file->text = now.arguments.find("was").string_or("");
  if (const Result<void> written = access.write_edited(*file, text.string_or("")); !written) {
    co_return refused(Failure::usage, "config_not_changed", written.error().message());
  }
  co_return said(file->shown + " is written, and counts now.");
}

io::Task<Answer> set_up(Managing now) {
  if (!now.access().setup) {
    co_return refused(Failure::usage, "config_not_changed", "there is nothing to set up here");
  }
  const Result<SetupOutcome> outcome =
      co_await now.access().setup(now.arguments.find("undo").bool_or(false), now.context);
  if (!outcome) {
    co_return refused(Failure::usage, "setup_failed", outcome.error().message());
  }
  std::string text = outcome->said;
  for (const NewServer& server : outcome->wanted) {
    const Answer added =
        co_await install_server(now.parts, {.server = server, .by_person = true}, now.context);
    text += (text.empty() ? "" : "\n") + text_of(added, Reader::pi);
  }
  co_return said(std::move(text));
}

struct Action {
  std::string_view name;
  bool of_server = false;  // one that is configured
  bool writes = false;     // into the configuration
  io::Task<Answer> (*run)(Managing now) = nullptr;
};

constexpr std::array actions = {
    Action{.name = "status", .run = show_status},
    Action{.name = "logs", .of_server = true, .run = show_logs},
    Action{.name = "enable", .of_server = true, .writes = true, .run = enable_server},
    Action{.name = "disable", .of_server = true, .writes = true, .run = disable_server},
    Action{.name = "direct-tools", .of_server = true, .writes = true, .run = choose_direct_tools},
    Action{.name = "logout", .of_server = true, .run = log_out_of},
    Action{.name = "token", .of_server = true, .writes = true, .run = change_token},
    Action{.name = "secret", .run = change_secret},
    Action{.name = "allow", .run = ask_for_trust},
    Action{.name = "add", .writes = true, .run = add_new},
    Action{.name = "edit", .writes = true, .run = edit_file},
    Action{.name = "setup", .writes = true, .run = set_up},
    Action{.name = "configure", .run = take_configuration},
    Action{.name = "register", .run = take_servers},
    Action{.name = "trust", .run = take_hosts_trust},
    Action{.name = "session", .run = begin_session},
    Action{.name = "stop", .run = stop_servers},
    Action{.name = "shared", .run = show_shared},
    Action{.name = "runs", .run = show_runs},
};

}  // namespace

std::string_view manage_tool_name() {
  return "mcp_manage";
}

std::string_view manage_tool_definition() {
  return definition;
}

io::Task<Answer> manage(ModeParts* parts, json::Value arguments, CallContext context) {
  const std::string name = arguments.find("action").string_or("");
  const auto* const action = std::ranges::find(actions, name, &Action::name);
  if (action == actions.end()) {
    std::vector<std::string> names;
    names.reserve(actions.size());
    for (const Action& each : actions) {
      names.emplace_back(each.name);
    }
    co_return refused(
        Failure::usage, "invalid_parameter", "action must be one of " + text::join(names, ", "));
  }
  Managing now{.parts = parts,
               .arguments = arguments,
               .server = arguments.find("server").string_or(""),
               .context = std::move(context)};
  if (action->of_server && parts->registry->find(now.server) == nullptr) {
    co_return refused(Failure::not_found,
                      "server_not_found",
                      "Server " + quoted(now.server) + " not found in config");
  }
  if (const std::string_view why = unchangeable(parts->registry->settings());
      action->writes && !why.empty()) {
    co_return refused(Failure::usage, "config_not_changed", std::string(why));
  }
  co_return co_await action->run(std::move(now));
}

}  // namespace pi_mcp::tool
