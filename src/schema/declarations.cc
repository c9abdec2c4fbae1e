#include "schema/declarations.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"
#include "json/writer.h"
#include "schema/index.h"
#include "schema/schema.h"

namespace pi_mcp::schema {
namespace {

constexpr std::size_t levels_max = 24;
constexpr std::size_t schema_bytes_max = std::size_t{1} << 20U;
constexpr std::uint64_t steps_max = 200'000;  // one, and one more for 64 bytes of a schema
constexpr std::size_t definitions_max = 1000;
constexpr std::size_t comment_characters_max = 4096;
constexpr std::size_t tag_characters_max = 200;
constexpr std::size_t columns_max = 100;

// `compound`: needs brackets as a part of something else.
struct Type {
  std::string text;
  bool compound = false;
};

std::string bracketed(const Type& type) {
  return type.compound ? "(" + type.text + ")" : type.text;
}

// Each once. With " | " an `unknown` takes all others in; with " & " it adds nothing.
Type joined(const std::vector<Type>& types, std::string_view sign) {
  const bool is_union = sign == " | ";
  std::vector<Type> parts;
  for (const Type& type : types) {
    const bool is_unknown = type.text == "unknown";
    if (is_unknown && is_union) {
      return type;
    }
    if (!is_unknown && std::ranges::find(parts, type.text, &Type::text) == parts.end()) {
      parts.push_back(type);
    }
  }
  if (parts.size() == 1) {
    return parts.front();
  }
  std::vector<std::string> texts(parts.size());
  std::ranges::transform(parts, texts.begin(), bracketed);
  const std::string nothing = is_union ? "never" : "unknown";
  return {.text = parts.empty() ? nothing : text::join(texts, sign), .compound = !parts.empty()};
}

std::vector<std::string> tags_of(json::Value schema) {
  constexpr std::array<std::string_view, 9> keywords = {"default",
                                                        "format",
                                                        "pattern",
                                                        "minimum",
                                                        "maximum",
                                                        "minLength",
                                                        "maxLength",
                                                        "minItems",
                                                        "maxItems"};
  std::vector<std::string> tags;
  for (const std::string_view keyword : keywords) {
    if (const json::Value value = schema.find(keyword)) {
      const std::string text = value.raw().size() > tag_characters_max
                                   ? std::string(value.raw().substr(0, tag_characters_max)) + "..."
                                   : json::compact(value);
      tags.push_back("@" + std::string(keyword) + " " + text);
    }
  }
  return tags;
}

// One schema with the definitions that it refers to.
class Emitter {
 public:
  Emitter(Declarations& file, std::string name, json::Value schema)
      : file_(file),
        root_name_(std::move(name)),
        index_(schema, no_options()),
        budget_(steps_max) {}

  // "export type X = ...;" of the schema itself, then of its definitions.
  std::string run() {
    aliases_.push_back({.name = root_name_, .place = index_.root(), .bare = {}});
    by_schema_.emplace(index_.root().schema.raw().data(), 0);
    std::string out;
    for (std::size_t i = 0; i < aliases_.size(); ++i) {  // grows meanwhile
      owner_ = i;
      std::string body = type(aliases_[i].place, 0).text;
      out += i == 0 ? "" : doc_comment(description_of(aliases_[i].place), {}, 0);
      out += "export type " + aliases_[i].name + " = " + body + ";\n\n";
    }
    return out;
  }
  [[nodiscard]] const std::set<std::string>& cuts() const { return cuts_; }

 private:
  struct Alias {
    std::string name;
    Place place;
    std::vector<std::size_t> bare;  // aliases that it names outside of members and elements
  };

  static const CompileOptions& no_options() {
    static const CompileOptions options;
    return options;
  }
  static std::string description_of(const Place& place) {
    return place.schema.find("description").string_or("");
  }
  static Type unknown() { return {.text = "unknown", .compound = false}; }

  Type cut(std::string why) {
    cuts_.insert(std::move(why));
    return unknown();
  }

  Type type(Place place, std::size_t indent) {
    const json::Value schema = place.schema;
    if (!schema.is_object()) {
      const bool never = schema.is(json::Kind::boolean) && !schema.bool_or(true);
      return {.text = never ? "never" : "unknown", .compound = false};
    }
    if (levels_ == levels_max) {
      return cut("deeper than " + std::to_string(levels_max) + " levels");
    }
    if (!budget_.spend(1 + schema.raw().size() / 64)) {
      return cut("too large");
    }
    ++levels_;
    std::vector<Type> parts = {own_type(place, indent)};
    if (const json::Value reference = schema.find("$ref")) {
      parts.push_back(alias(place.resource, reference.string_or("")));
    }
    for (const json::Value part : schema.find("allOf").elements()) {
      parts.push_back(type(index_.enter(part, place.resource), indent));
    }
    for (const std::string_view keyword : {"anyOf", "oneOf"}) {
      if (const json::Value variants = schema.find(keyword); variants.is_array()) {
        parts.push_back(union_of(variants, [&](json::Value variant) {
          return type(index_.enter(variant, place.resource), indent);
        }));
      }
    }
    --levels_;
    Type all = joined(parts, " & ");
    return schema.find("nullable").bool_or(false)  // OpenAPI 3.0
               ? joined({all, {.text = "null", .compound = false}}, " | ")
               : all;
  }

  // What the schema says beside references and combinations.
  Type own_type(Place place, std::size_t indent) {
    const json::Value schema = place.schema;
    if (const json::Value constant = schema.find("const")) {
      return literal(constant);
    }
    if (const json::Value allowed = schema.find("enum"); allowed.is_array()) {
      return union_of(allowed, literal);
    }
    const json::Value type = schema.find("type");
    return type.is_array()
               ? union_of(type, [&](json::Value name) { return named_type(name, place, indent); })
               : named_type(type, place, indent);
  }

  // The schema as if its type were `name`; an absent name is guessed.
  Type named_type(json::Value name, Place place, std::size_t indent) {
    const json::Value schema = place.schema;
    const bool has_members = schema.find("properties").is_object() ||
                             schema.find("required").size() > 0 ||
                             schema.find("additionalProperties").is_object();
    if (name.equals("object") || (!name && has_members)) {
      return object(place, indent);
    }
    if (name.equals("array") || (!name && (schema.find("items") || schema.find("prefixItems")))) {
      return array(place, indent);
    }
    for (const std::string_view same : {"string", "boolean", "null", "number"}) {
      if (name.equals(same)) {
        return {.text = std::string(same), .compound = false};
      }
    }
    return name.equals("integer") ? Type{.text = "number", .compound = false} : unknown();
  }

  // Inside of members and elements a type may name itself.
  Type inner_type(Place place, std::size_t indent) {
    const std::optional<std::size_t> owner = std::exchange(owner_, std::nullopt);
    Type inner = type(place, indent);
    owner_ = owner;
    return inner;
  }

  Type object(Place place, std::size_t indent) {
    const json::Value schema = place.schema;
    std::map<std::string, bool> required;  // false: not written yet
    for (const json::Value name : schema.find("required").elements()) {
      if (name.is_string()) {
        required.emplace(name.string_or(""), false);
      }
    }
    const std::string margin(indent + 2, ' ');
    std::string members;
    std::set<std::string> names;
    for (const json::Member member : schema.find("properties").members()) {
      const std::string name = member.name();
      if (!names.insert(name).second) {
        continue;
      }
      const json::Value value = schema.find("properties").find(name);  // the last one counts
      const auto wanted = required.find(name);
      const Place inner = index_.enter(value, place.resource);
      members += doc_comment(description_of(inner), tags_of(value), indent + 2);
      members += margin + member_name(name) + (wanted == required.end() ? "?: " : ": ");
      members += inner_type(inner, indent + 2).text + ";\n";
      if (wanted != required.end()) {
        wanted->second = true;
      }
    }
    for (const auto& [name, written] : required) {
      members += written ? "" : margin + member_name(name) + ": unknown;\n";
    }
    const std::string others = others_of(place, members.empty(), indent + 2);
    if (!others.empty()) {
      members += margin + "[key: string]: " + others + ";\n";
    }
    return {.text = "{\n" + members + std::string(indent, ' ') + "}", .compound = false};
  }

  // The type of members without a name of their own; empty: there are none.
  std::string others_of(Place place, bool is_alone, std::size_t indent) {
    const json::Value others = place.schema.find("additionalProperties");
    const bool patterns = place.schema.find("patternProperties").size() > 0;
    const bool closed = others.is(json::Kind::boolean) && !others.bool_or(true);
    if (patterns || (others && !closed && !is_alone)) {
      return "unknown";  // an index signature holds for the named members too
    }
    if (closed) {
      return is_alone ? "never" : "";
    }
    if (others) {
      return inner_type(index_.enter(others, place.resource), indent).text;
    }
    return is_alone ? "unknown" : "";
  }

  Type array(Place place, std::size_t indent) {
    const json::Value schema = place.schema;
    const json::Value items = schema.find("items");
    const bool old_tuple = items.is_array();
    const json::Value tuple = old_tuple ? items : schema.find("prefixItems");
    const json::Value rest = old_tuple ? schema.find("additionalItems") : items;
    const bool is_closed = rest.is(json::Kind::boolean) && !rest.bool_or(true);
    const auto element = [&](json::Value value) {
      return value ? inner_type(index_.enter(value, place.resource), indent) : unknown();
    };
    if (!tuple.is_array()) {
      return {.text = bracketed(element(rest)) + "[]", .compound = false};
    }
    const std::int64_t least = schema.find("minItems").as_int().value_or(0);
    std::vector<std::string> parts;
    for (const json::Value value : tuple.elements()) {
      const bool optional = std::cmp_greater_equal(parts.size(), least);
      parts.push_back(bracketed(element(value)) + (optional ? "?" : ""));
    }
    if (!is_closed) {
      parts.push_back("..." + bracketed(element(rest)) + "[]");
    }
    return {.text = "[" + text::join(parts, ", ") + "]", .compound = false};
  }

  template <class TypeOf>
  Type union_of(json::Value elements, TypeOf type_of) {
    std::vector<Type> types;
    for (const json::Value element : elements.elements()) {
      types.push_back(type_of(element));
    }
    return joined(types, " | ");
  }

  static Type literal(json::Value value) {
    if (value.is_object()) {
      return {.text = "{ [key: string]: unknown }", .compound = false};
    }
    if (value.is_array()) {
      return {.text = "unknown[]", .compound = false};
    }
    return {
        .text = value.is_string() ? string_literal(value.string_or("")) : std::string(value.raw()),
        .compound = false};
  }

  Type alias(ResourceId resource, const std::string& reference) {
    const std::optional<Target> target = index_.resolve(resource, reference);
    if (!target || !target->place.schema) {
      return cut("the reference " + text::shortened(text::printable_line(reference), 80) +
                 " leads nowhere");
    }
    if (aliases_.size() == definitions_max) {
      return cut("more than " + std::to_string(definitions_max) + " definitions");
    }
    const auto [known, is_new] =
        by_schema_.try_emplace(target->place.schema.raw().data(), aliases_.size());
    const std::size_t position = known->second;
    if (is_new) {
      const std::string last = reference.substr(reference.find_last_of("/#") + 1);
      aliases_.push_back({.name = file_.take_name(root_name_ + pascal_case(last)),
                          .place = target->place,
                          .bare = {}});
    }
    if (owner_ && reaches(position, *owner_)) {
      return unknown();  // the schema says of itself that it is itself, which says nothing
    }
    if (owner_) {
      aliases_[*owner_].bare.push_back(position);
    }
    return {.text = aliases_[position].name, .compound = false};
  }

  // TypeScript refuses a type that is itself before any member.
  [[nodiscard]] bool reaches(std::size_t from, std::size_t to) const {
    std::vector<bool> seen(aliases_.size());
    std::vector<std::size_t> todo = {from};
    while (!todo.empty()) {
      const std::size_t now = todo.back();
      todo.pop_back();
      if (now == to) {
        return true;
      }
      if (!seen[now]) {
        seen[now] = true;
        todo.insert(todo.end(), aliases_[now].bare.begin(), aliases_[now].bare.end());
      }
    }
    return false;
  }

  Declarations& file_;
  std::string root_name_;
  Index index_;
  WorkBudget budget_;
  std::size_t levels_ = 0;
  std::optional<std::size_t> owner_;  // the alias that is written, outside of members and elements
  std::vector<Alias> aliases_;        // the first is the schema itself
  std::map<const char*, std::size_t> by_schema_;
  std::set<std::string> cuts_;
};

bool is_identifier(std::string_view name) {
  return !name.empty() && !ascii::is_digit(name[0]) &&
         std::ranges::all_of(name, [](char c) { return ascii::is_alphanumeric_or(c, "_$"); });
}

std::string hex(char32_t point) {
  std::array<char, 8> digits{};
  const auto end =
      std::to_chars(digits.begin(), digits.end(), static_cast<std::uint32_t>(point), 16).ptr;
  return {digits.begin(), end};
}

void append_wrapped(std::string& out, std::string_view line, const std::string& margin) {
  std::size_t column = columns_max;
  for (const std::string_view word : text::words(line)) {
    const bool fits = column + 1 + word.size() <= columns_max;
    out += fits ? " " : (out.empty() ? "" : "\n") + margin + " * ";
    column = fits ? column + 1 + word.size() : margin.size() + 3 + word.size();
    out += word;
  }
}

}  // namespace

std::string pascal_case(std::string_view words) {
  std::string out;
  bool begins = true;
  for (const char c : words) {
    if (!ascii::is_alphanumeric_or(c, "")) {
      begins = true;
      continue;
    }
    out += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    begins = false;
  }
  return out.empty() || ascii::is_digit(out[0]) ? "X" + out : out;
}

std::string member_name(std::string_view name) {
  // `new(...)` would be a constructor.
  return is_identifier(name) && name != "new" ? std::string(name) : string_literal(name);
}

std::string string_literal(std::string_view text) {
  const std::string quoted = json::quoted(text);
  std::string out;
  for (std::size_t at = 0; at < quoted.size();) {
    const std::size_t begin = at;
    const char32_t point = text::next_code_point(quoted, at);
    out += text::is_control(point) || text::is_hidden_mark(point)
               ? "\\u{" + hex(point) + "}"
               : quoted.substr(begin, at - begin);
  }
  return out;
}

std::string doc_comment(std::string_view text,
                        const std::vector<std::string>& tags,
                        std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string lines;
  const std::string shown = text::shortened(text::printable(text), comment_characters_max);
  for (const std::string_view line : text::split(shown, '\n')) {
    append_wrapped(lines, line, margin);
  }
  for (const std::string& tag : tags) {
    lines += (lines.empty() ? "" : "\n") + margin + " * " + text::printable_line(tag);
  }
  if (lines.empty()) {
    return "";
  }
  lines = text::replace_all(lines, "*/", "*\\/");
  return lines.find('\n') == std::string::npos
             ? margin + "/** " + lines.substr(margin.size() + 3) + " */\n"
             : margin + "/**\n" + lines + "\n" + margin + " */\n";
}

std::string Declarations::take_name(const std::string& wanted) {
  std::string name = wanted;
  for (int number = 2; !names_.insert(name).second; ++number) {
    name = wanted + std::to_string(number);
  }
  return name;
}

void Declarations::declare(const std::string& name, json::Value schema) {
  if (schema.raw().size() > schema_bytes_max) {
    text_ += "export type " + name + " = unknown;\n\n";
    cuts_.push_back(name + ": larger than " + text::size_text(schema_bytes_max));
    return;
  }
  Emitter emitter(*this, name, schema);
  text_ += emitter.run();
  for (const std::string& cut : emitter.cuts()) {
    cuts_.emplace_back(name).append(": ").append(cut);
  }
}

}  // namespace pi_mcp::schema
