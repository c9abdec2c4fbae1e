// TOML, for config/host_edit.h. A file is a list of statements: headers of tables, and keys with
// values. An entry is the statements whose path leads into it, or an item of an inline table.
#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"
#include "config/host_edit/commas.h"
#include "config/host_edit/format.h"
#include "config/host_edit/lines.h"
#include "config/toml.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::config::host_edit {
namespace {

using Path = std::vector<std::string>;

struct Statement {
  Path path;               // from the root
  std::size_t inside = 0;  // names of the path that the header above says; all of it for a header
  bool header = false;
  std::size_t begin = 0;
  std::size_t value = 0;  // where the value begins, unless it is a header
  std::size_t end = 0;    // without the comment behind it
};

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool starts_with(const Path& path, const Path& prefix) {
  return path.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

Path full_path(const EntryPlace& place) {
  Path path = place.at;
  path.push_back(place.name);
  return path;
}

std::string unquoted(std::string_view token) {
  const Result<json::Document> document = json::Document::parse_view(token);
  return document ? document->root().string_or(token)
                  : std::string(token.substr(1, token.size() - 2));
}

// Adds the names of a dotted key and gives where it ends, before `=` or `]`.
std::size_t read_key(std::string_view text, std::size_t at, Path& path) {
  for (;;) {
    at = std::min(text.find_first_not_of(blanks, at), text.size());
    if (at == text.size() || std::string_view("=]\r\n").find(text[at]) != std::string_view::npos) {
      return at;
    }
    const std::size_t end = behind_token(text, at, Grammar::toml);
    const std::string_view token = text.substr(at, end - at);
    if (token.front() == '"' || token.front() == '\'') {
      path.push_back(unquoted(token));
    } else {
      for (const std::string_view name : text::split(token, '.')) {
        if (!name.empty()) {
          path.emplace_back(name);
        }
      }
    }
    at = end;
  }
}

std::size_t behind_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  std::size_t end = at;
  for (;;) {
    at = depth == 0 ? std::min(text.find_first_not_of(blanks, at), text.size())
                    : skip_trivia(text, at, Grammar::toml, any_space);
    if (at == text.size() || (depth == 0 && (text[at] == '#' || at_line_end(text, at)))) {
      return end;
    }
    depth += text[at] == '[' || text[at] == '{' ? 1 : 0;
    depth -= depth > 0 && (text[at] == ']' || text[at] == '}') ? 1 : 0;
    at = end = behind_token(text, at, Grammar::toml);
  }
}

std::vector<Statement> statements_of(std::string_view text) {
  std::vector<Statement> all;
  Path table;
  for (std::size_t at = 0;;) {
    at = skip_trivia(text, at, Grammar::toml, any_space);
    if (at == text.size()) {
      return all;
    }
    Statement statement;
    statement.begin = at;
    statement.header = text[at] == '[';
    if (statement.header) {
      table.clear();
      const std::size_t brackets = text.substr(at).starts_with("[[") ? 2 : 1;
      const std::size_t close = read_key(text, at + brackets, table);
      statement.path = table;
      statement.end = std::min(close + brackets, text.size());
    } else {
      statement.path = table;
      const std::size_t equals = read_key(text, at, statement.path);
      statement.value = std::min(text.find_first_not_of(blanks, equals + 1), text.size());
      statement.end = std::max(behind_value(text, statement.value), at + 1);
    }
    statement.inside = table.size();
    at = statement.end;
    all.push_back(std::move(statement));
  }
}

bool is_blank_line(std::string_view text, std::size_t line) {
  return line < text.size() && at_line_end(text, text.find_first_not_of(blanks, line));
}

// The lines of the statements from `first` to `last` with what belongs to them: comments directly
// above and, for tables, comments directly below and empty lines.
Span lines_of(std::string_view text,
              const std::vector<Statement>& all,
              std::size_t first,
              std::size_t last) {
  const auto is_comment = [](std::string_view line) {
    return line.starts_with('#');
  };
  const std::size_t floor = first == 0 ? 0 : next_line(text, all[first - 1].end);
  Span span{.begin = comments_above(text, line_start(text, all[first].begin), floor, is_comment),
            .end = next_line(text, all[last].end)};
  if (!all[first].header) {
    return span;
  }
  std::size_t below = span.end;
  while (text.substr(below, text.find_first_not_of(blanks, below) - below + 1).ends_with('#')) {
    below = next_line(text, below);
  }
  if (below == text.size() || is_blank_line(text, below)) {
    span.end = below;
  }
  while (is_blank_line(text, span.end)) {
    span.end = next_line(text, span.end);
  }
  while (span.end == text.size() && span.begin > floor &&
         is_blank_line(text, line_start(text, span.begin - 1))) {
    span.begin = line_start(text, span.begin - 1);
  }
  return span;
}

// Runs of neighbouring statements that belong to the path: indices of the first and the last.
std::vector<std::pair<std::size_t, std::size_t>> runs_of(const std::vector<Statement>& all,
                                                         const Path& path) {
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (starts_with(all[i].path, path)) {
      if (!runs.empty() && runs.back().second + 1 == i) {
        runs.back().second = i;
      } else {
        runs.emplace_back(i, i);
      }
    }
  }
  return runs;
}

// The names of the entries, each where it first stands.
Path names_of(const std::vector<Statement>& all, const Path& at) {
  Path names;
  for (const Statement& statement : all) {
    if (statement.path.size() > at.size() && starts_with(statement.path, at) &&
        std::find(names.begin(), names.end(), statement.path[at.size()]) == names.end()) {
      names.push_back(statement.path[at.size()]);
    }
  }
  return names;
}

// The servers in an inline table.
struct Inline {
  Bracketed brackets;
  Path names;
};

std::optional<Inline> inline_at(std::string_view text, std::size_t open, Path rest) {
  for (;;) {
    std::optional<Bracketed> brackets = text.substr(open).starts_with('{')
                                            ? read_brackets(text, open, Grammar::toml)
                                            : std::nullopt;
    if (!brackets) {
      return std::nullopt;
    }
    Inline found{.brackets = *std::move(brackets), .names = {}};
    std::size_t deeper = text.size();
    for (const Item& item : found.brackets.items) {
      Path key;
      const std::size_t equals = read_key(text, item.begin, key);
      found.names.push_back(key.size() == 1 ? key.front() : "");
      if (!rest.empty() && found.names.back() == rest.front()) {
        deeper = std::min(text.find_first_not_of(blanks, equals + 1), text.size());
      }
    }
    if (rest.empty()) {
      return found;
    }
    open = deeper;
    rest.erase(rest.begin());
  }
}

std::optional<Inline> inline_servers(std::string_view text,
                                     const std::vector<Statement>& all,
                                     const Path& at) {
  for (const Statement& statement : all) {
    if (!statement.header && starts_with(at, statement.path)) {
      const auto known = static_cast<std::ptrdiff_t>(statement.path.size());
      return inline_at(text, statement.value, Path(at.begin() + known, at.end()));
    }
  }
  return std::nullopt;
}

void append_text(std::string& out, std::string_view text) {
  out += text::replace_all(json::quoted(text), "\x7f", "\\u007F");
}

std::string key_text(const Path& path, std::size_t from) {
  std::string out;
  for (std::size_t i = from; i < path.size(); ++i) {
    out += i == from ? "" : ".";
    const bool bare = !path[i].empty() && std::all_of(path[i].begin(), path[i].end(), [](char c) {
      return ascii::is_alphanumeric_or(c, "_-");
    });
    if (bare) {
      out += path[i];
    } else {
      append_text(out, path[i]);
    }
  }
  return out;
}

// NOLINTNEXTLINE(misc-no-recursion): the depth of JSON is limited by its parser.
std::string inline_text(json::Value value) {
  if (value.is_string()) {
    std::string out;
    append_text(out, value.string_or(""));
    return out;
  }
  if (!value.is_object() && !value.is_array()) {
    return std::string(value.raw());
  }
  std::string out;
  for (const json::Member child : value.children()) {
    out += out.empty() ? "" : ", ";
    out += child.key ? key_text({child.name()}, 0) + " = " : "";
    out += inline_text(child.value);
  }
  return value.is_array() ? "[" + out + "]" : out.empty() ? "{}" : "{ " + out + " }";
}

// NOLINTNEXTLINE(misc-no-recursion): the depth of JSON is limited by its parser.
void append_table(std::string& out, Path& path, json::Value object, std::string_view line_end) {
  out += "[" + key_text(path, 0) + "]" + std::string(line_end);
  const auto is_table = [](json::Value value) {
    return value.is_object() && value.size() > 0;
  };
  for (const json::Member member : object.members()) {
    if (!is_table(member.value)) {
      out += key_text({member.name()}, 0) + " = " + inline_text(member.value);
      out += line_end;
    }
  }
  for (const json::Member member : object.members()) {
    if (is_table(member.value)) {
      out += line_end;
      path.push_back(member.name());
      append_table(out, path, member.value, line_end);
      path.pop_back();
    }
  }
}

// NOLINTNEXTLINE(misc-no-recursion): the depth of JSON is limited by its parser.
bool has_null(json::Value value) {
  for (const json::Member child : value.children()) {
    if (child.value.kind() == json::Kind::null || has_null(child.value)) {
      return true;
    }
  }
  return false;
}

// Whole lines at the start of a line; tables are kept apart by an empty one.
std::string with_block(std::string text, std::size_t at, std::string block) {
  const std::string line_end(line_end_of(text));
  const bool table = block.find_first_of("#[") == 0;
  if (at > 0 && text[at - 1] != '\n') {
    text.insert(at, line_end);
    at += line_end.size();
  }
  if (table && at < text.size() && !is_blank_line(text, at)) {
    block += line_end;
  }
  if (table && at > 0 && !is_blank_line(text, line_start(text, at - 1))) {
    block.insert(0, line_end);
  }
  return text.insert(at, block);
}

Result<std::string> put_new(std::string_view text,
                            const EntryPlace& place,
                            const std::vector<Statement>& all,
                            json::Value value) {
  if (const std::optional<Inline> servers = inline_servers(text, all, place.at)) {
    std::optional<std::string> result =
        paste_item(std::string(text),
                   servers->brackets,
                   servers->names.size(),
                   key_text({place.name}, 0) + " = " + inline_text(value),
                   Grammar::toml);
    return result ? Result<std::string>(*std::move(result)) : fail(unsafe_edit());
  }
  std::size_t at = text.size();
  for (const auto& [first, last] : runs_of(all, place.at)) {
    for (std::size_t i = first; i <= last; ++i) {
      at = all[i].header ? lines_of(text, all, i, last).end : at;
    }
  }
  std::string block;
  Path path = full_path(place);
  append_table(block, path, value, line_end_of(text));
  return with_block(std::string(text), at, std::move(block));
}

Result<std::string> put(std::string_view text,
                        const EntryPlace& place,
                        std::string_view value_json) {
  const Result<json::Document> value = json::Document::parse_view(value_json);
  if (!value || has_null(value->root())) {
    return fail(ErrorCode::invalid_argument, "TOML has no null");
  }
  const std::vector<Statement> all = statements_of(text);
  const Path path = full_path(place);
  const auto runs = runs_of(all, path);
  std::string result(text);
  if (runs.empty()) {
    const std::optional<Inline> servers = inline_servers(text, all, place.at);
    const auto found = servers ? std::find(servers->names.begin(), servers->names.end(), place.name)
                               : Path::const_iterator();
    if (!servers || found == servers->names.end()) {
      return put_new(text, place, all, value->root());
    }
    const auto index = static_cast<std::size_t>(found - servers->names.begin());
    const Item& item = servers->brackets.items[index];
    return result.replace(item.begin,
                          item.end - item.begin,
                          key_text({place.name}, 0) + " = " + inline_text(value->root()));
  }
  for (std::size_t i = runs.size() - 1; i > 0; --i) {
    const Span span = lines_of(text, all, runs[i].first, runs[i].second);
    result.erase(span.begin, span.end - span.begin);
  }
  const Statement& first = all[runs.front().first];
  std::string block;
  if (first.header) {
    Path table = path;
    append_table(block, table, value->root(), line_end_of(text));
    block.erase(block.find_last_not_of("\r\n") + 1);
  } else {
    block = key_text(path, first.inside) + " = " + inline_text(value->root());
  }
  return result.replace(first.begin, all[runs.front().second].end - first.begin, block);
}

Result<Cut> cut(std::string_view text, const EntryPlace& place) {
  const std::vector<Statement> all = statements_of(text);
  const auto runs = runs_of(all, full_path(place));
  if (runs.empty()) {
    const std::optional<Inline> servers = inline_servers(text, all, place.at);
    const auto found = servers ? std::find(servers->names.begin(), servers->names.end(), place.name)
                               : Path::const_iterator();
    if (!servers || found == servers->names.end()) {
      return fail(unsafe_edit());
    }
    const auto index = static_cast<std::size_t>(found - servers->names.begin());
    std::optional<Cut> result =
        cut_item(text, servers->brackets, servers->names, index, Grammar::toml);
    return result ? Result<Cut>(*std::move(result)) : fail(unsafe_edit());
  }
  const Path names = names_of(all, place.at);
  const auto here = std::find(names.begin(), names.end(), place.name);
  Cut cut{.text = std::string(text),
          .piece = "",
          .next = here + 1 < names.end() ? *(here + 1) : "",
          .previous = here != names.begin() ? *(here - 1) : ""};
  for (std::size_t i = runs.size(); i > 0; --i) {
    const Span span = lines_of(text, all, runs[i - 1].first, runs[i - 1].second);
    cut.piece.insert(0, text.substr(span.begin, span.end - span.begin));
    cut.text.erase(span.begin, span.end - span.begin);
  }
  return cut;
}

Result<std::string> paste(std::string_view text, const EntryPlace& place, const Cut& cut) {
  const std::vector<Statement> all = statements_of(text);
  if (const std::optional<Inline> servers = inline_servers(text, all, place.at)) {
    std::optional<std::string> result = paste_item(std::string(text),
                                                   servers->brackets,
                                                   place_among(servers->names, cut),
                                                   cut.piece,
                                                   Grammar::toml);
    return result ? Result<std::string>(*std::move(result)) : fail(unsafe_edit());
  }
  const Path names = names_of(all, place.at);
  const std::size_t index = place_among(names, cut);
  Path neighbour = place.at;
  std::size_t at = text.size();
  if (!names.empty()) {
    neighbour.push_back(names[std::min(index, names.size() - 1)]);
    const auto runs = runs_of(all, neighbour);
    const auto& run = index < names.size() ? runs.front() : runs.back();
    const Span span = lines_of(text, all, run.first, run.second);
    at = index < names.size() ? span.begin : span.end;
  }
  std::string piece = cut.piece;
  piece.erase(piece.find_last_not_of(any_space) + 1);
  piece.erase(0, piece.find_first_not_of("\r\n"));
  return with_block(std::string(text), at, piece.append(line_end_of(text)));
}

}  // namespace

const Format toml_format{.to_json = toml_to_json, .put = put, .cut = cut, .paste = paste};

}  // namespace pi_mcp::config::host_edit
