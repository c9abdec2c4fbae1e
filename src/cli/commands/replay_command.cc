// `pi-mcp replay`: an MCP server out of a recording.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/recording/replayer.h"
#include "cli/stopper.h"
#include "io/files/file.h"
#include "io/loop/loop.h"
#include "io/loop/task_group.h"
#include "transport/stdio_host.h"

namespace pi_mcp::cli {
namespace {

constexpr Milliseconds cleaning_max{2500};  // transport::StdioHostOptions::flush_max, and a bit
constexpr std::size_t queued_bytes_max = std::size_t{1} << 20U;

class ReplayCommand {
 public:
  ReplayCommand(const io::Executor& executor, const Setup& setup, Replayer replayer)
      : setup_(setup),
        replayer_(std::move(replayer)),
        stopper_(executor, setup.console, cleaning_max),
        host_(transport::open_stdio_host(executor)),
        serving_(executor) {}

  io::Task<ExitStatus> run() {
    stopper_.start();
    serving_.spawn("host", serve(), [this](const std::string& /*what*/) { end(); });
    while (!ended_ && !stopper_.stopped()) {
      (void)co_await stopper_.changed().wait();  // this task is not cancelled
    }
    serving_.cancel();
    co_await serving_.join();
    co_await host_->close();
    if (setup_.line.has(OptionId::all)) {
      for (const std::string& unused : replayer_.unused()) {
        mismatch("nobody has asked for " + unused);
      }
    }
    const ExitStatus status = stopper_.stopped().value_or(ExitStatus::done);
    co_await stopper_.close();
    co_return mismatches_ == 0 ? status : ExitStatus::tool_error;
  }

 private:
  io::Task<void> serve() {
    for (;;) {
      const Result<rpc::Message> message = co_await host_->receive();
      if (!message) {
        break;
      }
      for (std::string& answer : replayer_.on_message(*message)) {
        (void)host_->send(rpc::Outgoing(std::move(answer)));  // an ended link is seen above
      }
      for (const std::string& what : replayer_.take_mismatches()) {
        mismatch(what);
      }
      (void)co_await host_->drain(queued_bytes_max);  // likewise
    }
    end();
  }

  void end() {
    ended_ = true;
    stopper_.changed().notify_all();
  }

  void mismatch(const std::string& what) {
    ++mismatches_;
    setup_.console->error(what);
  }

  const Setup& setup_;
  Replayer replayer_;
  Stopper stopper_;
  std::unique_ptr<transport::Transport> host_;
  io::TaskGroup serving_;
  std::size_t mismatches_ = 0;
  bool ended_ = false;
};

io::Task<ExitStatus> replay_main(io::Executor executor, const Setup* setup, Replayer* replayer) {
  ReplayCommand command(executor, *setup, std::move(*replayer));
  co_return co_await command.run();
}

}  // namespace

ExitStatus run_replay_command(const Setup& setup) {
  const std::string& path = setup.line.words().front();
  const Result<std::optional<std::string>> text = io::read_file(path, recording_bytes_max);
  if (!text || !*text) {
    return report(
        setup,
        text ? Error(ErrorCode::invalid_argument, "there is no file " + path) : text.error());
  }
  Result<std::vector<RecordedMessage>> messages = parse_recording(path, **text);
  if (!messages) {
    return report(setup, messages.error());
  }
  Replayer replayer(*std::move(messages));
  return io::run([&setup, &replayer](const io::Executor& executor) {
    return replay_main(executor, &setup, &replayer);
  });
}

}  // namespace pi_mcp::cli
