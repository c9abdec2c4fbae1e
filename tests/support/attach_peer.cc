// A front and a shared process as small as they can be: one program, since both have to be the same
// build. For tests of how sessions are handed over.
//   attach_peer FOLDER [--greeting] [--stay]   a front; its socket stands in FOLDER/pi-mcp
//   attach_peer shared-process FOLDER CHECK NAME   what it starts
//   attach_peer start-one-that-hangs FOLDER   starts a process that never gets ready, and says what
//                                             became of that
// A host that is served says lines: "about", "errors TEXT", "die", "exit N"; the end of its input
// is the end of the session. Answers are lines that begin with "shared" or, from a front that runs
// alone, "alone: WHY".
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attach/doorman.h"
#include "attach/front.h"
#include "io/files/file.h"
#include "io/files/memory_file.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/loop.h"
#include "io/loop/signals.h"
#include "io/loop/stream.h"
#include "io/loop/task_group.h"
#include "io/process/environment.h"
#include "io/process/kernel.h"
#include "io/process/newborn.h"

namespace {

using namespace pi_mcp;

constexpr const char* shared_word = "shared-process";
constexpr const char* hanging_word = "hangs";

// A stand-in for a host's stream: tests may block for a moment.
struct Host {
  io::Fd stream;
  bool socket = false;

  static Host open(io::Fd given, int access) {
    struct stat status{};
    (void)::fstat(given.get(), &status);
    if (S_ISSOCK(status.st_mode)) {
      return {.stream = std::move(given), .socket = true};
    }
    return {.stream = io::open_anew(given.get(), access | O_NONBLOCK), .socket = false};
  }
  void say(const std::string& text) const {
    (void)!(socket ? ::send(stream.get(), text.data(), text.size(), MSG_NOSIGNAL)
                   : ::write(stream.get(), text.data(), text.size()));
  }
};

class Served {
 public:
  explicit Served(attach::HandedSession session)
      : facts(std::move(session.facts)),
        link(std::move(session.front)),
        output(Host::open(std::move(session.output), O_WRONLY)),
        input(Host::open(std::move(session.input), O_RDONLY)),
        repaired(session.old_memory.is_open()) {}

  // False: the session is over.
  bool obey(const std::string& line, std::size_t sessions) {
    if (line == "about") {
      struct stat folder{};
      (void)::stat(".", &folder);
      output.say("shared " + std::to_string(::getpid()) + " sessions " + std::to_string(sessions) +
                 " front " + std::to_string(facts.process_id) + " folder " + facts.folder +
                 " umask " + std::to_string(facts.traits.umask) + " mark " +
                 facts.environment["MARK"] + " words " + std::to_string(facts.arguments.size()) +
                 (repaired ? " repaired" : "") + "\n");
    } else if (line.starts_with("errors ") || line.starts_with("flood ")) {
      const bool flood = line.starts_with("flood ");
      link->write_errors(
          (flood ? std::string(std::strtoul(line.c_str() + 6, nullptr, 10), 'e') : line.substr(7)) +
          "\n");
      output.say("shared written\n");
    } else if (line == "die") {
      (void)::raise(SIGKILL);
    } else if (line.starts_with("exit ")) {
      link->over(std::atoi(line.c_str() + 5));
      return false;
    }
    return true;
  }

  attach::SessionFacts facts;
  std::unique_ptr<attach::FrontLink> link;
  Host output;
  Host input;
  bool repaired;
};

class Shared {
 public:
  explicit Shared(io::Executor executor)
      : executor_(executor), tasks_(executor), ended_(executor) {}

  io::Task<int> run(std::string name, attach::PeerCheck check) {
    auto gifts = io::take_birth_gifts();
    if (!gifts) {
      co_return 2;
    }
    auto doorman = attach::Doorman::open(
        executor_,
        std::move(*gifts),
        name,
        [this](attach::HandedSession session) {
          ++sessions_;
          tasks_.spawn("session", serve(std::move(session)), io::log_only);
        },
        check);
    if (!doorman) {
      co_return 3;
    }
    constexpr Milliseconds first_look(500);
    constexpr Milliseconds look(20);
    TimePoint next = io::now() + first_look;
    for (;;) {
      (void)co_await ended_.wait_until(next);
      next = io::now() + look;
      if (sessions_ == 0 && (*doorman)->may_leave()) {
        break;
      }
    }
    co_await (*doorman)->close();
    co_await tasks_.join();
    co_return 0;
  }

 private:
  io::Task<void> serve(attach::HandedSession session) {
    Served served(std::move(session));
    const auto memory = io::make_memory_file("memory");
    if (memory && ::ftruncate(memory->get(), 4096) == 0 && io::fix_size(*memory) &&
        served.link->attached(memory->get(), -1)) {
      io::TaskGroup reading(executor_);
      reading.spawn("input", read(&served), io::log_only);
      (void)co_await served.link->wait_gone();
      reading.cancel();
      co_await reading.join();
    }
    --sessions_;
    ended_.notify_all();
  }

  io::Task<void> read(Served* served) {
    // Asio makes what it waits for non-blocking, and a socket's flags are the host's too: it gets a
    // poller of the socket instead.
    const int poller = ::epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event{.events = EPOLLIN, .data = {}};
    (void)::epoll_ctl(poller, EPOLL_CTL_ADD, served->input.stream.get(), &event);
    io::ReadStream stream(executor_, io::Fd(poller));
    std::string rest;
    std::array<char, 4096> space{};
    for (;;) {
      if (!co_await stream.wait_for_bytes()) {
        co_return;
      }
      const ssize_t count =
          served->input.socket
              ? ::recv(served->input.stream.get(), space.data(), space.size(), MSG_DONTWAIT)
              : ::read(served->input.stream.get(), space.data(), space.size());
      if (count == 0) {
        served->link->over(0);
        co_return;
      }
      rest.append(space.data(), static_cast<std::size_t>(count < 0 ? 0 : count));
      for (std::size_t end = 0; (end = rest.find('\n')) != std::string::npos;
           rest.erase(0, end + 1)) {
        if (!served->obey(rest.substr(0, end), sessions_)) {
          co_return;
        }
      }
    }
  }

  io::Executor executor_;
  io::TaskGroup tasks_;
  io::Condition ended_;
  std::size_t sessions_ = 0;
};

int run_shared(const std::vector<std::string>& words) {
  io::ignore_broken_pipes();
  const auto check =
      words.at(3) == "greeting" ? attach::PeerCheck::by_greeting : attach::PeerCheck::by_kernel;
  const std::string name = words.at(4);
  return io::run([&](io::Executor executor) -> io::Task<int> {
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-capturing-lambda-coroutines): no coroutine itself
    auto* shared = new Shared(std::move(executor));  // lives as long as the process
    return shared->run(name, check);
  });
}

int run_front(const std::vector<std::string>& words) {
  auto environment = io::process_environment();
  auto woken = io::take_woken(environment);
  bool stays = false;
  bool greeting = false;
  for (std::size_t i = 2; i < words.size(); ++i) {
    stays = stays || words[i] == "--stay";
    greeting = greeting || words[i] == "--greeting";
  }
  attach::FrontRequest request;
  request.place = {.agent_folder = words.at(1), .runtime_folder = words.at(1)};
  request.shared_process = {
      words.at(0), shared_word, words.at(1), greeting ? "greeting" : "kernel"};
  request.arguments = words;
  request.folder = io::working_directory();
  request.environment = std::move(environment);
  request.traits = io::own_traits();
  request.woken = std::move(woken);
  request.waits = !stays;
  request.check = greeting ? attach::PeerCheck::by_greeting : attach::PeerCheck::by_kernel;
  auto outcome = attach::attach(std::move(request));
  if (const auto* over = std::get_if<attach::Over>(&outcome)) {
    return over->exit_status;
  }
  if (const auto* alone = std::get_if<attach::Alone>(&outcome)) {
    std::printf("alone: %s%s\n", alone->why.c_str(), alone->woken ? " (with a memory)" : "");
  } else {
    std::printf("stayed\n");
  }
  return 0;
}

int run_start_of_one_that_hangs(const std::vector<std::string>& words) {
  const io::Fd folder(::open(words.at(2).c_str(), O_DIRECTORY | O_CLOEXEC));
  const auto started =
      io::start_newborn({.arguments = {words.at(0), hanging_word, shared_word, words.at(2)},
                         .lock = folder.get(),
                         .folder = folder.get()},
                        Milliseconds(500));
  std::puts(started ? "ready" : started.error().message().c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (words.size() < 2) {
    return 64;
  }
  if (words[1] == hanging_word) {
    for (;;) {
      (void)::pause();
    }
  }
  if (words[1] == "start-one-that-hangs") {
    return run_start_of_one_that_hangs(words);
  }
  return words[1] == shared_word ? run_shared(words) : run_front(words);
}
