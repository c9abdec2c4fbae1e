// The commands that ask a session: status, list, search, describe, call, connect.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/shared_text.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/import_facts.h"
#include "cli/commands/learn_schema.h"
#include "cli/commands/line_tool.h"
#include "cli/commands/once.h"
#include "cli/commands/performer.h"
#include "cli/real_files.h"
#include "cli/sharing/share.h"
#include "cli/sharing/shared_commands.h"
#include "cli/show/result_output.h"
#include "cli/show/shared_lines.h"
#include "cli/show/shell_facts.h"
#include "cli/show/status_view.h"
#include "cli/show/tool_list_view.h"
#include "cli/trust_prompt.h"
#include "cli/trust_record.h"
#include "cli/words/request.h"
#include "cli/words/tool_call.h"
#include "config/check.h"
#include "io/files/file.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "json/writer.h"
#include "tool/consent/trust_note.h"
#include "tool/consent/trust_view.h"
#include "tool/failures.h"
#include "tool/modes/list.h"
#include "tool/modes/status.h"

namespace pi_mcp::cli {
namespace {

using tool::Answer;
using tool::ToolRequest;

class SessionCommand {
 public:
  SessionCommand(const io::Executor& executor, const Setup& setup, std::string stdin_text)
      : setup_(setup),
        console_(*setup_.console),
        stdin_text_(std::move(stdin_text)),
        once_(setup.load_options.registered.empty() ? std::vector<std::string>()
                                                    : setup.load_options.servers),
        performer_(executor, setup_, load_settings(setup_)) {}

  io::Task<ExitStatus> run() {
    if (const std::optional<ExitStatus> hindered = co_await begin()) {
      co_await performer_.close();
      co_return *hindered;
    }
    settle_trust();
    performer_.share();
    if (!shows_warnings()) {
      say_warnings_of_line();
    }
    ExitStatus status = co_await command();
    const CommandId id = setup_.line.command()->id;
    const bool shows_all = id == CommandId::status || id == CommandId::list;
    if (is_unreadable(session().settings()) && shows_all && status == ExitStatus::done) {
      status = ExitStatus::configuration;
    }
    // The output is written before the servers are ended, which may take a moment.
    (void)console_.finish();  // a failure is reported at the end of the program
    co_await performer_.close();
    co_return performer_.stopped().value_or(status);
  }

 private:
  // Starts a server that the command line has brought, and sees whether it names a tool at all.
  io::Task<std::optional<ExitStatus>> begin() {
    performer_.start();
    for (const std::string& server : once_) {
      const bool connects = setup_.line.command()->id == CommandId::connect;
      if (!connects && session().catalog().knowledge(server) == catalog::Knowledge::unknown) {
        const Answer answer = co_await performer_.perform(connect_request(server));
        if (answer.is_error()) {
          co_return print(answer, server);
        }
      }
    }
    const std::optional<Error> mistake = line_tool().mistake();
    co_return mistake ? std::optional(report(setup_, *mistake)) : std::nullopt;
  }

  io::Task<ExitStatus> command() {
    switch (setup_.line.command()->id) {
      case CommandId::connect:
        return connect();
      case CommandId::call:
        return call();
      case CommandId::list:
        return list();
      default:
        return ask();
    }
  }

  // On a terminal a server of the project is asked about before anything runs. Without an answer
  // the request itself says what to do.
  void settle_trust() {
    if (!console_.may_ask() || setup_.json) {
      return;
    }
    for (const ToolRequest& request : requests_of_line()) {
      const std::vector<config::TrustRequest> needed = session().trust_needed(request);
      const bool forbidden = std::ranges::any_of(needed, &config::TrustRequest::forbidden);
      if (needed.empty() || forbidden) {
        continue;
      }
      switch (ask_trust(console_, tool::trust_view(needed))) {
        case TrustReply::trust:
          if (const Result<void> kept = record_trust(
                  setup_, {.requests = needed, .folder = own_folder(session().settings(), needed)});
              !kept) {
            console_.error(kept.error().message());
          }
          break;
        case TrustReply::once:
          for (const config::TrustRequest& allowed : needed) {
            setup_.load_options.trust.once.insert(allowed.digest);
          }
          break;
        case TrustReply::no:
          return;
      }
      performer_.reload(load_settings(setup_));
    }
  }

  // Whether warnings are in what is printed.
  [[nodiscard]] bool shows_warnings() const {
    const CommandId id = setup_.line.command()->id;
    return (id == CommandId::status || id == CommandId::list) && setup_.json;
  }

  // Why a server cannot be used is not said here where the answer says it.
  void say_warnings_of_line() {
    const CommandId id = setup_.line.command()->id;
    const bool starts = id == CommandId::call || id == CommandId::connect || id == CommandId::read;
    for (const config::Warning& warning : warnings_about(session().settings(), servers_of_line())) {
      const config::Server* const server = session().settings().find(warning.server);
      const bool is_answer =
          server != nullptr && !server->disabled && config::is_problem_of(*server, warning) &&
          (starts || session().catalog().knowledge(server->name) == catalog::Knowledge::unknown);
      if (!is_answer) {
        log::warning(warning.message);
      }
    }
  }

  // The servers that the command line is about; nullopt: all.
  [[nodiscard]] std::optional<std::vector<std::string>> servers_of_line() const {
    const CommandId id = setup_.line.command()->id;
    const bool names_servers = id == CommandId::list || id == CommandId::connect;
    if (id == CommandId::status || (names_servers && setup_.line.words().empty())) {
      return std::nullopt;
    }
    std::vector<std::string> servers = setup_.line.values(OptionId::server);
    if (names_servers) {
      servers = setup_.line.words();
    }
    for (const ToolRequest& request : requests_of_line()) {
      const catalog::CatalogTool* tool = line_tool().look_up(request).tool;
      const std::vector<std::string> likely =
          tool == nullptr ? session().catalog().servers_by_prefix(request.subject)
                          : std::vector{tool->server};
      servers.insert(servers.end(), likely.begin(), likely.end());
    }
    return servers;
  }

  // The server that a call, connect, describe or read is about; other commands never ask.
  [[nodiscard]] std::vector<ToolRequest> requests_of_line() const {
    const CommandId id = setup_.line.command()->id;
    std::vector<ToolRequest> requests;
    if (id == CommandId::connect) {
      for (const std::string& server : setup_.line.words()) {
        requests.push_back(connect_request(server));
      }
    } else if (id == CommandId::call || id == CommandId::describe || id == CommandId::read) {
      if (Result<ToolRequest> request = line_tool().request()) {
        requests.push_back(*std::move(request));
      }
    }
    return requests;
  }

  io::Task<ExitStatus> ask() {
    Result<ToolRequest> request = line_tool().request();
    if (!request) {
      co_return report(setup_, request.error());
    }
    if (request->mode == tool::Mode::status) {
      co_return status(co_await look_at_shared(&setup_));
    }
    const Answer result = co_await performer_.perform(*std::move(request));
    const bool reads = setup_.line.command()->id == CommandId::read;
    co_return print(result, reads ? setup_.line.words().front() : "");
  }

  ExitStatus status(SharedNow shared) {
    const config::Settings& settings = session().settings();
    std::vector<servers::ServerStatus> servers = session().status();
    tool::note_missing_programs(servers, settings, setup_.environment);
    tool::note_unknown_tools(servers, settings, session().catalog());
    tool::note_ending_logins(servers, settings, setup_.environment, io::epoch_now());
    add_last_failures(servers, settings);
    std::vector<RunningServer> running = running_servers(settings, shared.runs);
    count_as_shown(running, servers);
    const bool is_broken = servers.empty() && is_unreadable(settings);
    if (servers.empty() && !is_broken) {
      note_import(setup_);
    }
    const auto obstacle = obstacle_to_sharing(setup_, settings);
    if (!setup_.json) {
      const std::vector<servers::Copies> copies = all_copies(shared.views);
      console_.print(
          is_broken && running.empty()
              ? unreadable_status_view()
              : status_view(servers, running, copies, console_.style(), console_.room()));
      console_.print_fitted(sharing_text(
          shared.views, shared.silent, shared.of_other_builds, obstacle ? obstacle->why : ""));
      return ExitStatus::done;
    }
    ShellStatus facts;
    static_cast<tool::StatusFacts&>(facts) = tool::status_facts(std::move(servers), settings, {});
    facts.running = std::move(running);
    facts.shared = std::move(shared.views);
    facts.silent = std::move(shared.silent);
    facts.of_other_builds = std::move(shared.of_other_builds);
    facts.obstacle = obstacle ? obstacle->why : "";
    return print(answer_of(tool::Mode::status, std::move(facts)), "");
  }

  io::Task<ExitStatus> list() {
    Result<ToolRequest> request = request_of(setup_.line);
    if (!request) {
      co_return report(setup_, request.error());
    }
    const std::string server = request->subject;
    if (request->mode == tool::Mode::instructions) {
      co_return print(co_await performer_.perform(*std::move(request)), server);
    }
    if (!server.empty()) {
      co_return print_tools(server, co_await performer_.perform(*std::move(request)));
    }
    const std::vector<std::string> servers = enabled_servers();
    std::vector<ToolRequest> requests(servers.size(), *request);
    for (std::size_t i = 0; i < servers.size(); ++i) {
      requests[i].subject = servers[i];
    }
    const std::vector<Answer> results = co_await performer_.perform_each(std::move(requests));
    co_return print_all_tools(servers, results);
  }

  io::Task<ExitStatus> connect() {
    std::vector<std::string> servers = setup_.line.words();
    const bool all = setup_.line.has(OptionId::all);
    if (all == !servers.empty()) {
      const std::string message =
          "connect wants the names of servers, or --all. " + see_help(setup_.line.command());
      co_return report(setup_, {ErrorCode::invalid_argument, message});
    }
    if (all) {
      servers = enabled_servers();
    }
    std::vector<ToolRequest> requests(servers.size());
    std::ranges::transform(servers, requests.begin(), connect_request);
    const bool is_one = servers.size() == 1 && !all && !setup_.line.has(OptionId::brief);
    Performer::OnDone on_done;
    if (!is_one) {
      on_done = [&](std::size_t i, const Answer& answer) {
        print_connected(servers[i], answer);
      };
    }
    const std::vector<Answer> results =
        co_await performer_.perform_each(std::move(requests), std::move(on_done));
    if (is_one) {
      co_return print_tools(servers.front(), results.front());
    }
    if (setup_.json) {
      print_json(console_, together("connect", results, nullptr));
    }
    note_other_servers(servers.empty());
    const auto failed = std::ranges::find_if(results, &Answer::is_error);
    co_return failed == results.end() ? ExitStatus::done : exit_status(failed->failure);
  }

  io::Task<ExitStatus> call() {
    Result<ToolRequest> request = line_tool().request();
    if (!request) {
      co_return report(setup_, request.error());
    }
    const std::string tool = request->subject;
    SharedText schema;
    if (line_tool().wants_schema()) {
      LearnedSchema learned = co_await learn_schema(&performer_, line_tool(), *request);
      if (learned.failure) {
        co_return print(*learned.failure, tool);
      }
      schema = std::move(learned.input_schema);
    }
    Result<std::string> arguments = line_tool().arguments(schema, stdin_text_);
    if (!arguments) {
      co_return report(setup_, std::move(arguments.error()).while_doing(tool));
    }
    request->args = SharedText(*std::move(arguments));
    const Answer result = co_await performer_.perform(*std::move(request));
    co_return print(result, tool);
  }

  [[nodiscard]] LineTool line_tool() const { return {setup_.line, session()}; }

  [[nodiscard]] std::vector<std::string> enabled_servers() const {
    std::vector<std::string> names;
    for (const config::Server& server : session().settings().servers) {
      if (!server.disabled) {
        names.push_back(server.name);
      }
    }
    return names;
  }

  // ---- what is printed

  [[nodiscard]] bool for_person() const { return console_.output_is_terminal() && !setup_.json; }

  ExitStatus print(const Answer& answer, const std::string& subject) {
    return print_answer(console_,
                        {.json = setup_.json, .file = setup_.line.value(OptionId::output)},
                        subject,
                        session(),
                        answer);
  }

  ExitStatus print_tools(const std::string& server, const Answer& result) {
    const std::vector<catalog::CatalogTool>& tools = session().catalog().tools(server);
    const bool warns = setup_.json && setup_.line.command()->id == CommandId::list;
    const auto* const facts = result.get<tool::ListFacts>();
    const bool has_page = facts != nullptr && !facts->page.names.empty();
    if (result.is_error() || tools.empty() || !has_page || !for_person()) {
      return print(
          warns ? with_warnings(result, warnings_about(session().settings(), std::vector{server}))
                : result,
          server);
    }
    const ToolPage page = page_of(tools, *facts);
    console_.print(tool_list_view(server, page, console_.style(), console_.columns()));
    for (const std::string& note : session().catalog().notes(server)) {
      console_.print("\n" + console_.style().yellow("! ") + text::printable_line(note) + "\n");
    }
    if (!session().catalog().instructions(server).empty()) {
      console_.print("\n" +
                     console_.style().dim("pi-mcp list " + text::shell_word(server) +
                                          " --instructions shows how to use it") +
                     "\n");
    }
    return ExitStatus::done;
  }

  ExitStatus print_all_tools(const std::vector<std::string>& servers,
                             const std::vector<Answer>& results) {
    if (setup_.json) {
      print_json(console_, together("list", results, &session().settings().warnings));
      return ExitStatus::done;
    }
    std::string gap;
    for (std::size_t i = 0; i < servers.size(); ++i) {
      // A list of all servers does not fail because one was never connected.
      if (results[i].is_error()) {
        console_.note(text_of(results[i], tool::Reader::shell));
        continue;
      }
      console_.print(gap);
      gap = "\n";
      print_tools(servers[i], results[i]);
    }
    note_other_servers(servers.empty());
    return ExitStatus::done;
  }

  // After an answer about all servers: those that are not in it.
  void note_other_servers(bool none_in_use) {
    const std::string waiting = tool::trust_note(session().settings(), tool::TrustStep::tell)
                                    .text()
                                    .said_to(tool::Reader::shell);
    if (!waiting.empty()) {
      console_.note(text::trim(waiting));
    } else if (none_in_use) {
      const std::string none = tool::no_server(session().settings()).said_to(tool::Reader::shell);
      if (!none.empty()) {  // else the file that cannot be read was named
        console_.note(none);
      }
    }
  }

  // At once: the next one may take long.
  void print_connected(const std::string& server, const Answer& answer) {
    if (answer.is_error()) {
      console_.error(text_of(answer, tool::Reader::shell));
    } else if (!setup_.json) {
      console_.print(connected_line(server, answer, console_.style()));
      (void)console_.finish();  // a failure is reported at the end of the program
    }
  }

  [[nodiscard]] gateway::Session& session() { return performer_.session(); }
  [[nodiscard]] const gateway::Session& session() const { return performer_.session(); }

  Setup setup_;  // what the user allows for this once is added to it
  Console& console_;
  std::string stdin_text_;
  std::vector<std::string> once_;  // the server that the command line has brought
  Performer performer_;
};

io::Task<ExitStatus> session_main(io::Executor executor,
                                  const Setup* setup,
                                  std::string stdin_text) {
  SessionCommand command(executor, *setup, std::move(stdin_text));
  co_return co_await command.run();
}

}  // namespace

ExitStatus run_session_command(const Setup& setup) {
  Setup own = setup;
  const Result<std::string> once = use_once(own, new_server_facts(own));
  if (!once) {
    return report(own, once.error());
  }
  if (const std::optional<std::string>& file = own.load_options.config_file) {
    const Result<std::optional<std::string>> text = RealFiles().read(*file);
    if (text && !*text) {
      return report(own, {ErrorCode::invalid_argument, "--config: there is no file " + *file});
    }
  }
  std::string stdin_text;
  const std::vector<std::string>& words = own.line.words();
  const std::size_t first = own.line.has(OptionId::tool) ? 0 : 1;
  if (own.line.command()->id == CommandId::call && reads_stdin(std::span(words).subspan(first))) {
    Result<std::string> text = io::read_stdin();
    if (!text) {
      return report(own, text.error());
    }
    stdin_text = *std::move(text);
  }
  const ExitStatus status = io::run([&own, &stdin_text](const io::Executor& executor) {
    return session_main(executor, &own, std::move(stdin_text));
  });
  const std::optional<std::string> kept = own.line.value(OptionId::save);
  if (!kept || status != ExitStatus::done) {
    return status;
  }
  return keep_server(setup, *kept, *once);
}

}  // namespace pi_mcp::cli
