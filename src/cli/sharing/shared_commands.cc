#include "cli/sharing/shared_commands.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "cli/sharing/remote_session.h"
#include "cli/sharing/share.h"
#include "cli/show/exit_status.h"
#include "cli/unknown_server.h"
#include "io/loop/loop.h"
#include "io/loop/with_deadline.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

// It answers from memory, so one that takes longer does not answer at all.
constexpr Milliseconds answer_max{3000};

io::Task<Result<tool::SharedView>> ask_view(RemoteSession* remote) {
  co_return tool::take_shared_view(co_await remote->manage(R"({"action":"shared"})"));
}

// Ends one server after the other; an empty name means all.
io::Task<ExitStatus> stop_main(io::Executor executor,
                               const Setup* setup,
                               ShellSession session,
                               std::vector<std::string> servers) {
  RemoteSession remote(executor, std::move(session));
  ExitStatus status = ExitStatus::done;
  for (const std::string& server : servers) {
    json::Writer arguments;
    arguments.begin_object().member("action", "stop").member("server", server).end_object();
    const tool::Answer answer = co_await remote.manage(arguments.take());
    if (answer.is_error()) {
      setup->console->error(text_of(answer, tool::Reader::shell));
      status = exit_status(answer.failure);
    } else if (setup->json) {
      print_json(*setup->console, details_of(answer, tool::Reader::shell));
    } else {
      setup->console->note(text_of(answer, tool::Reader::shell));
    }
  }
  co_await remote.close();
  co_return status;
}

}  // namespace

io::Task<std::optional<tool::SharedView>> shared_view(const Setup* setup) {
  std::optional<ShellSession> session = share_shell(*setup, SharedStart::never);
  if (!session) {
    co_return std::nullopt;
  }
  RemoteSession remote(co_await boost::asio::this_coro::executor, *std::move(session));
  const Result<tool::SharedView> view = co_await io::with_deadline(
      answer_max, "asking the shared process who shares it", ask_view(&remote));
  co_await remote.close();
  if (!view) {
    log::info(view.error().message());
  }
  co_return view ? std::optional(*view) : std::nullopt;
}

ExitStatus run_stop_command(const Setup& setup) {
  std::vector<std::string> servers = setup.line.words();
  const bool all = setup.line.has(OptionId::all);
  if (all == !servers.empty()) {
    return report(setup,
                  {ErrorCode::invalid_argument,
                   "stop wants the names of servers, or --all. " + see_help(setup.line.command())});
  }
  const config::Settings settings = load_settings(setup);
  for (const std::string& server : servers) {
    if (settings.find(server) == nullptr) {
      return report(setup, unknown_server(settings, server));
    }
  }
  if (all) {
    servers = {""};
  }
  std::optional<ShellSession> session = share_shell(setup, SharedStart::never);
  if (!session) {
    setup.console->note("no server runs in a process that sessions share");
    return ExitStatus::done;
  }
  return io::run([&](const io::Executor& executor) {
    return stop_main(executor, &setup, *std::move(session), std::move(servers));
  });
}

}  // namespace pi_mcp::cli
