// What tests of real processes share: waiting for a condition, temporary folders, the process
// table.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"

namespace pi_mcp::test {

// Longer than anything takes on a busy machine; only a failing test waits that long.
constexpr Milliseconds patience{20'000};

// Looks at the condition again and again until it holds; false when it never does.
template <class Predicate>
io::Task<bool> eventually(Predicate predicate) {
  constexpr Milliseconds pause{2};
  io::Condition never(co_await boost::asio::this_coro::executor);
  const TimePoint deadline = io::now() + patience;
  while (!predicate() && io::now() < deadline) {
    (void)co_await never.wait_until(io::now() + pause);
  }
  co_return predicate();
}

// A zombie counts as gone: whoever is its parent now decides when it leaves the table ("X" while it
// does).
inline bool is_alive(int process) {
  if (::kill(process, 0) != 0 && errno == ESRCH) {
    return false;
  }
  std::ifstream status("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(status, text);
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.find_first_of("ZX", name_end) != name_end + 2;
}

// Waits for the end of a process while the loop stands still, so that nothing on it learns of that.
inline bool gone_meanwhile(int process) {
  const TimePoint deadline = io::now() + patience;
  while (is_alive(process) && io::now() < deadline) {
    std::this_thread::yield();
  }
  return !is_alive(process);
}

inline std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

inline std::vector<int> child_processes() {
  std::ifstream file("/proc/thread-self/children");
  std::vector<int> processes;
  for (int process = 0; file >> process;) {
    processes.push_back(process);
  }
  return processes;
}

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "pi-mcp-test-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
      std::abort();
    }
    path_ = pattern;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  TempFolder(TempFolder&&) = delete;
  TempFolder& operator=(TempFolder&&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::string text(const std::string& name) const {
    std::ifstream stream(file(name));
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  [[nodiscard]] std::vector<int> numbers(const std::string& name) const {
    std::ifstream stream(file(name));
    std::vector<int> numbers;
    for (int number = 0; stream >> number;) {
      numbers.push_back(number);
    }
    return numbers;
  }

 private:
  std::string path_;
};

}  // namespace pi_mcp::test
