#include "cli/words/tool_arguments.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "cli/words/command_table.h"
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

// "maxResults", "max_results" and "max-results" are one name to people.
std::string folded(std::string_view name) {
  std::string out;
  for (const char c : text::lower(name)) {
    if (c != '-' && c != '_') {
      out += c;
    }
  }
  return out;
}

class Builder {
 public:
  Builder(json::Value schema, const ReadFile& read) : schema_(schema), read_(read) {}

  Result<void> add(const GivenArgument& given) {
    if (given.key.empty()) {
      return fail(ErrorCode::invalid_argument,
                  "a JSON object must be the only argument; put the object in quotes");
    }
    const Result<std::string> key = known_key(given);
    if (!key) {
      return fail(key.error());
    }
    switch (given.form) {
      case GivenArgument::Form::json:
        return add_json(*key, given.value);
      case GivenArgument::Form::file: {
        const Result<std::string> text = read_(given.value);
        return text ? add_text(*key, *text) : unreadable(*key, text.error());
      }
      case GivenArgument::Form::option:
        return put({.key = *key, .json = "true", .elements = {}});
      case GivenArgument::Form::literal:
        return add_literal(*key, given.value);
      default:
        return add_text(*key, given.value);
    }
  }

  // A value without a key is that of the first required parameter that was not given.
  Result<void> add_unnamed(GivenArgument given) {
    for (const json::Value name : schema_.find("required").elements()) {
      given.key = name.string_or("");
      if (!given.key.empty() && !has(given.key)) {
        return add(given);
      }
    }
    return fail(ErrorCode::invalid_argument,
                quoted_word(given.value) +
                    " is not an argument: write key=value, key:=JSON or one JSON object");
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
  [[nodiscard]] bool has(std::string_view key) const {
    return std::ranges::find(arguments_, key, &Argument::key) != arguments_.end();
  }

  // The parameter's own name for it, which decides its type.
  [[nodiscard]] Result<std::string> known_key(const GivenArgument& given) const {
    if (!given.with_dashes || !schema_ || property_schema(schema_, given.key)) {
      return given.key;
    }
    for (const json::Member member : schema_.find("properties").members()) {
      if (folded(member.name()) == folded(given.key)) {
        return member.name();
      }
    }
    const std::string option = "--" + given.key;
    const std::string_view nearest = nearest_option(&command(CommandId::call), option);
    if (nearest.empty()) {
      return given.key;
    }
    return fail(ErrorCode::invalid_argument,
                "unknown option " + option + "; did you mean " + std::string(nearest) +
                    "? See pi-mcp call --help");
  }

  static tl::unexpected<Error> unreadable(const std::string& key, const Error& error) {
    return fail(ErrorCode::invalid_argument,
                error.message() + "; for text that begins with @ write " + key + "=@@...");
  }

  // 5 and true are JSON where the schema does not say what they are.
  Result<void> add_literal(const std::string& key, const std::string& value) {
    Types types;
    collect_types(schema_, property_schema(schema_, key), types, depth_max);
    const bool is_json = types.unknown() && json::Document::parse_view(value);
    return is_json ? add_json(key, value) : add_text(key, value);
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
    if (has(argument.key)) {
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
  const ReadFile& read_;
  std::vector<Argument> arguments_;
};

}  // namespace

Parameters parameters_of(json::Value schema) {
  return {.has = [schema](std::string_view key) { return !!property_schema(schema, key); },
          .is_boolean =
              [schema](std::string_view key) {
                Types types;
                collect_types(schema, property_schema(schema, key), types, depth_max);
                return types.has("boolean") && !types.has("string");
              }};
}

Result<std::string> tool_arguments(const std::vector<GivenArgument>& given,
                                   json::Value schema,
                                   const ReadFile& read) {
  if (given.empty()) {
    return "";
  }
  const GivenArgument::Form first = given.front().form;
  const bool is_object = first == GivenArgument::Form::json && given.front().key.empty();
  if (given.size() == 1 && (is_object || first == GivenArgument::Form::object)) {
    return checked_object(given.front().value, "the argument");
  }
  if (given.size() == 1 && first == GivenArgument::Form::object_file) {
    const std::string& path = given.front().value;
    Result<std::string> text = read(path);
    return text ? checked_object(*std::move(text), path == "-" ? "stdin" : path) : text;
  }
  Builder builder(schema, read);
  std::vector<const GivenArgument*> unnamed;
  for (const GivenArgument& argument : given) {
    const bool named = !argument.key.empty() || argument.form == GivenArgument::Form::object ||
                       argument.form == GivenArgument::Form::object_file;
    if (!named) {
      unnamed.push_back(&argument);
    } else if (Result<void> added = builder.add(argument); !added) {
      return fail(added.error());
    }
  }
  for (const GivenArgument* argument : unnamed) {
    if (Result<void> added = builder.add_unnamed(*argument); !added) {
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
