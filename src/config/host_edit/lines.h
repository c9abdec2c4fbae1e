// Lines of a text. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace pi_mcp::config::host_edit {

constexpr std::string_view blanks = " \t";
constexpr std::string_view any_space = " \t\r\n";

inline std::size_t line_start(std::string_view text, std::size_t offset) {
  const std::size_t before = text.substr(0, offset).rfind('\n');
  return before == std::string_view::npos ? 0 : before + 1;
}

// Behind the line's end.
inline std::size_t next_line(std::string_view text, std::size_t offset) {
  const std::size_t end = text.find('\n', offset);
  return end == std::string_view::npos ? text.size() : end + 1;
}

// The white space at the start of the line that holds `offset`.
inline std::string_view indentation(std::string_view text, std::size_t offset) {
  const std::string_view line = text.substr(line_start(text, offset));
  return line.substr(0, std::min(line.find_first_not_of(blanks), line.size()));
}

inline bool is_first_on_line(std::string_view text, std::size_t offset) {
  const std::size_t start = line_start(text, offset);
  return text.substr(start, offset - start).find_first_not_of(blanks) == std::string_view::npos;
}

// Also for npos: nothing follows but blanks.
inline bool at_line_end(std::string_view text, std::size_t offset) {
  return offset >= text.size() || text[offset] == '\n' || text.substr(offset).starts_with("\r\n");
}

inline std::string_view line_end_of(std::string_view text) {
  return text.find("\r\n") == std::string_view::npos ? "\n" : "\r\n";
}

// Where the comment lines directly above the line that starts at `line` begin; nothing above
// `floor` is looked at. A comment line starts with one of the marks.
template <class IsComment>
std::size_t comments_above(std::string_view text,
                           std::size_t line,
                           std::size_t floor,
                           IsComment is_comment) {
  while (line > floor) {
    const std::size_t above = line_start(text, line - 1);
    std::string_view content = text.substr(above, line - above);
    content.remove_prefix(std::min(content.find_first_not_of(any_space), content.size()));
    if (above < floor || !is_comment(content.substr(0, content.find_last_not_of(any_space) + 1))) {
      break;
    }
    line = above;
  }
  return line;
}

}  // namespace pi_mcp::config::host_edit
