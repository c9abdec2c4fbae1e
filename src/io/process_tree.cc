#include "io/process_tree.h"

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "io/file.h"
#include "io/keeper.h"

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

// The keeper above a server, else the server itself.
int root_of(int process) {
  const std::size_t parent = field(text_of(proc(process, "status")), "PPid:").value_or(0);
  const int above = static_cast<int>(parent);
  return text::trim(text_of(proc(above, "comm"))) == keeper_name ? above : process;
}

void add_children(int process, std::vector<int>& found) {
  for (const std::string& thread : names_in(proc(process, "task"))) {
    const std::string list = text_of(proc(process, "task/" + thread + "/children"));
    for (const std::string_view child : text::words(list)) {
      found.push_back(static_cast<int>(number_of(child)));
    }
  }
}

}  // namespace

std::optional<TreeUse> tree_use(int process_id) {
  TreeUse use;
  std::vector<int> processes{root_of(process_id)};
  for (std::size_t i = 0; i < processes.size() && i < processes_max; ++i) {
    const int process = processes[i];
    // A process may end while it is looked at; then it counts as nothing.
    const std::optional<std::size_t> kilobytes =
        field(text_of(proc(process, "smaps_rollup")), "Pss:");
    if (kilobytes) {
      ++use.processes;
      use.memory_bytes += *kilobytes * kilobyte;
    }
    add_children(process, processes);
  }
  return use.processes == 0 ? std::nullopt : std::optional(use);
}

}  // namespace pi_mcp::io
