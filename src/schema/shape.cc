// The TypeScript form of schema_render.h.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "json/writer.h"
#include "schema/render.h"
#include "schema/schema.h"
#include "schema/view.h"
#include "schema/wording.h"

namespace pi_mcp::schema {
namespace {

using schema::NamedPlace;
using schema::Place;
using schema::Target;
using schema::View;

// Beyond this the form with descriptions, which is cut where it is too long, says more.
constexpr std::size_t shape_bytes_max = std::size_t{16} << 10U;
constexpr std::size_t levels_max = 16;
constexpr std::uint64_t steps_max = 100'000;  // in the unit of View

using Text = std::optional<std::string>;

constexpr std::array<std::string_view, 5> unsayable = {
    "if", "then", "else", "not", "patternProperties"};

// What an object in an allOf may say and still be merged with the others.
constexpr std::array<std::string_view, 5> mergeable = {
    "type", "properties", "required", "additionalProperties", "allOf"};

// What makes a schema with a $ref more than that reference.
constexpr std::array<std::string_view, 7> beside_reference = {
    "properties", "required", "anyOf", "oneOf", "enum", "const", "items"};

constexpr std::array<std::string_view, 12> structural = {"type",
                                                         "properties",
                                                         "required",
                                                         "additionalProperties",
                                                         "allOf",
                                                         "anyOf",
                                                         "oneOf",
                                                         "enum",
                                                         "const",
                                                         "items",
                                                         "$ref",
                                                         "prefixItems"};

template <std::size_t N>
bool has_any(json::Value schema, const std::array<std::string_view, N>& keywords) {
  return std::any_of(keywords.begin(), keywords.end(), [schema](std::string_view keyword) {
    return schema.find(keyword).exists();
  });
}

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
  };
  const auto is_part = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
  };
  return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), is_part);
}

// Words that cannot name a type.
bool is_reserved(std::string_view name) {
  static const std::set<std::string_view> words = {
      "any",      "as",        "bigint",     "boolean",  "break",   "case",       "catch",
      "class",    "const",     "continue",   "debugger", "default", "delete",     "do",
      "else",     "enum",      "export",     "extends",  "false",   "finally",    "for",
      "function", "if",        "implements", "import",   "in",      "instanceof", "interface",
      "let",      "never",     "new",        "null",     "number",  "object",     "package",
      "private",  "protected", "public",     "return",   "static",  "string",     "super",
      "switch",   "symbol",    "this",       "throw",    "true",    "try",        "type",
      "typeof",   "undefined", "unknown",    "var",      "void",    "while",      "with",
      "yield"};
  return words.contains(name);
}

// "#/$defs/X" and "#/definitions/X" only.
bool is_definition(std::string_view reference) {
  for (const std::string_view start : {"#/$defs/", "#/definitions/"}) {
    if (reference.starts_with(start)) {
      const std::string_view name = reference.substr(start.size());
      return !name.empty() && name.find('/') == std::string_view::npos;
    }
  }
  return false;
}

class Shape {
 public:
  explicit Shape(json::Value schema) : index_(schema, no_options()), budget_(steps_max) {}

  Text run() && {
    const Text root = type(index_.root());
    if (!root || budget_.is_spent()) {
      return std::nullopt;
    }
    std::string out;
    for (const Alias& alias : aliases_) {
      out += "type " + alias.name + " = " + alias.body + ";\n";
    }
    out += (out.empty() ? "" : "\n") + *root;
    return out.size() > shape_bytes_max ? std::nullopt : Text(text::printable(out));
  }

 private:
  struct Alias {
    std::string name;
    std::string body;
  };

  static const CompileOptions& no_options() {
    static const CompileOptions options;
    return options;
  }

  Text type(Place place) {
    const json::Value schema = place.schema;
    if (schema.is(json::Kind::boolean)) {
      return schema.bool_or(false) ? "unknown" : "never";
    }
    if (!schema.is_object() || levels_ == levels_max ||
        !budget_.spend(1 + schema.raw().size() / 64) || has_any(schema, unsayable)) {
      return std::nullopt;
    }
    const json::Value additional = schema.find("additionalProperties");
    if (additional && additional.bool_or(true)) {
      return std::nullopt;
    }
    ++levels_;
    Text text = known_type(place);
    --levels_;
    return text;
  }

  Text known_type(Place place) {
    const json::Value schema = place.schema;
    const json::Value reference = schema.find("$ref");
    if (schema.find("allOf") || (reference && has_any(schema, beside_reference))) {
      return merged(place);
    }
    if (reference) {
      return alias(place.resource, reference.string_or(""));
    }
    if (const json::Value allowed = schema.find("enum")) {
      return literal_types(allowed);
    }
    if (const json::Value constant = schema.find("const")) {
      return literal_type(constant);
    }
    const json::Value any_of = schema.find("anyOf");
    const json::Value one_of = schema.find("oneOf");
    if (any_of || one_of) {
      // Both at once, or what variants have in common beside them, would need an intersection.
      const bool is_plain = !(any_of && one_of) && !schema.find("properties") &&
                            !schema.find("items") && !schema.find("required");
      return is_plain ? union_of(any_of ? any_of : one_of, place) : std::nullopt;
    }
    const json::Value type = schema.find("type");
    if (type.is_array()) {
      std::vector<Text> types;
      for (const json::Value name : type.elements()) {
        types.push_back(named_type(name, place));
      }
      return joined(types);
    }
    return named_type(type, place);
  }

  // The schema as if its type were `name`; an absent name is guessed.
  Text named_type(json::Value name, Place place) {
    const json::Value schema = place.schema;
    if (name.equals("object") || (!name && schema.find("properties").is_object())) {
      return object(View(index_, place, {}, budget_));
    }
    if (name.equals("array") || (!name && schema.find("items"))) {
      return array(place);
    }
    if (!name) {
      return "unknown";
    }
    for (const std::string_view same : {"string", "boolean", "null", "number"}) {
      if (name.equals(same)) {
        return std::string(same);
      }
    }
    return name.equals("integer") ? Text("number") : std::nullopt;
  }

  Text object(const View& view) {
    const std::vector<NamedPlace> properties = view.properties();
    std::set<std::string> names;
    for (const NamedPlace& property : properties) {
      names.insert(property.name);
    }
    std::string out = "{";
    for (const NamedPlace& property : properties) {
      const Text inner = type(property.place);
      if (!inner) {
        return std::nullopt;
      }
      out += member(property.name, property.required ? ": " : "?: ", *inner);
    }
    for (const std::string& name : view.required()) {
      if (names.insert(name).second) {
        out += member(name, ": ", "unknown");
      }
    }
    return out + (out.size() > 1 ? " }" : "}");
  }

  static std::string member(const std::string& name,
                            std::string_view colon,
                            const std::string& type) {
    return " " + (is_identifier(name) ? name : json::quoted(name)) + std::string(colon) + type +
           ";";
  }

  Text array(Place place) {
    const json::Value items = place.schema.find("items");
    if (items.is_array() || place.schema.find("prefixItems")) {
      return std::nullopt;
    }
    if (!items) {
      return "unknown[]";
    }
    const Text inner = type(index_.enter(items, place.resource));
    if (!inner) {
      return std::nullopt;
    }
    return is_union(*inner) ? "(" + *inner + ")[]" : *inner + "[]";
  }

  // A bar outside braces, parentheses and strings.
  static bool is_union(std::string_view type) {
    int nested = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < type.size(); ++i) {
      const char c = type[i];
      if (in_string) {
        i += c == '\\' ? 1 : 0;
        in_string = c != '"';
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{' || c == '(') {
        ++nested;
      } else if (c == '}' || c == ')') {
        --nested;
      } else if (c == '|' && nested == 0) {
        return true;
      }
    }
    return false;
  }

  Text union_of(json::Value variants, Place place) {
    std::vector<Text> types;
    for (const json::Value variant : variants.elements()) {
      types.push_back(type(index_.enter(variant, place.resource)));
    }
    return joined(types);
  }

  // nullopt for no types at all, or one that cannot be said.
  static Text joined(const std::vector<Text>& types) {
    std::set<std::string_view> known;
    std::string out;
    for (const Text& type : types) {
      if (!type) {
        return std::nullopt;
      }
      if (known.insert(*type).second) {
        out += (out.empty() ? "" : " | ") + *type;
      }
    }
    return out.empty() ? std::nullopt : Text(out);
  }

  static Text literal_type(json::Value value) {
    if (value.is_object() || value.is_array()) {
      return std::nullopt;
    }
    return value.is_string() ? json::quoted(value.string_or("")) : std::string(value.raw());
  }

  static Text literal_types(json::Value allowed) {
    std::vector<Text> types;
    for (const json::Value value : allowed.elements()) {
      types.push_back(literal_type(value));
    }
    return joined(types);
  }

  Text alias(schema::ResourceId resource, const std::string& reference) {
    const std::optional<Target> target =
        is_definition(reference) ? index_.resolve(resource, reference) : std::nullopt;
    if (!target) {
      return std::nullopt;
    }
    const auto [known, is_new] =
        alias_by_schema_.try_emplace(target->place.schema.raw().data(), aliases_.size());
    const std::size_t position = known->second;
    if (is_new) {
      aliases_.push_back({.name = free_name(reference), .body = ""});
      const Text body = type(target->place);
      if (!body) {
        return std::nullopt;
      }
      aliases_[position].body = *body;
    }
    return aliases_[position].name;
  }

  std::string free_name(std::string_view reference) {
    std::string name(reference.substr(reference.rfind('/') + 1));
    for (std::size_t n = aliases_.size() + 1;
         !is_identifier(name) || is_reserved(name) || !names_.insert(name).second;
         ++n) {
      name = "Definition" + std::to_string(n);
    }
    return name;
  }

  // An allOf of one schema is that schema; one of plain objects is an object with all their
  // members.
  Text merged(Place place) {
    const json::Value members = place.schema.find("allOf");
    const auto is_alone = [&place](std::string_view keyword) {
      return keyword == "allOf" || !place.schema.find(keyword);
    };
    if (members.size() == 1 && std::all_of(structural.begin(), structural.end(), is_alone)) {
      return type(index_.enter(members.element(0), place.resource));
    }
    const View view(index_, place, {}, budget_);
    std::size_t properties = 0;
    for (const Place& part : view.parts()) {
      if (!is_plain_object(part.schema)) {
        return std::nullopt;
      }
      properties += part.schema.find("properties").size();
    }
    // The same name twice would need an intersection; so would a part that could not be followed.
    const bool is_whole = view.is_whole() && view.dangling().empty();
    return is_whole && view.properties().size() == properties ? object(view) : std::nullopt;
  }

  static bool is_plain_object(json::Value schema) {
    const json::Value type = schema.find("type");
    const json::Value additional = schema.find("additionalProperties");
    const bool says_more =
        std::any_of(structural.begin(), structural.end(), [schema](std::string_view keyword) {
          return std::find(mergeable.begin(), mergeable.end(), keyword) == mergeable.end() &&
                 keyword != "$ref" && schema.find(keyword).exists();
        });
    return !says_more && !has_any(schema, unsayable) && (!type || type.equals("object")) &&
           (!additional || !additional.bool_or(true));
  }

  schema::Index index_;
  WorkBudget budget_;
  std::size_t levels_ = 0;
  std::vector<Alias> aliases_;  // in the order of first use
  std::map<const char*, std::size_t> alias_by_schema_;
  std::set<std::string> names_;
};

}  // namespace

std::optional<std::string> typescript_shape(json::Value schema) {
  return schema.is_object() ? Shape(schema).run() : std::nullopt;
}

}  // namespace pi_mcp::schema
