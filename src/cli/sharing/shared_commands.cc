#include "cli/sharing/shared_commands.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "base/count_text.h"
#include "base/log.h"
#include "cli/sharing/remote_session.h"
#include "cli/sharing/share.h"
#include "cli/show/exit_status.h"
#include "cli/show/shared_lines.h"
#include "cli/show/shell_facts.h"
#include "cli/unknown_server.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "io/loop/with_deadline.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

// It answers from memory, so one that takes longer does not answer at all.
constexpr Milliseconds answer_max{3000};
// Servers have their time to end, and are killed afterwards.
constexpr Milliseconds stop_max{60'000};

// Adds what it says.
io::Task<Result<void>> ask(RemoteSession* remote, std::string server, SharedNow* now) {
  Result<tool::SharedView> view =
      tool::take_shared_view(co_await remote->manage(R"({"action":"shared"})"));
  if (!view) {
    co_return fail(std::move(view).error());
  }
  json::Writer arguments;
  arguments.begin_object().member("action", "runs").member("server", server).end_object();
  const tool::Answer answer = co_await remote->manage(arguments.take());
  Result<std::vector<runs::RunRecord>> runs = tool::take_runs(answer, io::epoch_now());
  if (!runs) {
    co_return fail(std::move(runs).error());
  }
  now->views.push_back(*std::move(view));
  std::ranges::move(*runs, std::back_inserter(now->runs));
  co_return Result<void>();
}

// What `stop --json` prints.
struct Stopped {
  std::set<std::string> names;
  std::size_t count = 0;  // a name may have several
  // Of the last that could not be asked; empty: none.
  std::string error;
  std::string message;
  std::vector<int> of_other_builds;  // ids of processes that were not asked

  // How many it has stopped.
  std::size_t take(const tool::Answer& answer) {
    if (answer.is_error()) {
      error = answer.code;
      message = text_of(answer, tool::Reader::shell);
      return 0;
    }
    const Result<json::Document> details =
        json::Document::parse(details_of(answer, tool::Reader::shell));
    const json::Value stopped = details ? details->root().find("stopped") : json::Value();
    std::size_t now = 0;
    for (const json::Value name : stopped.elements()) {
      names.insert(name.string_or(""));
      ++now;
    }
    count += now;
    return now;
  }

  [[nodiscard]] std::string json() const {
    json::Writer out;
    out.begin_object().member("mode", "stop").key("stopped").begin_array();
    for (const std::string& name : names) {
      out.string(name);
    }
    out.end_array().member("count", static_cast<std::int64_t>(count));
    if (!error.empty()) {
      out.member("error", error).member("message", message);
    }
    write_processes(out, "otherBuilds", of_other_builds);
    return out.end_object().take();
  }
};

// `pi-mcp stop` of what answers.
class Stop {
 public:
  Stop(const Setup& setup, Stopped& stopped) : setup_(setup), stopped_(stopped) {}

  // One server after the other, each in all processes; an empty name means all.
  io::Task<ExitStatus> run(io::Executor executor,
                           std::vector<ShellSession> sessions,
                           std::vector<std::string> servers) {
    std::vector<std::unique_ptr<RemoteSession>> remotes;
    remotes.reserve(sessions.size());
    for (ShellSession& session : sessions) {
      remotes.push_back(std::make_unique<RemoteSession>(executor, std::move(session)));
    }
    for (const std::string& server : servers) {
      std::vector<tool::Answer> nothing_stopped;
      std::vector<tool::Answer> some_stopped;
      std::size_t count = 0;
      for (const auto& remote : remotes) {
        tool::Answer answer = co_await stop(remote.get(), server);
        const std::size_t now = stopped_.take(answer);
        count += now;
        if (answer.is_error()) {
          say(answer);
        } else {
          (now == 0 ? nothing_stopped : some_stopped).push_back(std::move(answer));
        }
      }
      if (some_stopped.size() > 1 && server.empty()) {
        note(text::count_text(count, "server") + " have been stopped");
      } else if (!some_stopped.empty()) {
        say(some_stopped.front());  // the same in each process
      }
      if (nothing_stopped.size() == remotes.size()) {
        say(nothing_stopped.front());
      }
    }
    for (const auto& remote : remotes) {
      co_await remote->close();
    }
    co_return status_;
  }

 private:
  static io::Task<Result<tool::Answer>> ask_to_stop(RemoteSession* remote, std::string server) {
    json::Writer arguments;
    arguments.begin_object().member("action", "stop").member("server", server).end_object();
    co_return co_await remote->manage(arguments.take());
  }

  static io::Task<tool::Answer> stop(RemoteSession* remote, std::string server) {
    Result<tool::Answer> answer = co_await io::with_deadline(
        stop_max, "stopping what runs", ask_to_stop(remote, std::move(server)));
    co_return answer ? *std::move(answer)
                     : tool::Reply(std::nullopt,
                                   tool::Failure::timed_out,
                                   error_name(answer.error().code()),
                                   answer.error().message())
                           .take();
  }

  void say(const tool::Answer& answer) {
    if (answer.is_error()) {
      setup_.console->error(text_of(answer, tool::Reader::shell));
      status_ = exit_status(answer.failure);
    } else {
      note(text_of(answer, tool::Reader::shell));
    }
  }

  void note(const std::string& text) {
    if (!setup_.json) {
      setup_.console->note(text);
    }
  }

  const Setup& setup_;
  Stopped& stopped_;
  ExitStatus status_ = ExitStatus::done;
};

// Whether some session uses one of that name, or the next command will.
bool runs_in(const SharedNow& now, const std::string& server) {
  const auto has = [&server](const std::vector<std::string>& servers) {
    return std::ranges::find(servers, server) != servers.end();
  };
  return std::ranges::any_of(now.views, [&has](const tool::SharedView& view) {
    return has(view.resting) ||
           std::ranges::any_of(view.sessions, [&has](const tool::SharedView::Session& session) {
             return has(session.servers);
           });
  });
}

io::Task<Result<void>> stop_each(RemoteSession* remote, std::vector<std::string> servers) {
  for (const std::string& server : servers) {
    json::Writer arguments;
    arguments.begin_object().member("action", "stop").member("server", server);
    const tool::Answer answer =
        co_await remote->manage(arguments.member("resting", true).end_object().take());
    if (answer.is_error()) {
      co_return fail(ErrorCode::unavailable, text_of(answer, tool::Reader::shell));
    }
  }
  co_return Result<void>();
}

io::Task<Result<void>> end_resting(io::Executor executor,
                                   ShellSession session,
                                   std::vector<std::string> servers) {
  RemoteSession remote(executor, std::move(session));
  Result<void> ended = co_await io::with_deadline(
      answer_max, "stopping what the shared process keeps", stop_each(&remote, std::move(servers)));
  co_await remote.close();
  co_return ended;
}

}  // namespace

void stop_resting(const Setup& setup, std::vector<std::string> servers) {
  if (servers.empty()) {
    return;
  }
  for (ShellSession& session : look_for_shared(setup).sessions) {
    const Result<void> ended = io::run([&](const io::Executor& executor) {
      return end_resting(executor, std::move(session), servers);
    });
    if (!ended) {
      log::info(ended.error().message());
    }
  }
}

io::Task<SharedNow> look_at_shared(const Setup* setup, std::string server) {
  const io::Executor executor = co_await boost::asio::this_coro::executor;
  SharedProcesses found = look_for_shared(*setup);
  SharedNow now{.views = {},
                .runs = {},
                .silent = std::move(found.silent),
                .of_other_builds = std::move(found.of_other_builds)};
  for (ShellSession& session : found.sessions) {
    const int process = session.process_id;
    RemoteSession remote(executor, std::move(session));
    const Result<void> asked = co_await io::with_deadline(
        answer_max, "asking the shared process who shares it", ask(&remote, server, &now));
    co_await remote.close();
    if (!asked) {
      log::info(asked.error().message());
    }
    if (!asked && asked.error().code() == ErrorCode::timed_out) {
      now.silent.push_back(process);
    }
  }
  co_return now;
}

ExitStatus run_stop_command(const Setup& setup) {
  std::vector<std::string> servers = setup.line.words();
  const bool all = setup.line.has(OptionId::all);
  if (all == !servers.empty()) {
    return report(setup,
                  {ErrorCode::invalid_argument,
                   "stop wants the names of servers, or --all. " + see_help(setup.line.command())});
  }
  // One that was removed, or is of another folder, may run still.
  const config::Settings settings = load_settings(setup);
  const auto is_unknown = [&settings](const std::string& server) {
    return settings.find(server) == nullptr;
  };
  if (std::ranges::any_of(servers, is_unknown)) {
    const SharedNow now =
        io::run([&setup](const io::Executor& /*executor*/) { return look_at_shared(&setup); });
    for (const std::string& server : servers) {
      if (is_unknown(server) && now.saw_all() && !runs_in(now, server)) {
        return report(setup, unknown_server(settings, server));
      }
    }
  }
  if (all) {
    servers = {""};
  }
  SharedProcesses found = look_for_shared(setup);
  Stopped stopped;
  ExitStatus status = ExitStatus::done;
  if (!found.sessions.empty()) {
    Stop stop(setup, stopped);
    status = io::run([&](const io::Executor& executor) {
      return stop.run(executor, std::move(found.sessions), std::move(servers));
    });
  } else if (!setup.json && found.silent.empty() && found.of_other_builds.empty()) {
    setup.console->note("no server runs in a process that sessions share");
  }
  for (const int process : found.silent) {
    status = exit_status(ErrorCode::timed_out);
    stopped.error = error_name(ErrorCode::timed_out);
    stopped.message = silent_text(process);
    setup.console->error(stopped.message);
  }
  stopped.of_other_builds = std::move(found.of_other_builds);
  if (!setup.json) {
    for (const int process : stopped.of_other_builds) {
      setup.console->note(other_build_text(process));
    }
  } else {
    print_json(*setup.console, stopped.json());
  }
  return status;
}

}  // namespace pi_mcp::cli
