// Colour and alignment for people. Pure: whether a terminal is there is the caller's knowledge.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::cli {

// Wraps text in terminal attributes, or leaves it alone.
class Style {
 public:
  Style() = default;  // plain
  explicit Style(bool colour) : colour_(colour) {}

  [[nodiscard]] std::string bold(std::string_view text) const { return wrap("1", text); }
  [[nodiscard]] std::string dim(std::string_view text) const { return wrap("2", text); }
  [[nodiscard]] std::string red(std::string_view text) const { return wrap("31", text); }
  [[nodiscard]] std::string green(std::string_view text) const { return wrap("32", text); }
  [[nodiscard]] std::string yellow(std::string_view text) const { return wrap("33", text); }

 private:
  [[nodiscard]] std::string wrap(std::string_view code, std::string_view text) const;
  bool colour_ = false;
};

// A name from anywhere in quotation marks, safe to show.
std::string quoted(std::string_view name);

// Columns a text takes on a terminal: its code points, terminal attributes not counted.
std::size_t columns_of(std::string_view text);

// `text`, which has no attributes, cut to `columns`, the last of them an ellipsis.
std::string cut_to_columns(std::string_view text, std::size_t columns);

// Words in lines that fit, each behind `indent`; a word that is too long has a line of its own.
std::string wrapped(std::string_view text, std::string_view indent, std::size_t columns);

// `text` with every line that is longer than `columns` broken between words; what is left of it is
// indented further. A longer word stays whole.
std::string fitted(std::string_view text, std::size_t columns);

// Rows of cells; every column but the last is filled up to its widest cell.
class TextTable {
 public:
  explicit TextTable(std::size_t gap = 2) : gap_(gap) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // One line a row, each behind `indent`, no spaces at line ends. Nothing is filled up where a row
  // would be longer than `columns` with it.
  [[nodiscard]] std::string text(std::string_view indent = "",
                                 std::size_t columns = std::string::npos) const;

 private:
  std::size_t gap_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace pi_mcp::cli
