#include "json/edit.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::json {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view blanks = " \t";

// How the text is laid out.
struct Style {
  std::string line_end = "\n";
  std::string unit = "  ";  // one level of indentation
  bool one_line = false;    // everything stands on one line and wants to stay there
};

std::size_t end_of(Value value) {
  return value.offset() + value.raw().size();
}

std::size_t line_start(std::string_view text, std::size_t offset) {
  const std::size_t before = text.substr(0, offset).rfind('\n');
  return before == std::string_view::npos ? 0 : before + 1;
}

// The white space at the start of the line that holds `offset`.
std::string_view indentation(std::string_view text, std::size_t offset) {
  const std::string_view line = text.substr(line_start(text, offset));
  return line.substr(0, std::min(line.find_first_not_of(blanks), line.size()));
}

bool is_first_on_line(std::string_view text, std::size_t offset) {
  const std::size_t start = line_start(text, offset);
  return text.substr(start, offset - start).find_first_not_of(blanks) == std::string_view::npos;
}

// Behind white space (of the given kind) and comments.
std::size_t skip_trivia(std::string_view text, std::size_t offset, std::string_view space) {
  for (;;) {
    const std::size_t at = std::min(text.find_first_not_of(space, offset), text.size());
    const std::size_t behind = behind_comment(text, at);
    if (behind == at) {
      return at;
    }
    offset = behind;
  }
}

constexpr std::string_view any_space = " \t\r\n";

bool at_line_end(std::string_view text, std::size_t offset) {
  return offset == text.size() || text[offset] == '\n' || text.substr(offset).starts_with("\r\n");
}

// Where the comma behind a value stands.
std::optional<std::size_t> comma_behind(std::string_view text, std::size_t offset) {
  const std::size_t at = skip_trivia(text, offset, any_space);
  return at < text.size() && text[at] == ',' ? std::optional(at) : std::nullopt;
}

Style style_of(std::string_view text, Value root) {
  Style style;
  if (text.find("\r\n") != std::string_view::npos) {
    style.line_end = "\r\n";
  }
  for (const Member member : root.members()) {
    const std::size_t offset = member.key.offset();
    if (is_first_on_line(text, offset) && !indentation(text, offset).empty()) {
      style.unit = indentation(text, offset);
      break;
    }
  }
  style.one_line = root.size() > 0 && root.raw().find('\n') == std::string_view::npos;
  return style;
}

// A member (with a name) or an element (without) that is to be written.
struct Item {
  std::optional<std::string> name;
  Value value;
};

std::string item_text(const Item& item, const std::string& indent, const Style& style) {
  std::string out;
  if (item.name) {
    append_quoted(out, *item.name);
    out += ": ";
  }
  return out + (style.one_line ? compact(item.value)
                               : laid_out(item.value, style.line_end + indent, style.unit));
}

// The first and the last child of an object or array; without values when it has none.
std::pair<Member, Member> ends_of(Value container) {
  std::pair<Member, Member> ends;
  for (const Member child : container.children()) {
    ends = {ends.first.value ? ends.first : child, child};
  }
  return ends;
}

std::string insert_into_empty(std::string text,
                              Value container,
                              const Item& item,
                              const Style& style) {
  const std::size_t begin = container.offset() + 1;
  const std::size_t end = end_of(container) - 1;
  if (style.one_line) {
    return text.insert(begin, item_text(item, "", style));
  }
  const std::string outer(indentation(text, container.offset()));
  const std::string inner = outer + style.unit;
  // Comments inside stay, above the new child.
  std::string_view inside = std::string_view(text).substr(begin, end - begin);
  inside = inside.substr(0, inside.find_last_not_of(any_space) + 1);
  std::string replacement(inside);
  replacement += style.line_end + inner + item_text(item, inner, style) + style.line_end + outer;
  return text.replace(begin, end - begin, replacement);
}

std::string insert_last(std::string text, Value container, const Item& item, Style style) {
  const auto [first_child, last_child] = ends_of(container);
  const Value last = last_child.value;
  if (!last) {
    return insert_into_empty(std::move(text), container, item, style);
  }
  const std::size_t value_end = end_of(last);
  const std::optional<std::size_t> comma = comma_behind(text, value_end);
  if (container.raw().find('\n') == std::string_view::npos) {
    style.one_line = true;
    return comma ? text.insert(*comma + 1, " " + item_text(item, "", style))
                 : text.insert(value_end, ", " + item_text(item, "", style));
  }
  const std::size_t first = (first_child.key ? first_child.key : first_child.value).offset();
  const std::string indent = is_first_on_line(text, first)
                                 ? std::string(indentation(text, first))
                                 : std::string(indentation(text, container.offset())) + style.unit;
  const std::string line = style.line_end + indent + item_text(item, indent, style);
  // A comment behind the last child on its line stays with it.
  const std::size_t content_end = comma ? *comma + 1 : value_end;
  const std::size_t trivia_end = skip_trivia(text, content_end, blanks);
  const std::size_t at = at_line_end(text, trivia_end) ? trivia_end : content_end;
  text.insert(at, comma ? line + "," : line);
  return comma ? text : text.insert(value_end, ",");
}

// What stands at a path, and how far it exists.
struct Place {
  Value container;        // the deepest object there is
  std::size_t depth = 0;  // names of the path that lead to `container`
  Value value;            // absent when the path ends in nothing
};

Result<Place> locate(Value root, const MemberPath& path) {
  Place place{.container = root, .depth = 0, .value = root};
  for (std::size_t i = 0; i <= path.size(); ++i) {
    if (i == path.size()) {
      return place;
    }
    if (!place.value.is_object()) {
      const std::string where = i == 0 ? "the text" : "\"" + path[i - 1] + "\"";
      return fail(ErrorCode::invalid_argument,
                  where + " is not an object but " + kind_text(place.value.kind()) + ", so \"" +
                      path[i] + "\" cannot be in it");
    }
    place.container = place.value;
    place.depth = i;
    place.value = place.value.find(path[i]);
    if (!place.value) {
      return place;
    }
  }
  return place;
}

// `json` inside objects for the names of the path from `depth` on.
std::string wrapped(const MemberPath& path, std::size_t depth, std::string_view raw_json) {
  std::string out;
  for (std::size_t i = depth; i < path.size(); ++i) {
    out += "{" + quoted(path[i]) + ":";
  }
  out += raw_json;
  return out + std::string(path.size() - depth, '}');
}

constexpr ParseOptions with_comments{.syntax = Syntax::jsonc};

// A text that can be edited: its mark is put aside, and a blank one is made an object.
struct Editable {
  std::string_view mark;
  std::string text;
  Document document;
};

Result<Editable> open(std::string_view text) {
  Editable editable;
  if (text.starts_with(byte_order_mark)) {
    editable.mark = byte_order_mark;
    text.remove_prefix(byte_order_mark.size());
  }
  editable.text = text;
  if (text::trim(text).empty()) {
    editable.text = "{}\n";
  } else if (is_blank(text)) {
    editable.text += text.ends_with('\n') ? "{}\n" : "\n{}\n";
  }
  Result<Document> document = Document::parse(editable.text, with_comments);
  if (!document) {
    return fail(std::move(document).error());
  }
  editable.document = *std::move(document);
  return editable;
}

// Never hands out a text that does not say what it should: people's files are at stake.
Result<std::string> checked(std::string_view mark,
                            std::string text,
                            const MemberPath& path,
                            std::string_view wanted) {
  const Result<Document> document = Document::parse_view(text, with_comments);
  Value value = document ? document->root() : Value();
  for (const std::string& name : path) {
    value = value.find(name);
  }
  const bool removed = document && wanted.empty() && !value;
  if (!removed && (!value || compact(value) != wanted)) {
    return fail(ErrorCode::invalid_argument, "the text cannot be edited safely; change it by hand");
  }
  return std::string(mark) + std::move(text);
}

Result<Document> parse_item(std::string_view raw_json) {
  Result<Document> document = Document::parse(std::string(raw_json));
  return document ? std::move(document)
                  : fail(std::move(document).error().while_doing("the new value"));
}

std::string put(const Editable& editable, const Place& place, const MemberPath& path, Value value) {
  Style style = style_of(editable.text, editable.document.root());
  if (!place.value) {
    return insert_last(
        editable.text, place.container, {.name = path[place.depth], .value = value}, style);
  }
  style.one_line = style.one_line || place.container.raw().find('\n') == std::string_view::npos;
  const std::string indent(indentation(editable.text, place.value.offset()));
  std::string text = editable.text;
  return text.replace(place.value.offset(),
                      place.value.raw().size(),
                      item_text({.name = std::nullopt, .value = value}, indent, style));
}

// A member and its neighbours.
struct Found {
  Member member;
  Value before;  // value of the member before it
  bool has_next = false;
};

std::optional<Found> find_last(Value object, std::string_view name) {
  std::optional<Found> found;
  Value before;
  for (const Member member : object.members()) {
    if (found) {
      found->has_next = true;
    }
    if (member.key.equals(name)) {
      found = Found{.member = member, .before = before};
    }
    before = member.value;
  }
  return found;
}

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// What goes with a member: its comma, a comment behind it, and its line when nothing else is there.
Range range_of(std::string_view text, const Found& found) {
  Range range{.begin = found.member.key.offset(), .end = end_of(found.member.value)};
  if (const std::optional<std::size_t> comma = comma_behind(text, range.end)) {
    range.end = *comma + 1;
  }
  const std::size_t trivia_end = skip_trivia(text, range.end, blanks);
  if (at_line_end(text, trivia_end)) {
    range.end = trivia_end;
    if (is_first_on_line(text, range.begin)) {
      range.begin = line_start(text, range.begin);
      const std::size_t next_line = text.find('\n', range.end);
      range.end = next_line == std::string_view::npos ? text.size() : next_line + 1;
      return range;
    }
  } else if (found.has_next) {
    range.end = std::min(text.find_first_not_of(blanks, range.end), text.size());
    return range;
  }
  while (range.begin > 0 && blanks.find(text[range.begin - 1]) != std::string_view::npos) {
    --range.begin;
  }
  return range;
}

// The text without one member of `object`.
std::string without(std::string text, const Found& found) {
  const Range range = range_of(text, found);
  const bool had_comma = comma_behind(text, end_of(found.member.value)).has_value();
  const std::optional<std::size_t> comma_before =
      found.before ? comma_behind(text, end_of(found.before)) : std::nullopt;
  text.erase(range.begin, range.end - range.begin);
  if (comma_before && !found.has_next && !had_comma) {
    text.erase(*comma_before, 1);
  }
  return text;
}

// `{` line end `}` is written `{}`.
std::string collapsed(std::string text, const MemberPath& path) {
  const Result<Document> document = Document::parse_view(text, with_comments);
  Value object = document ? document->root() : Value();
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    object = object.find(path[i]);
  }
  const std::string_view raw = object.raw();
  if (object.is_object() && raw.size() > 2 &&
      raw.substr(1, raw.size() - 2).find_first_not_of(any_space) == std::string_view::npos) {
    text.replace(object.offset(), raw.size(), "{}");
  }
  return text;
}

Error empty_path() {
  return {ErrorCode::invalid_argument, "no member is named"};
}

}  // namespace

bool is_blank(std::string_view jsonc) {
  return skip_trivia(jsonc, 0, " \t\r\n\v\f") == jsonc.size();
}

Result<std::string> set_member(std::string_view text,
                               const MemberPath& path,
                               std::string_view raw_json) {
  if (path.empty()) {
    return fail(empty_path());
  }
  Result<Editable> editable = open(text);
  if (!editable) {
    return fail(std::move(editable).error());
  }
  const Result<Document> wanted = parse_item(raw_json);
  if (!wanted) {
    return fail(wanted.error());
  }
  const Result<Place> place = locate(editable->document.root(), path);
  if (!place) {
    return fail(place.error());
  }
  const std::size_t wrapped_from = place->value ? path.size() : place->depth + 1;
  const Result<Document> item = parse_item(wrapped(path, wrapped_from, compact(wanted->root())));
  if (!item) {
    return fail(item.error());
  }
  return checked(
      editable->mark, put(*editable, *place, path, item->root()), path, compact(wanted->root()));
}

Result<std::string> remove_member(std::string_view text, const MemberPath& path) {
  if (path.empty()) {
    return fail(empty_path());
  }
  bool removed = false;
  std::string current(text);
  for (;;) {
    Result<Editable> editable = open(current);
    if (!editable) {
      return fail(std::move(editable).error());
    }
    const Result<Place> place = locate(editable->document.root(), path);
    if (!place) {
      return fail(place.error());
    }
    const std::optional<Found> found =
        place->value ? find_last(place->container, path.back()) : std::nullopt;
    if (!found && !removed) {
      return fail(ErrorCode::not_found, "there is no \"" + path.back() + "\"");
    }
    if (!found) {
      return checked(editable->mark, std::move(editable->text), path, "");
    }
    // A name can be there twice; all of them go.
    removed = true;
    current = std::string(editable->mark) + collapsed(without(editable->text, *found), path);
  }
}

Result<std::string> append_element(std::string_view text,
                                   const MemberPath& path,
                                   std::string_view raw_json) {
  const Result<Document> wanted = parse_item(raw_json);
  if (!wanted) {
    return fail(wanted.error());
  }
  Result<Editable> editable = open(text);
  if (!editable) {
    return fail(std::move(editable).error());
  }
  const Result<Place> place = locate(editable->document.root(), path);
  if (!place) {
    return fail(place.error());
  }
  if (!place->value) {
    return set_member(text, path, "[" + compact(wanted->root()) + "]");
  }
  if (!place->value.is_array()) {
    return fail(ErrorCode::invalid_argument,
                "\"" + path.back() + "\" is not an array but " + kind_text(place->value.kind()));
  }
  std::string expected = compact(place->value);
  expected.pop_back();
  expected += (expected.size() == 1 ? "" : ",") + compact(wanted->root()) + "]";
  return checked(editable->mark,
                 insert_last(editable->text,
                             place->value,
                             {.name = std::nullopt, .value = wanted->root()},
                             style_of(editable->text, editable->document.root())),
                 path,
                 expected);
}

}  // namespace pi_mcp::json
