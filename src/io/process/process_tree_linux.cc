// proc(5).
#include "io/process/process_tree.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "io/files/file.h"
#include "io/process/keeper.h"

namespace pi_mcp::io {
namespace {

// More than any server has; a limit because processes may multiply while they are counted.
constexpr std::size_t processes_max = 10'000;
constexpr std::size_t kilobyte = 1024;

std::string proc(int process, std::string_view file) {
  return "/proc/" + std::to_string(process) + "/" + std::string(file);
}

std::string text_of(const std::string& path) {
  const Result<std::optional<std::string>> text = read_file(path);
  return text ? text->value_or("") : "";
}

std::size_t number_of(std::string_view text) {
  std::size_t number = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), number);  // 0 for anything else
  return number;
}

// The number behind "Name:" in a file of /proc; nullopt without such a line.
std::optional<std::size_t> field(std::string_view text, std::string_view name) {
  for (const std::string_view line : text::split(text, '\n')) {
    if (line.starts_with(name)) {
      return number_of(text::trim(line.substr(name.size())));
    }
  }
  return std::nullopt;
}

std::string name_of(int process) {
  return std::string(text::trim(text_of(proc(process, "comm"))));
}

int parent_of(int process) {
  return static_cast<int>(field(text_of(proc(process, "status")), "PPid:").value_or(0));
}

// The keeper above a server, else the server itself.
int root_of(int process) {
  const int above = parent_of(process);
  return name_of(above) == keeper_name ? above : process;
}

// The file that a process runs, also when it has been replaced on disk; nullopt for one that has
// ended or is not ours.
std::optional<std::pair<dev_t, ino_t>> file_of(int process) {
  struct stat file{};
  const bool known = ::stat(proc(process, "exe").c_str(), &file) == 0;
  return known ? std::optional(std::pair(file.st_dev, file.st_ino)) : std::nullopt;
}

bool is_keeper(int process) {
  return name_of(process) == keeper_name && file_of(process).has_value();
}

// Whether the process runs this file, or has it open.
bool uses_file(int process, const std::pair<dev_t, ino_t>& wanted) {
  const auto is_it = [&](const std::string& path) {
    struct stat file{};
    return ::stat(path.c_str(), &file) == 0 && std::pair(file.st_dev, file.st_ino) == wanted;
  };
  return is_it(proc(process, "exe")) ||
         std::ranges::any_of(names_in(proc(process, "fd")), [&](const std::string& number) {
           return is_it(proc(process, "fd/" + number));
         });
}

// A keeper is a copy of the process above it, or runs the file that that one holds open for its
// keepers (light_keeper()).
bool is_left(int keeper) {
  const auto file = file_of(keeper);
  return file && !uses_file(parent_of(keeper), *file);
}

void add_children(int process, std::vector<int>& found) {
  for (const std::string& thread : names_in(proc(process, "task"))) {
    const std::string list = text_of(proc(process, "task/" + thread + "/children"));
    for (const std::string_view child : text::words(list)) {
      found.push_back(static_cast<int>(number_of(child)));
    }
  }
}

// The process and its descendants, parents first.
std::vector<int> tree_of(int root) {
  std::vector<int> processes{root};
  for (std::size_t i = 0; i < processes.size() && i < processes_max; ++i) {
    add_children(processes[i], processes);
  }
  return processes;
}

// Fields 14 and 15 of /proc/PID/stat, counted behind the name, which may hold anything
// (proc_pid_stat(5)).
std::uint64_t processor_ticks(int process) {
  constexpr std::size_t user_time = 11;
  constexpr std::size_t system_time = 12;
  const std::string stat = text_of(proc(process, "stat"));
  const std::size_t name_end = stat.rfind(") ");
  if (name_end == std::string::npos) {
    return 0;
  }
  const auto fields = text::split(std::string_view(stat).substr(name_end + 2), ' ');
  return fields.size() > system_time ? number_of(fields[user_time]) + number_of(fields[system_time])
                                     : 0;
}

// Pipes and sockets included (proc_pid_io(5)).
std::uint64_t moved_bytes(int process) {
  const std::string counters = text_of(proc(process, "io"));
  return field(counters, "rchar:").value_or(0) + field(counters, "wchar:").value_or(0);
}

// "socket:[INODE]", as /proc/PID/fd has it, of who listens there; empty: nobody.
std::string listening_socket(std::string_view name) {
  constexpr std::size_t flags = 3;
  constexpr std::size_t inode = 6;
  constexpr std::string_view listens = "00010000";  // __SO_ACCEPTCON
  const std::string table = text_of("/proc/net/unix");
  for (const std::string_view line : text::split(table, '\n')) {
    const std::vector<std::string_view> words = text::words(line);
    if (words.size() > inode + 1 && words[flags] == listens && words.back().ends_with(name) &&
        words.back().substr(0, words.back().size() - name.size()).ends_with('/')) {
      return "socket:[" + std::string(words[inode]) + "]";
    }
  }
  return "";
}

std::string link_target(const std::string& path) {
  std::array<char, 64> target{};
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  return {target.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

}  // namespace

int own_process_id() {
  return ::getpid();
}

std::vector<int> own_children() {
  std::vector<int> children;
  add_children(static_cast<int>(::getpid()), children);
  return children;
}

std::vector<LeftKeeper> left_keepers(std::string_view home) {
  const std::string variable = "HOME=" + std::string(home);
  std::vector<LeftKeeper> left;
  for (const std::string& name : names_in("/proc")) {
    const int process = static_cast<int>(number_of(name));
    if (process == 0 || !is_keeper(process) || !is_left(process)) {
      continue;
    }
    const std::string environment = text_of(proc(process, "environ"));
    const std::vector<std::string_view> variables = text::split(environment, '\0');
    if (std::ranges::find(variables, variable) != variables.end()) {
      std::vector<int> kept;
      add_children(process, kept);
      left.push_back({.process_id = process, .program = kept.empty() ? "" : name_of(kept[0])});
    }
  }
  return left;
}

bool kill_keeper(int process_id) {
  if (!is_keeper(process_id)) {
    return false;
  }
  std::vector<int> below = tree_of(process_id);
  below.erase(below.begin());
  // Those that have ended stay there while the keeper, which is stopped, does not wait for them.
  std::erase_if(below, [](int process) { return !file_of(process); });
  if (below.empty()) {
    below.push_back(process_id);
  }
  for (const int process : below) {
    (void)::kill(process, SIGKILL);  // who has ended meanwhile needs it no more
  }
  return true;
}

int process_listening_at(std::string_view name) {
  const std::string socket = listening_socket(name);
  if (socket.empty()) {
    return 0;
  }
  for (const std::string& number : names_in("/proc")) {
    const int process = static_cast<int>(number_of(number));
    const std::string files = proc(process, "fd");
    const auto is_it = [&](const std::string& file) {
      return link_target((files + '/').append(file)) == socket;
    };
    if (process != 0 && std::ranges::any_of(names_in(files), is_it)) {
      return process;
    }
  }
  return 0;
}

std::uint64_t work_of_tree(int process_id) {
  std::uint64_t work = 0;
  for (const int process : tree_of(process_id)) {
    work += processor_ticks(process) + moved_bytes(process);
  }
  return work;
}

std::optional<TreeUse> tree_use(int process_id) {
  TreeUse use;
  for (const int process : tree_of(root_of(process_id))) {
    // A process may end while it is looked at; then it counts as nothing.
    const std::optional<std::size_t> kilobytes =
        field(text_of(proc(process, "smaps_rollup")), "Pss:");
    if (kilobytes) {
      ++use.processes;
      use.memory_bytes += *kilobytes * kilobyte;
    }
  }
  return use.processes == 0 ? std::nullopt : std::optional(use);
}

}  // namespace pi_mcp::io
