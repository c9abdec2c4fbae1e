#include "config/host_edit/commas.h"

#include <algorithm>

#include "config/host_edit/lines.h"
#include "json/document.h"

namespace pi_mcp::config::host_edit {
namespace {

std::size_t behind_comment(std::string_view text, std::size_t at, Grammar grammar) {
  if (grammar == Grammar::jsonc) {
    return json::behind_comment(text, at);
  }
  return text.substr(at).starts_with('#') ? std::min(text.find_first_of("\r\n", at), text.size())
                                          : at;
}

bool is_comment_line(std::string_view line, Grammar grammar) {
  return grammar == Grammar::jsonc ? line.starts_with("//") || (line.starts_with("/*") &&
                                                                line.find("*/") == line.size() - 2)
                                   : line.starts_with('#');
}

std::size_t behind_quotes(std::string_view text, std::size_t at, Grammar grammar) {
  const char quote = text[at];
  const std::string triple(3, quote);
  if (grammar == Grammar::toml && text.substr(at).starts_with(triple)) {
    std::size_t end = text.find(triple, at + 3);
    while (quote == '"' && end != std::string_view::npos && text[end - 1] == '\\') {
      end = text.find(triple, end + 1);
    }
    // Up to two more quotes belong to the string.
    return end == std::string_view::npos ? text.size()
                                         : std::min(text.find_first_not_of(quote, end), end + 5);
  }
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (text[at] == quote) {
      if (grammar != Grammar::yaml || quote == '"' || text.substr(at + 1, 1) != "'") {
        return at + 1;
      }
      ++at;
    }
  }
  return text.size();
}

// Behind a plain scalar of YAML, which may have spaces and quotes inside.
std::size_t behind_plain(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    const bool spaced = blanks.find(text[i - 1]) != std::string_view::npos;
    const bool colon = text[i] == ':' && (i + 1 == text.size() ||
                                          std::string_view(" \t\r\n,[]{}").find(text[i + 1]) !=
                                              std::string_view::npos);
    if (colon || std::string_view(",[]{}\r\n").find(text[i]) != std::string_view::npos ||
        (spaced && text[i] == '#')) {
      const std::size_t last = text.find_last_not_of(blanks, i - 1);
      return std::max(last, at) + 1;
    }
  }
  return text.size();
}

bool has_own_lines(std::string_view text, const Item& item, Grammar grammar) {
  return is_first_on_line(text, item.begin) &&
         at_line_end(text, skip_trivia(text, item.behind, grammar, blanks));
}

// The item's lines with the comments above them, which nothing in front of `floor` belongs to.
std::size_t lines_begin(std::string_view text,
                        const Item& item,
                        std::size_t floor,
                        Grammar grammar) {
  return comments_above(
      text, line_start(text, item.begin), next_line(text, floor), [&](std::string_view line) {
        return is_comment_line(line, grammar);
      });
}

std::string collapsed(std::string text, std::size_t open) {
  const std::size_t close = text.find_first_not_of(any_space, open + 1);
  const std::string_view found = std::string_view(text).substr(std::min(close, text.size()), 1);
  if (found == "}" || found == "]") {
    text.erase(open + 1, close - open - 1);
  }
  return text;
}

}  // namespace

std::size_t skip_trivia(std::string_view text,
                        std::size_t at,
                        Grammar grammar,
                        std::string_view space) {
  for (;;) {
    at = std::min(text.find_first_not_of(space, at), text.size());
    const std::size_t behind = behind_comment(text, at, grammar);
    if (behind == at) {
      return at;
    }
    at = behind;
  }
}

std::size_t behind_token(std::string_view text, std::size_t at, Grammar grammar) {
  const char first = text[at];
  if (first == '"' || (first == '\'' && grammar != Grammar::jsonc)) {
    return behind_quotes(text, at, grammar);
  }
  if (std::string_view(",[]{}:=").find(first) != std::string_view::npos) {
    return at + 1;
  }
  const bool mark = std::string_view("!&*").find(first) != std::string_view::npos;
  if (grammar == Grammar::yaml && !mark) {
    return behind_plain(text, at);
  }
  const std::string_view ends = grammar == Grammar::yaml ? " \t\r\n,[]{}" : " \t\r\n,[]{}:=\"'/#";
  return std::min(text.find_first_of(ends, at + 1), text.size());
}

namespace {

// What a sign adds to the depth.
int nesting_of(char c) {
  return c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
}

// One more token of the last item, or the first of a new one.
void add_token(std::vector<Item>& items, bool is_first, std::size_t begin, std::size_t end) {
  if (is_first) {
    items.push_back({.begin = begin, .end = end, .behind = end});
  }
  items.back().end = items.back().behind = end;
}

}  // namespace

std::optional<Bracketed> read_brackets(std::string_view text, std::size_t open, Grammar grammar) {
  Bracketed found{.begin = open + 1, .end = 0, .items = {}};
  int depth = 0;
  bool inside = false;  // of an item
  for (std::size_t at = open + 1;;) {
    at = skip_trivia(text, at, grammar, any_space);
    if (at >= text.size()) {
      return std::nullopt;
    }
    const char c = text[at];
    if (nesting_of(c) < 0 && depth == 0) {
      found.end = at;
      return found;
    }
    const std::size_t end = behind_token(text, at, grammar);
    const bool is_comma = c == ',' && depth == 0;
    if (is_comma && !inside) {
      return std::nullopt;
    }
    if (is_comma) {
      found.items.back().behind = end;
    } else {
      add_token(found.items, !inside, at, end);
      depth += nesting_of(c);
    }
    inside = !is_comma;
    at = end;
  }
}

std::optional<Cut> cut_item(std::string_view text,
                            const Bracketed& brackets,
                            const std::vector<std::string>& names,
                            std::size_t index,
                            Grammar grammar) {
  const std::vector<Item>& items = brackets.items;
  if (items.size() != names.size()) {
    return std::nullopt;
  }
  const Item& item = items[index];
  const Item* const previous = index > 0 ? &items[index - 1] : nullptr;
  const bool has_next = index + 1 < items.size();
  std::size_t begin = item.begin;
  std::size_t end = skip_trivia(text, item.behind, grammar, blanks);
  std::size_t piece_end = item.end;
  if (has_own_lines(text, item, grammar)) {
    begin = lines_begin(text, item, previous ? previous->behind : brackets.begin, grammar);
    end = piece_end = next_line(text, end);
  } else {
    if (!at_line_end(text, end)) {
      end = has_next ? std::min(text.find_first_not_of(blanks, item.behind), text.size())
                     : item.behind;
    }
    while (!has_next && begin > 0 && blanks.find(text[begin - 1]) != std::string_view::npos) {
      --begin;
    }
  }
  const std::size_t piece_begin = piece_end == item.end ? item.begin : begin;
  Cut cut{.text = std::string(text),
          .piece = std::string(text.substr(piece_begin, piece_end - piece_begin)),
          .next = has_next ? names[index + 1] : "",
          .previous = previous ? names[index - 1] : ""};
  cut.text.erase(begin, end - begin);
  if (previous && previous->has_comma() && !has_next && !item.has_comma()) {
    cut.text.erase(previous->behind - 1, 1);
  }
  if (items.size() == 1) {
    cut.text = collapsed(std::move(cut.text), brackets.begin - 1);
  }
  return cut;
}

namespace {

// The text with the item on the line of its neighbours.
std::string pasted_inline(std::string text,
                          std::size_t begin,
                          const Item* previous,
                          const Item* next,
                          const std::string& item) {
  if (next) {
    return text.insert(next->begin, item + ", ");
  }
  if (!previous) {
    return text.insert(begin, item);
  }
  return previous->has_comma() ? text.insert(previous->behind, " " + item)
                               : text.insert(previous->end, ", " + item);
}

}  // namespace

std::optional<std::string> paste_item(std::string text,
                                      const Bracketed& brackets,
                                      std::size_t index,
                                      std::string_view piece,
                                      Grammar grammar) {
  const std::string line_end(line_end_of(text));
  const std::string wrapped = "{" + line_end + std::string(piece) + line_end + "}";
  const std::optional<Bracketed> inner = read_brackets(wrapped, 0, grammar);
  if (!inner || inner->items.size() != 1) {
    return std::nullopt;
  }
  const Item& core = inner->items.front();
  const std::string item = wrapped.substr(core.begin, core.end - core.begin);
  const std::vector<Item>& items = brackets.items;
  const Item* const next = index < items.size() ? &items[index] : nullptr;
  const Item* const previous = index > 0 ? &items[index - 1] : nullptr;
  const bool lines = piece.ends_with('\n') && (next || previous) &&
                     has_own_lines(text, next ? *next : *previous, grammar);
  if (!lines) {
    return pasted_inline(std::move(text), brackets.begin, previous, next, item);
  }
  std::string block(piece);
  const std::size_t core_end = core.end - 1 - line_end.size();
  const bool wants_comma = next || previous->has_comma();
  if (core.has_comma() && !wants_comma) {
    block.erase(core.behind - 2 - line_end.size(), 1);
  } else if (!core.has_comma() && wants_comma) {
    block.insert(core_end, ",");
  }
  if (next) {
    const std::size_t floor = previous ? previous->behind : brackets.begin;
    return text.insert(lines_begin(text, *next, floor, grammar), block);
  }
  text.insert(next_line(text, skip_trivia(text, previous->behind, grammar, blanks)), block);
  return previous->has_comma() ? text : text.insert(previous->end, ",");
}

std::size_t place_among(const std::vector<std::string>& names, const Cut& cut) {
  const auto next = std::find(names.begin(), names.end(), cut.next);
  if (!cut.next.empty() && next != names.end()) {
    return static_cast<std::size_t>(next - names.begin());
  }
  const auto previous = std::find(names.begin(), names.end(), cut.previous);
  const bool behind = !cut.previous.empty() && previous != names.end();
  return behind ? static_cast<std::size_t>(previous - names.begin()) + 1
         : cut.previous.empty() && !cut.next.empty() ? 0
                                                     : names.size();
}

}  // namespace pi_mcp::config::host_edit
