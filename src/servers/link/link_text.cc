#include "servers/link/link_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"

namespace pi_mcp::servers {
namespace {

constexpr std::size_t summary_lines = 3;
constexpr std::size_t line_units_max = 300;

// What Node, Python, Go, Java and Rust put around the line that says what went wrong.
bool is_noise(std::string_view line) {
  const std::string_view text = text::trim(line);
  const bool indented = !line.empty() && (line.front() == ' ' || line.front() == '\t');
  return text.empty() || text.starts_with("at ") || text.starts_with("Node.js v") ||
         text.find_first_not_of("^~ ") == std::string_view::npos ||
         (indented && (text.starts_with("File \"") || text == "}" || text == "{")) ||
         text.starts_with("note: run with `RUST_BACKTRACE");
}

bool is_blank(std::string_view line) {
  return text::trim(line).empty();
}

template <class Skip>
std::vector<std::string> last_lines(std::string_view tail, Skip skip) {
  std::vector<std::string> lines;
  const std::vector<std::string_view> all = text::split(tail, '\n');
  for (auto line = all.rbegin(); line != all.rend() && lines.size() < summary_lines; ++line) {
    if (!skip(*line)) {
      lines.push_back(text::cut(text::trim(*line), line_units_max));
    }
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace

std::string stderr_summary(std::string_view tail) {
  const std::string printable = text::printable(tail);
  std::vector<std::string> lines = last_lines(printable, is_noise);
  if (lines.empty()) {
    lines = last_lines(printable, is_blank);
  }
  return text::join(lines, " | ");
}

std::string start_failure_text(std::string reason,
                               const transport::LinkEnd& so_far,
                               const transport::LinkCounters& counters,
                               const std::string& advice) {
  if (so_far.is_remote) {
    return reason;
  }
  if (reason.find("; stderr: ") == std::string::npos) {
    const std::string summary = stderr_summary(so_far.stderr_tail);
    reason += summary.empty()
                  ? "; it wrote nothing to stderr, run its command in a shell to see why"
                  : "; stderr: " + summary;
  }
  if (counters.junk_lines > 0) {
    reason += counters.junk_lines == 1 ? "; a line on its stdout was no MCP message"
                                       : "; " + std::to_string(counters.junk_lines) +
                                             " lines on its stdout were no MCP messages";
    reason += ": is it an MCP server on stdio?";
  }
  return advice.empty() ? reason : reason + "; " + advice;
}

std::string link_failure_text(std::string reason,
                              const transport::LinkEnd& so_far,
                              const transport::Transport& link) {
  return start_failure_text(std::move(reason), so_far, link.counters(), link.start_advice());
}

}  // namespace pi_mcp::servers
