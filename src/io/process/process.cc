#include "io/process/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <string_view>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "io/files/file.h"
#include "io/loop/clock.h"
#include "io/loop/signals.h"
#include "io/process/executable.h"
#include "io/process/forked_memory.h"
#include "io/process/keeper.h"
#include "io/process/kernel.h"
#include "io/process/orphans.h"

namespace pi_mcp::io {

namespace asio = boost::asio;

namespace {

// SIGKILL works at once; only a process inside a system call of a broken device or network file
// system outlives this.
constexpr Milliseconds kill_wait_max{5000};
// Four times the usual: messages over 64 KiB pass 10 to 20 % faster. The kernel takes the memory
// only while bytes are in the pipe.
constexpr int pipe_bytes = 256 << 10U;

struct Pair {
  Fd ours;
  Fd theirs;
};

enum class Direction : std::uint8_t { to_child, from_child };

bool take(Pair& pair, int ours, int theirs) {
  pair.ours.reset(ours);
  pair.theirs.reset(theirs);
  return ::fcntl(ours, F_SETFL, O_NONBLOCK) == 0;
}

bool make_pipe(Pair& pair, Direction direction) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return false;
  }
  widen_pipe(ends[0], pipe_bytes);
  return direction == Direction::to_child ? take(pair, ends[1], ends[0])
                                          : take(pair, ends[0], ends[1]);
}

bool make_control(Pair& pair) {
  std::array<int, 2> ends{};
  return ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0 &&
         take(pair, ends[0], ends[1]);
}

Result<void> check(const Command& command) {
  const auto bad = [](std::string_view text) {
    return text.find('\0') != std::string_view::npos;
  };
  bool found = bad(command.program) || bad(command.folder);
  for (const std::string& argument : command.arguments) {
    found = found || bad(argument);
  }
  for (const auto& [name, value] : command.environment) {
    found = found || bad(name) || bad(value);
  }
  if (found) {
    return fail(ErrorCode::invalid_argument,
                "the command, its arguments or its environment contain a null character");
  }
  if (!is_directory(command.folder)) {
    return fail(ErrorCode::invalid_argument,
                "the working directory " + command.folder + " does not exist");
  }
  return {};
}

// execvp() and every shell run a text without #! by /bin/sh; exec itself does not.
bool is_script(const std::string& path) {
  constexpr std::size_t bytes_max = 128;
  const Result<std::string> start = read_head(path, bytes_max);
  return start && start->find('\0') == std::string::npos;
}

}  // namespace

std::optional<int> ExitStatus::code() const {
  return WIFEXITED(status_) ? std::optional(WEXITSTATUS(status_)) : std::nullopt;
}

std::optional<int> ExitStatus::signal() const {
  return WIFSIGNALED(status_) ? std::optional(WTERMSIG(status_)) : std::nullopt;
}

std::string ExitStatus::text() const {
  if (const auto number = signal()) {
    const char* const name = ::sigabbrev_np(*number);
    return "killed by " +
           (name == nullptr ? "signal " + std::to_string(*number) : std::string("SIG") + name);
  }
  return "exited with status " + std::to_string(code().value_or(0));
}

struct Process::Pipes {
  Pair input;
  Pair output;
  Pair errors;
  Pair control;
};

Process::Process(const Executor& executor, Pipes pipes, pid_t keeper)
    : executor_(executor),
      input_(executor, std::move(pipes.input.ours)),
      output_(executor, std::move(pipes.output.ours)),
      errors_(executor, std::move(pipes.errors.ours)),
      keeper_socket_(executor, std::move(pipes.control.ours)),
      keeper_(keeper),
      changed_(executor),
      tasks_(executor) {}

Process::~Process() = default;

Result<std::unique_ptr<Process>> Process::fork_keeper(const Executor& executor,
                                                      const std::string& path,
                                                      const Command& command) {
  std::vector<std::string> arguments = {command.program};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> environment = exec_variables(command.environment);
  // In memory that the keeper finds ready.
  const std::vector<char*> argument_pointers = exec_pointers(arguments);
  const std::vector<char*> environment_pointers = exec_pointers(environment);
  open_standard_files();
  Pipes pipes;
  if (!make_pipe(pipes.input, Direction::to_child) ||
      !make_pipe(pipes.output, Direction::from_child) ||
      !make_pipe(pipes.errors, Direction::from_child) || !make_control(pipes.control)) {
    return fail(ErrorCode::io, "cannot make pipes for " + path + ": " + reason(errno));
  }
  const KeeperJob job{.path = path.c_str(),
                      .arguments = argument_pointers.data(),
                      .environment = environment_pointers.data(),
                      .folder = command.folder.c_str(),
                      .traits = command.traits ? &*command.traits : nullptr,
                      .background = command.background,
                      .drops_memory = can_drop_allocated_memory(),
                      .input = pipes.input.theirs.get(),
                      .output = pipes.output.theirs.get(),
                      .errors = pipes.errors.theirs.get(),
                      .control = pipes.control.theirs.get(),
                      .program = light_keeper()};
  ignore_broken_pipes();
  adopt_orphans();
  const pid_t keeper = ::fork();
  if (keeper == 0) {
    keep(job);
  }
  if (keeper < 0) {
    return fail(ErrorCode::io, "cannot start " + path + ": " + reason(errno));
  }
  note_keeper(keeper);
  return std::unique_ptr<Process>(new Process(executor, std::move(pipes), keeper));
}

// What the keeper could not do before it came to the program; nullopt: nothing of that.
std::optional<Error> Process::failed_before_start(const std::string& folder,
                                                  const std::string& path) const {
  const std::string why = reason(start_failure_.value_or(ECHILD));
  if (folder_failed_) {
    return Error(ErrorCode::invalid_argument,
                 "cannot enter the working directory " + folder + ": " + why);
  }
  if (traits_failed_) {
    return Error(
        ErrorCode::io,
        "cannot start " + path + " with the umask, limits and niceness of its session: " + why);
  }
  return std::nullopt;
}

Task<Result<std::unique_ptr<Process>>> Process::start(Command command, TimePoint deadline) {
  if (auto checked = check(command); !checked) {
    co_return fail(std::move(checked).error());
  }
  auto path = find_executable(command.program, command.environment, command.folder);
  if (!path) {
    co_return fail(std::move(path).error());
  }
  const Executor executor = co_await asio::this_coro::executor;
  for (;;) {
    auto process = fork_keeper(executor, *path, command);
    if (!process) {
      co_return fail(std::move(process).error());
    }
    Process& started = **process;
    started.begin_watch();
    Wake wake = Wake::notified;
    while (wake == Wake::notified && started.id_ == 0 && !started.gone_) {
      wake = co_await started.changed_.wait_until(deadline);
    }
    if (started.id_ != 0 && wake != Wake::cancelled) {
      co_return std::move(*process);
    }
    co_await started.close(
        {.after_input_end = Milliseconds(0), .after_terminate = Milliseconds(0)});
    if (wake == Wake::cancelled) {
      co_return fail(ErrorCode::cancelled, "cancelled");
    }
    if (wake == Wake::timed_out) {
      co_return fail(ErrorCode::timed_out,
                     "cannot run " + *path +
                         ": the system has not started it in time; is its disk "
                         "reachable?");
    }
    const int failure = started.start_failure_.value_or(ECHILD);
    if (const std::optional<Error> before = started.failed_before_start(command.folder, *path)) {
      co_return fail(*before);
    }
    if (failure != ENOEXEC || !is_script(*path)) {
      co_return fail(ErrorCode::io, exec_failure(*path, failure));
    }
    command.arguments.insert(command.arguments.begin(), std::exchange(*path, "/bin/sh"));
    command.program = *path;
  }
}

Task<Result<ExitStatus>> Process::wait_exit() {
  while (!exit_status_) {
    if (gone_) {
      co_return fail(ErrorCode::unavailable, "ended; its keeper was killed, so nobody knows how");
    }
    const Wake wake = co_await changed_.wait();
    if (wake == Wake::cancelled) {
      co_return fail(ErrorCode::cancelled, "cancelled");
    }
  }
  co_return *exit_status_;
}

// Without it nobody would see the end; an exception does not change that.
void Process::begin_watch() {
  tasks_.spawn("watching a process", watch(), [this](const std::string& /*what*/) {
    order(KeeperOrder::kill);
    tasks_.spawn("watching a process", watch(), log_only);
  });
}

Task<void> Process::watch() {
  for (;;) {
    KeeperReport report{};
    const std::span<char> space(reinterpret_cast<char*>(&report), sizeof report);
    const auto count = co_await keeper_socket_.read_some(space);
    if (!count || *count != sizeof report) {
      break;
    }
    note(report);
    changed_.notify_all();
  }
  co_await reap_keeper();
  changed_.notify_all();
}

void Process::note(const KeeperReport& report) {
  switch (report.kind) {
    case KeeperReport::Kind::started:
      id_ = report.process;
      break;
    case KeeperReport::Kind::no_folder:
      folder_failed_ = true;
      start_failure_ = report.value;
      break;
    case KeeperReport::Kind::no_traits:
      traits_failed_ = true;
      start_failure_ = report.value;
      break;
    case KeeperReport::Kind::no_start:
      start_failure_ = report.value;
      break;
    case KeeperReport::Kind::exited:
      exit_status_.emplace(report.value);
      break;
  }
}

// Its socket has ended, so the keeper is about to end, if close() did not give up waiting for it.
Task<void> Process::reap_keeper() {
  ReadStream ended(executor_, end_of_child(keeper_));
  const auto waited = co_await ended.wait_for_bytes();
  if (!waited && waited.error().code() == ErrorCode::cancelled) {
    co_return;
  }
  // Where the kernel does not tell of the end this waits, for microseconds.
  int status = 0;
  const pid_t reaped = ::waitpid(keeper_, &status, 0);
  forget_keeper(keeper_);
  if (reaped == keeper_ && WIFSIGNALED(status)) {
    if (id_ != 0 && !exit_status_) {
      (void)::kill(-id_, SIGKILL);  // the server has died with its keeper, and its group must too
    }
    co_await end_orphans();
  }
  gone_ = true;
}

void Process::order(KeeperOrder order) {
  // A keeper that is gone has done its work.
  (void)!::send(keeper_socket_.number(), &order, sizeof order, MSG_NOSIGNAL);
}

Task<void> Process::wait_gone(Milliseconds limit) {
  const TimePoint deadline = now() + limit;
  while (!gone_ && now() < deadline) {
    (void)co_await changed_.wait_shielded(deadline);
  }
}

Task<void> Process::close(CloseTimes times) {
  input_.close();
  co_await wait_gone(times.after_input_end);
  if (!gone_) {
    order(KeeperOrder::terminate);
    co_await wait_gone(times.after_terminate);
  }
  if (!gone_) {
    order(KeeperOrder::kill);
    co_await wait_gone(kill_wait_max);
  }
  if (!gone_) {
    log::warning("process " + std::to_string(id_) + " does not end, even killed");
    tasks_.cancel();
  }
  co_await tasks_.join();
}

}  // namespace pi_mcp::io
