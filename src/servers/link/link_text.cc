#include "servers/link/link_text.h"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "base/text.h"
#include "mcp/lists.h"

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
         text.starts_with("note: run with `RUST_BACKTRACE") ||
         text.starts_with("Traceback (most recent call last)");
}

bool is_blank(std::string_view line) {
  return text::trim(line).empty();
}

bool begins_with_any(std::string_view line, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts,
                             [line](std::string_view start) { return line.starts_with(start); });
}

// "ModuleNotFoundError: ...", "Error: ...", "java.io.IOException: ...", "KeyError".
bool is_exception(std::string_view line) {
  const std::string_view name = line.substr(0, line.find(':'));
  return name.find(' ') == std::string_view::npos &&
         (name.ends_with("Error") || name.ends_with("Exception"));
}

// How surely a line says what went wrong; 0: it does not look like it.
int weight_of(std::string_view line) {
  if (begins_with_any(line,
                      {"panic: ",
                       "fatal error: ",
                       "Error occurred during initialization of VM",
                       "Exception in thread ",
                       "npm error 404",
                       "npm ERR! 404"}) ||
      line.find("panicked at") != std::string_view::npos) {
    return 3;
  }
  if (is_exception(line) || line.starts_with("Uncaught ")) {
    return 2;
  }
  return begins_with_any(line, {"npm error code ", "npm ERR! code ", "error: ", "fatal: "}) ? 1 : 0;
}

// Of what ends a program the first counts, of exceptions the last: those before led to it.
std::vector<std::string_view>::const_iterator headline(const std::vector<std::string_view>& lines) {
  auto best = lines.end();
  int most = 0;
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    const int weight = weight_of(text::trim(*line));
    if (weight > most || (weight == most && weight == 2)) {
      most = weight;
      best = line;
    }
  }
  return best;
}

template <class Skip>
std::vector<std::string> telling_lines(std::string_view tail, Skip skip) {
  const std::vector<std::string_view> all = text::split(tail, '\n');
  const auto first = headline(all);
  std::vector<std::string> lines;
  const auto add = [&lines](std::string_view line) {
    lines.push_back(text::cut(text::trim(line), line_units_max));
  };
  const std::size_t others_max = summary_lines - (first == all.end() ? 0 : 1);
  for (auto line = all.end(); line != all.begin() && lines.size() < others_max;) {
    --line;
    if (line != first && !skip(*line)) {
      add(*line);
    }
  }
  if (first != all.end()) {
    add(*first);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

// Of stdout, where most lines are banners, only what says that something went wrong, and the line
// below it: of a JVM that cannot start that one has the reason.
std::string telling_summary(std::string_view tail) {
  const std::string printable = text::printable(tail);
  const std::vector<std::string_view> lines = text::split(printable, '\n');
  const auto first = headline(lines);
  if (first == lines.end()) {
    return {};
  }
  std::string summary = text::cut(text::trim(*first), line_units_max);
  const auto next = first + 1;
  if (next != lines.end() && !is_noise(*next)) {
    summary += " | " + text::cut(text::trim(*next), line_units_max);
  }
  return summary;
}

}  // namespace

std::string stderr_summary(std::string_view tail) {
  const std::string printable = text::printable(tail);
  std::vector<std::string> lines = telling_lines(printable, is_noise);
  if (lines.empty()) {
    lines = telling_lines(printable, is_blank);
  }
  return text::join(lines, " | ");
}

std::string start_failure_text(std::string reason,
                               const transport::LinkEnd& so_far,
                               const transport::LinkCounters& counters,
                               const std::string& advice) {
  if (so_far.is_remote || reason.ends_with(mcp::author_mends)) {
    return reason;
  }
  if (reason.find("; stderr: ") == std::string::npos) {
    const std::string summary = stderr_summary(so_far.stderr_tail);
    const std::string on_stdout = summary.empty() ? telling_summary(so_far.stdout_tail) : "";
    reason += !summary.empty()     ? "; stderr: " + summary
              : !on_stdout.empty() ? "; stdout: " + on_stdout
                                   : "; it wrote nothing to stderr, run its command in a shell to "
                                     "see why";
  }
  if (counters.junk_lines > 0) {
    reason += counters.junk_lines == 1 ? "; a line on its stdout was no MCP message"
                                       : "; " + std::to_string(counters.junk_lines) +
                                             " lines on its stdout were no MCP messages";
    reason += ": is it an MCP server on stdio?";
  }
  return advice.empty() ? reason : reason + "; " + advice;
}

Error link_failure(const Error& error,
                   const transport::LinkEnd& so_far,
                   const transport::Transport& link) {
  const transport::StartAdvice advice = link.start_advice();
  Error failure =
      error.saying(start_failure_text(error.message(), so_far, link.counters(), advice.text));
  return advice.remedy ? std::move(failure).with(*advice.remedy) : failure;
}

}  // namespace pi_mcp::servers
