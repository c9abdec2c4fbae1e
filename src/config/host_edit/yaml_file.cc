// YAML, for config/host_edit.h. In block style an entry is lines, up to where the next thing begins
// that yaml-cpp has found; in flow style it is an item between brackets.
#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"
#include "config/host_edit/commas.h"
#include "config/host_edit/format.h"
#include "config/host_edit/lines.h"
#include "config/yaml.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::config::host_edit {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view indent_unit = "  ";

// One entry of a map or list.
struct Child {
  std::string name;
  std::size_t begin = 0;  // its key, or its dash
  const YamlNode* value = nullptr;
};

// A map or list on the way to the servers, or theirs.
struct Level {
  const YamlNode* node = nullptr;
  std::size_t depth = 0;  // 0: the root
  std::size_t key = 0;    // where its own key begins
  std::size_t limit = 0;  // where the next thing behind it begins
  std::vector<Child> children;

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    all.reserve(children.size());
    for (const Child& child : children) {
      all.push_back(child.name);
    }
    return all;
  }
  [[nodiscard]] std::size_t index_of(const std::string& name) const {
    const std::vector<std::string> all = names();
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), name) - all.begin());
  }
  [[nodiscard]] std::size_t limit_of(std::size_t index) const {
    return index + 1 < children.size() ? children[index + 1].begin : limit;
  }
};

using Levels = std::vector<Level>;  // from the root down, as far as the path is there

// The dash in front of an item of a block list.
std::size_t dash_of(std::string_view text, const YamlNode& item) {
  const std::size_t dash = text.substr(0, item.at).find_last_not_of(any_space);
  return dash != std::string_view::npos && text[dash] == '-' ? dash : item.at;
}

std::vector<Child> children_of(std::string_view text, const YamlNode& node) {
  std::vector<Child> all;
  const std::vector<YamlNode>& nodes = node.children;
  if (node.kind == Kind::map) {
    for (std::size_t i = 0; i + 1 < nodes.size(); i += 2) {
      all.push_back({.name = nodes[i].text, .begin = nodes[i].at, .value = &nodes[i + 1]});
    }
    return all;
  }
  for (const YamlNode& item : nodes) {
    Child child{.name = "", .begin = node.flow ? item.at : dash_of(text, item), .value = &item};
    for (std::size_t i = 0; item.kind == Kind::map && i + 1 < item.children.size(); i += 2) {
      child.name = item.children[i].text == "name" ? item.children[i + 1].text : child.name;
    }
    all.push_back(std::move(child));
  }
  return all;
}

Levels levels_of(std::string_view text, const YamlNode& root, const std::vector<std::string>& at) {
  Levels levels;
  std::size_t end = text.find("\n...");  // the mark of a document's end
  end = end == std::string_view::npos ? text.size() : end + 1;
  Level level{.node = &root, .depth = 0, .key = 0, .limit = end, .children = {}};
  for (std::size_t depth = 0;; ++depth) {
    level.children = children_of(text, *level.node);
    levels.push_back(level);
    const std::size_t index = depth < at.size() ? level.index_of(at[depth]) : level.children.size();
    if (index == level.children.size() || level.node->kind != Kind::map) {
      return levels;
    }
    level = {.node = level.children[index].value,
             .depth = depth + 1,
             .key = level.children[index].begin,
             .limit = level.limit_of(index),
             .children = {}};
  }
}

bool is_comment(std::string_view line) {
  return line.starts_with('#');
}

struct Span {
  std::size_t begin = 0;  // of the comments above
  std::size_t own = 0;    // of the entry's own first line
  std::size_t end = 0;
};

// Behind the lines of a child in block style. Comments below that are indented deeper than its key
// are its own.
std::size_t lines_end(std::string_view text, const Level& level, std::size_t index) {
  const std::size_t key = level.children[index].begin;
  const std::size_t column = key - line_start(text, key);
  const std::size_t limit = level.limit_of(index);
  std::size_t end = limit == text.size() ? limit : line_start(text, limit);
  while (end > next_line(text, key)) {
    const std::size_t line = line_start(text, end - 1);
    const std::string_view content = text::trim(text.substr(line, end - line));
    const bool outside = is_comment(content) && indentation(text, line).size() <= column;
    if (!content.empty() && !outside) {
      break;
    }
    end = line;
  }
  return end;
}

Span lines_of(std::string_view text, const Level& level, std::size_t index) {
  const std::size_t own = line_start(text, level.children[index].begin);
  const std::size_t parent = level.depth == 0 ? 0 : next_line(text, level.key);
  const std::size_t floor = index > 0 ? lines_end(text, level, index - 1) : parent;
  return {.begin = comments_above(text, own, std::min(floor, own), is_comment),
          .own = own,
          .end = lines_end(text, level, index)};
}

// Whether each entry has lines of its own.
bool is_block(std::string_view text, const Level& level) {
  return !level.node->flow && !level.children.empty() &&
         std::all_of(level.children.begin(), level.children.end(), [&](const Child& child) {
           return is_first_on_line(text, child.begin);
         });
}

bool is_plain_word(std::string_view word) {
  const auto fits = [](char c) {
    return ascii::is_alphanumeric_or(c, "_./@+=-");
  };
  const std::string lower = text::lower(word);
  for (const std::string_view other :
       {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}) {
    if (lower == other) {
      return false;
    }
  }
  return !word.empty() && (ascii::is_letter(word[0]) || word[0] == '/') &&
         std::all_of(word.begin(), word.end(), fits);
}

std::string scalar_text(json::Value value) {
  if (!value.is_string()) {
    return std::string(value.raw());
  }
  const std::string text = value.string_or("");
  return is_plain_word(text) ? text : text::replace_all(json::quoted(text), "\x7f", "\\u007F");
}

// NOLINTNEXTLINE(misc-no-recursion): the depth of JSON is limited by its parser.
std::string flow_text(json::Value value) {
  if (!value.is_object() && !value.is_array()) {
    return scalar_text(value);
  }
  std::string out;
  for (const json::Member child : value.children()) {
    out += out.empty() ? "" : ", ";
    out += child.key ? scalar_text(child.key) + ": " : "";
    out += flow_text(child.value);
  }
  return value.is_array() ? "[" + out + "]" : "{" + out + "}";
}

// Lines, each with `line` (line end and indentation) in front.
// NOLINTNEXTLINE(misc-no-recursion): the depth of JSON is limited by its parser.
void append_block(std::string& out, json::Value value, const std::string& line) {
  for (const json::Member child : value.children()) {
    out += line + (child.key ? scalar_text(child.key) + ":" : "-");
    const bool nested = child.value.size() > 0;
    if (!nested) {
      out += " " + flow_text(child.value);
      continue;
    }
    std::string inner;
    append_block(inner, child.value, line + std::string(indent_unit));
    // The first member of an item stands behind its dash.
    out += child.key ? inner : " " + inner.substr(line.size() + indent_unit.size());
  }
}

// An entry, and where it is to be put.
struct Wanted {
  std::string name;  // empty for an item of a list
  std::string json;
};

std::string block_of(const Wanted& wanted, std::string_view indent, std::string_view line_end) {
  const std::string whole = wanted.name.empty()
                                ? "[" + wanted.json + "]"
                                : "{" + json::quoted(wanted.name) + ":" + wanted.json + "}";
  const Result<json::Document> document = json::Document::parse_view(whole);
  std::string out;
  append_block(out,
               document ? document->root() : json::Value(),
               std::string(line_end) + std::string(indent));
  return out.substr(std::min(line_end.size(), out.size())) + std::string(line_end);
}

std::string flow_of(const Wanted& wanted) {
  const Result<json::Document> document = json::Document::parse_view(wanted.json);
  const std::string key = json::quoted(wanted.name);
  const Result<json::Document> name = json::Document::parse_view(key);
  return !document || !name    ? ""
         : wanted.name.empty() ? flow_text(document->root())
                               : scalar_text(name->root()) + ": " + flow_text(document->root());
}

// Behind the colon of a key.
std::optional<std::size_t> behind_colon(std::string_view text, std::size_t key) {
  if (key >= text.size()) {
    return std::nullopt;
  }
  const std::size_t colon = text.find_first_not_of(blanks, behind_token(text, key, Grammar::yaml));
  return text.substr(std::min(colon, text.size())).starts_with(':') ? std::optional(colon + 1)
                                                                    : std::nullopt;
}

std::string with_lines(std::string text, std::size_t at, std::string_view lines) {
  if (at > 0 && text[at - 1] != '\n') {
    const std::string_view line_end = line_end_of(text);
    text.insert(at, line_end);
    at += line_end.size();
  }
  return text.insert(at, lines);
}

// `lines` under the key of a map that has no entries yet, be it `{}` or nothing.
std::optional<std::string> filled(std::string text, const Level& level, std::string_view lines) {
  std::optional<std::size_t> at = behind_colon(text, level.key);
  if (!at) {
    return std::nullopt;
  }
  const std::size_t value = std::min(text.find_first_not_of(blanks, *at), text.size());
  if (level.node->kind != Kind::null) {
    const std::optional<Bracketed> empty = read_brackets(text, value, Grammar::yaml);
    if (value != level.node->at || !empty ||
        text.substr(empty->begin, empty->end - empty->begin).find_first_not_of(blanks) !=
            std::string::npos) {
      return std::nullopt;
    }
    text.erase(*at, empty->end + 1 - *at);
  } else if (!at_line_end(text, value) && text[value] != '#') {
    text.erase(*at, behind_token(text, value, Grammar::yaml) - *at);  // "null"
  }
  const std::size_t line = next_line(text, *at);
  return with_lines(std::move(text), line, lines);
}

std::optional<std::string> put_last(std::string_view text,
                                    const Levels& levels,
                                    const Wanted& wanted) {
  const Level& level = levels.back();
  const std::string_view line_end = line_end_of(text);
  const bool root = level.depth == 0;
  if (level.children.empty() && root && level.node->kind == Kind::null) {
    const std::size_t end = text.find("\n...");
    return with_lines(
        std::string(text),
        end == std::string_view::npos ? text.size() : end + 1,
        (text::trim(text).empty() ? "" : std::string(line_end)) + block_of(wanted, "", line_end));
  }
  if (is_block(text, level)) {
    const std::size_t last = level.children.size() - 1;
    return with_lines(std::string(text),
                      lines_of(text, level, last).end,
                      block_of(wanted, indentation(text, level.children[last].begin), line_end));
  }
  const bool in_block = !root && is_block(text, levels[levels.size() - 2]);
  if (level.children.empty() && in_block) {
    const std::string indent = std::string(indentation(text, level.key)) + std::string(indent_unit);
    if (auto done = filled(std::string(text), level, block_of(wanted, indent, line_end))) {
      return done;
    }
  }
  if (!level.node->flow) {
    return std::nullopt;
  }
  const std::optional<Bracketed> brackets = read_brackets(text, level.node->at, Grammar::yaml);
  return brackets ? paste_item(std::string(text),
                               *brackets,
                               brackets->items.size(),
                               flow_of(wanted),
                               Grammar::yaml)
                  : std::nullopt;
}

Result<std::string> done(std::optional<std::string> text) {
  return text ? Result<std::string>(*std::move(text)) : fail(unsafe_edit());
}

Result<std::string> put(std::string_view text,
                        const EntryPlace& place,
                        std::string_view value_json) {
  const Result<YamlNode> root = parse_yaml(text);
  if (!root) {
    return fail(root.error());
  }
  const Levels levels = levels_of(text, *root, place.at);
  const std::size_t depth = levels.size() - 1;
  const Level& level = levels.back();
  Wanted wanted{.name = place.list ? "" : place.name, .json = std::string(value_json)};
  if (depth < place.at.size()) {
    wanted.json = place.list ? "[" + wanted.json + "]"
                             : "{" + json::quoted(place.name) + ":" + wanted.json + "}";
    for (std::size_t i = place.at.size() - 1; i > depth; --i) {
      wanted.json = "{" + json::quoted(place.at[i]) + ":" + wanted.json + "}";
    }
    wanted.name = place.at[depth];
    return done(put_last(text, levels, wanted));
  }
  const std::size_t index = level.index_of(place.name);
  if (index == level.children.size()) {
    return done(put_last(text, levels, wanted));
  }
  std::string result(text);
  if (is_block(text, level)) {
    const Span span = lines_of(text, level, index);
    const std::string_view indent = indentation(text, level.children[index].begin);
    return result.replace(
        span.own, span.end - span.own, block_of(wanted, indent, line_end_of(text)));
  }
  const std::optional<Bracketed> brackets =
      level.node->flow ? read_brackets(text, level.node->at, Grammar::yaml) : std::nullopt;
  if (!brackets || brackets->items.size() != level.children.size()) {
    return fail(unsafe_edit());
  }
  const Item& item = brackets->items[index];
  return result.replace(item.begin, item.end - item.begin, flow_of(wanted));
}

// NOLINTNEXTLINE(misc-no-recursion): depth is limited by yaml-cpp.
bool has_alias(const YamlNode& node) {
  return node.kind == Kind::alias ||
         std::any_of(node.children.begin(), node.children.end(), has_alias);
}

Result<Cut> cut(std::string_view text, const EntryPlace& place) {
  const Result<YamlNode> root = parse_yaml(text);
  if (!root) {
    return fail(root.error());
  }
  const Levels levels = levels_of(text, *root, place.at);
  const Level& level = levels.back();
  const std::vector<std::string> names = level.names();
  const std::size_t index = level.index_of(place.name);
  if (levels.size() <= place.at.size() || index == names.size()) {
    return fail(unsafe_edit());
  }
  if (std::count(names.begin(), names.end(), place.name) > 1) {
    return fail(ErrorCode::invalid_argument,
                "\"" + place.name + "\" is there more than once; keep one of them");
  }
  if (has_alias(*level.children[index].value)) {
    return fail(ErrorCode::invalid_argument,
                "\"" + place.name +
                    "\" uses an alias (*) of something else in the file; write it "
                    "out to have it moved");
  }
  if (level.node->flow) {
    const std::optional<Bracketed> brackets = read_brackets(text, level.node->at, Grammar::yaml);
    std::optional<Cut> result =
        brackets ? cut_item(text, *brackets, names, index, Grammar::yaml) : std::nullopt;
    return result ? Result<Cut>(*std::move(result)) : fail(unsafe_edit());
  }
  if (!is_block(text, level)) {
    return fail(unsafe_edit());
  }
  Span span = lines_of(text, level, index);
  Cut cut{.text = std::string(text),
          .piece = std::string(text.substr(span.begin, span.end - span.begin)),
          .next = index + 1 < names.size() ? names[index + 1] : "",
          .previous = index > 0 ? names[index - 1] : ""};
  while (!cut.next.empty() && at_line_end(text, text.find_first_not_of(blanks, span.end))) {
    span.end = next_line(text, span.end);
  }
  cut.text.erase(span.begin, span.end - span.begin);
  const std::optional<std::size_t> colon = behind_colon(text, level.key);
  if (names.size() == 1 && !place.at.empty() && colon) {
    cut.text.insert(*colon, place.list ? " []" : " {}");
  }
  return cut;
}

Result<std::string> paste(std::string_view text, const EntryPlace& place, const Cut& cut) {
  const Result<YamlNode> root = parse_yaml(text);
  if (!root) {
    return fail(root.error());
  }
  const Levels levels = levels_of(text, *root, place.at);
  const Level& level = levels.back();
  if (levels.size() <= place.at.size()) {
    return fail(unsafe_edit());
  }
  const std::size_t index = place_among(level.names(), cut);
  if (level.node->flow && !level.children.empty()) {
    const std::optional<Bracketed> brackets = read_brackets(text, level.node->at, Grammar::yaml);
    return done(brackets ? paste_item(std::string(text), *brackets, index, cut.piece, Grammar::yaml)
                         : std::nullopt);
  }
  std::string lines(cut.piece);
  lines.erase(lines.find_last_not_of("\r\n") + 1);
  lines += line_end_of(text);
  if (level.children.empty()) {
    return done(filled(std::string(text), level, lines));
  }
  if (!is_block(text, level)) {
    return fail(unsafe_edit());
  }
  const std::size_t at = index < level.children.size()
                             ? lines_of(text, level, index).begin
                             : lines_of(text, level, level.children.size() - 1).end;
  return with_lines(std::string(text), at, lines);
}

Result<std::string> to_json(std::string_view text) {
  Result<std::string> json = yaml_to_json(text);
  return json && *json == "null" ? "{}" : std::move(json);
}

}  // namespace

const Format yaml_format{.to_json = to_json, .put = put, .cut = cut, .paste = paste};

}  // namespace pi_mcp::config::host_edit
