#include "cli/timed_command.h"

#include <utility>

#include "io/loop/clock.h"

namespace pi_mcp::cli {
namespace {

// What is under way is stored or given up by then.
constexpr Milliseconds cleaning_max{2000};

}  // namespace

TimedCommand::TimedCommand(const io::Executor& executor, const Setup& setup)
    : setup_(setup), stopper_(executor, setup.console, cleaning_max), tasks_(executor) {}

void TimedCommand::say(Result<std::string> said) {
  said_.emplace(std::move(said));
  changed().notify_all();
}

io::Task<void> TimedCommand::note(io::Task<Result<std::string>> work) {
  say(co_await std::move(work));
}

io::Task<ExitStatus> TimedCommand::run(io::Task<Result<std::string>> work, std::string late) {
  stopper_.start();
  tasks_.spawn("command", note(std::move(work)), [this](const std::string& what) {
    say(fail(ErrorCode::unavailable, io::escaped_text(what)));
  });
  const TimePoint deadline = setup_.timeout ? io::now() + *setup_.timeout : TimePoint::max();
  bool is_late = false;
  while (!said_ && !stopper_.stopped() && !is_late) {
    is_late = co_await changed().wait_until(deadline) == io::Wake::timed_out;
  }
  tasks_.cancel();
  co_await tasks_.join();
  co_await stopper_.close();
  if (stopper_.stopped()) {
    co_return *stopper_.stopped();
  }
  co_return print_or_report(setup_, said_ ? *said_ : fail(ErrorCode::timed_out, std::move(late)));
}

}  // namespace pi_mcp::cli
