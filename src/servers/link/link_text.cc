#include "servers/link/link_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "mcp/methods.h"

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

std::string duration_text(Duration duration) {
  const std::int64_t milliseconds = std::chrono::duration_cast<Milliseconds>(duration).count();
  if (milliseconds % 1000 != 0) {
    return milliseconds < 10'000 ? std::to_string(milliseconds) + " ms"
                                 : std::to_string((milliseconds + 500) / 1000) + " s";
  }
  const std::int64_t seconds = milliseconds / 1000;
  if (seconds >= 3600 && seconds % 3600 == 0) {
    return std::to_string(seconds / 3600) + " h";
  }
  if (seconds > 60 && seconds % 60 == 0) {
    return std::to_string(seconds / 60) + " min";
  }
  return std::to_string(seconds) + " s";
}

std::string ended_text(const transport::LinkEnd& end, std::string_view when) {
  std::string text = end.reason.empty() ? "the link ended" : end.reason;
  text += " ";
  text += when;
  const std::string summary = stderr_summary(end.stderr_tail);
  return summary.empty() ? text : text + "; stderr: " + summary;
}

OverdueText overdue_text(const Overdue& overdue) {
  const std::string limit = duration_text(overdue.limit);
  const std::string method(overdue.method);
  if (!overdue.preparation.empty()) {
    return overdue.total
               ? OverdueText{.reason = overdue.preparation + " took longer than " + limit,
                             .advice = "a larger installTimeoutMs gives it more time"}
               : OverdueText{.reason = overdue.preparation + ": nothing has happened for " + limit,
                             .advice =
                                 "check the network; a larger startupTimeoutMs gives it more "
                                 "time"};
  }
  const bool running = overdue.total && overdue.method != mcp::method::initialize &&
                       !overdue.method.ends_with("/list");
  OverdueText text;
  text.reason = running ? method + " was still running after " + limit
                        : "no answer to " + method + " within " + limit;
  const std::string_view setting = running ? "requestTotalTimeoutMs"
                                   : overdue.method == mcp::method::initialize ? "startupTimeoutMs"
                                                                               : "requestTimeoutMs";
  text.advice = "a larger " + std::string(setting) + " gives it more time";
  return text;
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
