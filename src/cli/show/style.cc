#include "cli/show/style.h"

#include <algorithm>

#include "base/text.h"

namespace pi_mcp::cli {
namespace {

bool starts_code_point(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

}  // namespace

std::string Style::wrap(std::string_view code, std::string_view text) const {
  if (!colour_ || text.empty()) {
    return std::string(text);
  }
  std::string wrapped = "\x1b[";
  wrapped += code;
  wrapped += 'm';
  wrapped += text;
  wrapped += "\x1b[0m";
  return wrapped;
}

std::string quoted(std::string_view name) {
  return "\"" + text::printable(name) + "\"";
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = std::min(text.find('m', i), text.size() - 1);
      continue;
    }
    columns += starts_code_point(text[i]) ? 1 : 0;
  }
  return columns;
}

std::string cut_to_columns(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) {
    return std::string(text);
  }
  if (columns == 0) {
    return "";
  }
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    seen += starts_code_point(text[end]) ? 1 : 0;
    if (seen == columns) {
      break;
    }
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string wrapped(std::string_view text, std::string_view indent, std::size_t columns) {
  constexpr std::size_t room_min = 20;
  const std::size_t room = std::max(columns, columns_of(indent) + room_min) - columns_of(indent);
  std::string out;
  std::string line;
  for (const std::string_view word : text::split(text, ' ')) {
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > room) {
      out.append(indent).append(line).append("\n");
      line.clear();
    }
    line.append(line.empty() ? "" : " ").append(word);
  }
  return line.empty() ? out : out.append(indent).append(line).append("\n");
}

std::string fitted(std::string_view text, std::size_t columns) {
  std::string out;
  for (const std::string_view line : text::split(text, '\n')) {
    const std::size_t before = std::min(line.find_first_not_of(' '), line.size());
    const std::string indent(std::min(before + 2, columns / 2), ' ');
    std::size_t width = 0;
    bool is_blank = true;
    for (const std::string_view word : text::split(line, ' ')) {
      const std::size_t more = columns_of(word);
      if (!is_blank && more > 0 && width + 1 + more > columns) {
        out.erase(out.find_last_not_of(' ') + 1);
        out.append("\n").append(indent).append(word);
        width = indent.size() + more;
      } else {
        const bool is_first = word.data() == line.data();
        out.append(is_first ? "" : " ").append(word);
        width += more + (is_first ? 0 : 1);
      }
      is_blank = is_blank && word.empty();
    }
    out += '\n';
  }
  out.pop_back();  // split() gives the empty text behind the last end of a line, too
  return out;
}

std::string TextTable::text(std::string_view indent, std::size_t columns) const {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
    }
  }
  std::size_t widest = indent.size();
  for (const std::size_t width : widths) {
    widest += width + gap_;
  }
  const bool is_aligned = widest <= columns + gap_ || columns == std::string::npos;
  std::string out;
  for (const std::vector<std::string>& row : rows_) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append((is_aligned ? widths[i] - columns_of(row[i]) : 0) + gap_, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace pi_mcp::cli
