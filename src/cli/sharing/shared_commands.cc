#include "cli/sharing/shared_commands.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "cli/sharing/remote_session.h"
#include "cli/sharing/share.h"
#include "cli/show/exit_status.h"
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

io::Task<Result<SharedNow>> ask(RemoteSession* remote, std::string server) {
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
  co_return SharedNow{.view = *std::move(view), .runs = *std::move(runs)};
}

// What `stop --json` prints.
struct Stopped {
  std::set<std::string> names;
  std::size_t count = 0;  // a name may have several
  tool::Answer failed;    // of the last name that could not be asked about

  void take(tool::Answer answer) {
    if (answer.is_error()) {
      failed = std::move(answer);
      return;
    }
    const Result<json::Document> details =
        json::Document::parse(details_of(answer, tool::Reader::shell));
    const json::Value stopped = details ? details->root().find("stopped") : json::Value();
    for (const json::Value name : stopped.elements()) {
      names.insert(name.string_or(""));
      ++count;
    }
  }

  [[nodiscard]] std::string json() const {
    json::Writer out;
    out.begin_object().member("mode", "stop").key("stopped").begin_array();
    for (const std::string& name : names) {
      out.string(name);
    }
    out.end_array().member("count", static_cast<std::int64_t>(count));
    if (failed.is_error()) {
      out.member("error", failed.code).member("message", text_of(failed, tool::Reader::shell));
    }
    return out.end_object().take();
  }
};

// Ends one server after the other; an empty name means all.
io::Task<ExitStatus> stop_main(io::Executor executor,
                               const Setup* setup,
                               ShellSession session,
                               std::vector<std::string> servers) {
  RemoteSession remote(executor, std::move(session));
  ExitStatus status = ExitStatus::done;
  Stopped stopped;
  for (const std::string& server : servers) {
    json::Writer arguments;
    arguments.begin_object().member("action", "stop").member("server", server).end_object();
    tool::Answer answer = co_await remote.manage(arguments.take());
    if (answer.is_error()) {
      setup->console->error(text_of(answer, tool::Reader::shell));
      status = exit_status(answer.failure);
    } else if (!setup->json) {
      setup->console->note(text_of(answer, tool::Reader::shell));
    }
    stopped.take(std::move(answer));
  }
  if (setup->json) {
    print_json(*setup->console, stopped.json());
  }
  co_await remote.close();
  co_return status;
}

// Whether some session uses one of that name, or the next command will.
bool runs_in(const tool::SharedView& view, const std::string& server) {
  const auto uses = [&server](const tool::SharedView::Session& session) {
    return std::ranges::find(session.servers, server) != session.servers.end();
  };
  return std::ranges::find(view.resting, server) != view.resting.end() ||
         std::ranges::any_of(view.sessions, uses);
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
  if (std::optional<ShellSession> session = share_shell(setup, ShellWish::look)) {
    const Result<void> ended = io::run([&](const io::Executor& executor) {
      return end_resting(executor, *std::move(session), std::move(servers));
    });
    if (!ended) {
      log::info(ended.error().message());
    }
  }
}

io::Task<std::optional<SharedNow>> look_at_shared(const Setup* setup, std::string server) {
  std::optional<ShellSession> session = share_shell(*setup, ShellWish::look);
  if (!session) {
    co_return std::nullopt;
  }
  RemoteSession remote(co_await boost::asio::this_coro::executor, *std::move(session));
  Result<SharedNow> now = co_await io::with_deadline(
      answer_max, "asking the shared process who shares it", ask(&remote, std::move(server)));
  co_await remote.close();
  if (!now) {
    log::info(now.error().message());
  }
  co_return now ? std::optional(*std::move(now)) : std::nullopt;
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
    const std::optional<SharedNow> now =
        io::run([&setup](const io::Executor& /*executor*/) { return look_at_shared(&setup); });
    for (const std::string& server : servers) {
      if (is_unknown(server) && (!now || !runs_in(now->view, server))) {
        return report(setup, unknown_server(settings, server));
      }
    }
  }
  if (all) {
    servers = {""};
  }
  std::optional<ShellSession> session = share_shell(setup, ShellWish::look);
  if (!session && setup.json) {
    print_json(*setup.console, Stopped().json());
  } else if (!session) {
    setup.console->note("no server runs in a process that sessions share");
  }
  if (!session) {
    return ExitStatus::done;
  }
  return io::run([&](const io::Executor& executor) {
    return stop_main(executor, &setup, *std::move(session), std::move(servers));
  });
}

}  // namespace pi_mcp::cli
