#include "cli/words/tool_arguments.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

// $ref and combinations are followed this deep; deeper is treated as unknown.
constexpr int depth_max = 8;

std::string quoted_word(std::string_view word) {
  constexpr std::size_t shown_max = 60;
  return "\"" + text::printable(text::cut(text::valid_utf8(word), shown_max)) + "\"";
}

// "#/$defs/x" inside the schema; absent for anything else.
json::Value resolve(json::Value root, std::string_view reference) {
  if (!reference.starts_with("#/")) {
    return {};
  }
  json::Value found = root;
  for (const std::string_view step : text::split(reference.substr(2), '/')) {
    found = found.find(text::replace_all(text::replace_all(step, "~1", "/"), "~0", "~"));
  }
  return found;
}

json::Value find_property(json::Value root, json::Value schema, std::string_view name, int depth) {
  if (depth == 0 || !schema.is_object()) {
    return {};
  }
  if (const json::Value property = schema.at({"properties", name})) {
    return property;
  }
  if (const json::Value reference = schema.find("$ref")) {
    return find_property(root, resolve(root, reference.string_or("")), name, depth - 1);
  }
  for (const char* combination : {"allOf", "anyOf", "oneOf"}) {
    for (const json::Value part : schema.find(combination).elements()) {
      if (const json::Value property = find_property(root, part, name, depth - 1)) {
        return property;
      }
    }
  }
  return {};
}

// The JSON types that a schema allows, as far as that is easy to tell.
struct Types {
  std::set<std::string, std::less<>> names;
  json::Value items;

  [[nodiscard]] bool has(std::string_view name) const { return names.contains(name); }
  [[nodiscard]] bool unknown() const { return names.empty(); }

  void add_name(std::string_view name) {
    constexpr std::array<std::string_view, 7> known = {
        "string", "integer", "number", "boolean", "null", "array", "object"};
    if (std::ranges::find(known, name) != known.end()) {
      names.emplace(name);
    }
  }

  [[nodiscard]] std::string wanted() const {
    std::vector<std::string> wants;
    for (const auto& [name, words] : {std::pair("integer", "a whole number"),
                                      std::pair("number", "a number"),
                                      std::pair("boolean", "true or false"),
                                      std::pair("array", "a JSON array"),
                                      std::pair("object", "a JSON object"),
                                      std::pair("null", "null")}) {
      if (has(name) && !(name == std::string_view("integer") && has("number"))) {
        wants.emplace_back(words);
      }
    }
    return text::join(wants, " or ");
  }
};

void collect_types(json::Value root, json::Value schema, Types& types, int depth);

void collect_each(json::Value root, json::Value schemas, Types& types, int depth) {
  for (const json::Value part : schemas.elements()) {
    collect_types(root, part, types, depth);
  }
}

void collect_named(json::Value type, Types& types) {
  if (type.is_string()) {
    types.add_name(type.string_or(""));
  }
  for (const json::Value name : type.elements()) {
    types.add_name(name.string_or(""));
  }
}

void collect_types(json::Value root, json::Value schema, Types& types, int depth) {
  if (depth == 0 || !schema.is_object()) {
    return;
  }
  if (const json::Value items = schema.find("items"); items && !types.items) {
    types.items = items;
  }
  if (const json::Value type = schema.find("type")) {
    collect_named(type, types);
    return;
  }
  for (const json::Value value : schema.find("enum").elements()) {
    types.add_name(json::kind_name(value.kind()));
  }
  if (const json::Value value = schema.find("const")) {
    types.add_name(json::kind_name(value.kind()));
  }
  if (const json::Value reference = schema.find("$ref")) {
    collect_types(root, resolve(root, reference.string_or("")), types, depth - 1);
  }
  for (const char* combination : {"anyOf", "oneOf", "allOf"}) {
    collect_each(root, schema.find(combination), types, depth - 1);
  }
  if (types.unknown()) {
    types.add_name(schema.find("items") ? "array" : schema.find("properties") ? "object" : "");
  }
}

bool is_whole(json::Value number) {
  // As JSON Schema has it, 2.0 is an integer; digits beyond 64 bits are one too.
  return number.as_int().has_value() || number.raw().find_first_of(".eE") == std::string_view::npos;
}

// The text as JSON when it is of an allowed type; string is not among them.
std::optional<std::string> as_json(const std::string& value, const Types& types) {
  const Result<json::Document> document = json::Document::parse_view(value);
  if (!document) {
    return std::nullopt;
  }
  const json::Value root = document->root();
  const bool fits = types.has(json::kind_name(root.kind())) ||
                    (types.has("integer") && root.is(json::Kind::number) && is_whole(root));
  return fits ? std::optional(std::string(root.raw())) : std::nullopt;
}

// One key with everything that was given for it.
struct Argument {
  std::string key;
  std::string json;                   // the value, unless it is an array of elements
  std::vector<std::string> elements;  // from each key=value of an array
  [[nodiscard]] bool is_array() const { return !elements.empty(); }
};

class Builder {
 public:
  explicit Builder(json::Value schema) : schema_(schema) {}

  Result<void> add(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || word.starts_with(":=")) {
      return not_an_argument(word);
    }
    if (word[equals - 1] == ':') {
      return add_json(word.substr(0, equals - 1), word.substr(equals + 1));
    }
    return add_text(word.substr(0, equals), word.substr(equals + 1));
  }

  std::string take() {
    json::Writer writer;
    writer.begin_object();
    for (const Argument& argument : arguments_) {
      if (argument.is_array()) {
        writer.member_raw(argument.key, "[" + text::join(argument.elements, ",") + "]");
      } else {
        writer.member_raw(argument.key, argument.json);
      }
    }
    return writer.end_object().take();
  }

 private:
  static tl::unexpected<Error> not_an_argument(const std::string& word) {
    return fail(
        ErrorCode::invalid_argument,
        quoted_word(word) + " is not an argument: write key=value, key:=JSON or one JSON object");
  }

  Result<void> add_json(const std::string& key, const std::string& value) {
    const Result<json::Document> document = json::Document::parse_view(value);
    if (!document) {
      return fail(ErrorCode::invalid_argument,
                  key + ":= wants JSON: " + document.error().message() + "; write " + key +
                      "=... for text");
    }
    return put({.key = key, .json = std::string(document->root().raw()), .elements = {}});
  }

  Result<void> add_text(const std::string& key, const std::string& value) {
    Types types;
    collect_types(schema_, property_schema(schema_, key), types, depth_max);
    if (types.unknown() || types.has("string")) {
      return put({.key = key, .json = json::quoted(value), .elements = {}});
    }
    if (std::optional<std::string> json = as_json(value, types)) {
      return put({.key = key, .json = *std::move(json), .elements = {}});
    }
    if (types.has("array") && !value.starts_with('[')) {
      return add_element(key, value, types.items);
    }
    return unfit(key, value, types);
  }

  Result<void> add_element(const std::string& key, const std::string& value, json::Value items) {
    Types types;
    collect_types(schema_, items, types, depth_max);
    std::string element = json::quoted(value);
    if (!types.unknown() && !types.has("string")) {
      std::optional<std::string> json = as_json(value, types);
      if (!json) {
        return unfit(key, value, types);
      }
      element = *std::move(json);
    }
    const auto known = std::ranges::find(arguments_, key, &Argument::key);
    if (known == arguments_.end()) {
      arguments_.push_back({.key = key, .json = "", .elements = {std::move(element)}});
      return {};
    }
    if (!known->is_array()) {
      return twice(key);
    }
    known->elements.push_back(std::move(element));
    return {};
  }

  Result<void> put(Argument argument) {
    if (std::ranges::find(arguments_, argument.key, &Argument::key) != arguments_.end()) {
      return twice(argument.key);
    }
    arguments_.push_back(std::move(argument));
    return {};
  }

  static tl::unexpected<Error> twice(std::string_view key) {
    return fail(ErrorCode::invalid_argument, quoted_word(key) + " is given twice");
  }

  static tl::unexpected<Error> unfit(std::string_view key,
                                     std::string_view value,
                                     const Types& types) {
    return fail(ErrorCode::invalid_argument,
                "argument " + quoted_word(key) + " must be " + types.wanted() + ", not " +
                    quoted_word(value));
  }

  json::Value schema_;
  std::vector<Argument> arguments_;
};

}  // namespace

bool reads_stdin(std::span<const std::string> words) {
  return words.size() == 1 && words.front() == "-";
}

bool wants_schema(std::span<const std::string> words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    const std::size_t equals = word.find('=');
    return !text::trim(word).starts_with('{') && equals != std::string::npos && equals > 0 &&
           word[equals - 1] != ':';
  });
}

Result<std::string> tool_arguments(std::span<const std::string> words, json::Value schema) {
  if (words.empty()) {
    return "";
  }
  const std::string_view first = text::trim(words.front());
  if (first.starts_with('{') || first.starts_with('[')) {
    if (words.size() > 1) {
      return fail(ErrorCode::invalid_argument,
                  "a JSON object must be the only argument, but " + quoted_word(words[1]) +
                      " follows it; put the object in quotes");
    }
    return checked_object(words.front(), "the argument");
  }
  Builder builder(schema);
  for (const std::string& word : words) {
    if (Result<void> added = builder.add(word); !added) {
      return fail(added.error());
    }
  }
  return builder.take();
}

Result<std::string> checked_object(std::string text, std::string_view where) {
  const Result<json::Document> document = json::Document::parse_view(text);
  if (!document) {
    return fail(ErrorCode::invalid_argument,
                std::string(where) + " is not JSON: " + document.error().message());
  }
  if (!document->root().is_object()) {
    return fail(ErrorCode::invalid_argument,
                std::string(where) + " must be a JSON object, not " +
                    std::string(json::kind_name(document->root().kind())));
  }
  return text;
}

json::Value property_schema(json::Value schema, std::string_view name) {
  return find_property(schema, schema, name, depth_max);
}

}  // namespace pi_mcp::cli
