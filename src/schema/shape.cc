// The TypeScript form of schema_render.h.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/text.h"
#include "json/writer.h"
#include "schema/render.h"
#include "schema/schema.h"
#include "schema/view.h"
#include "schema/wording.h"

namespace pi_mcp::schema {
namespace {

// Beyond this the form with descriptions, which is cut where it is too long, says more.
constexpr std::size_t shape_bytes_max = std::size_t{16} << 10U;
constexpr std::size_t levels_max = 16;
constexpr std::uint64_t steps_max = 100'000;  // in the unit of View

// Keywords, by what they make of a schema.
constexpr std::string_view unsayable = "if then else not patternProperties";
constexpr std::string_view more_than_reference = "properties required anyOf oneOf enum const items";
constexpr std::string_view more_than_members = "anyOf oneOf enum const items prefixItems";
constexpr std::string_view more_than_all_of =
    "type properties required additionalProperties anyOf oneOf enum const items $ref prefixItems";

bool has_any(json::Value schema, std::string_view keywords) {
  return std::ranges::any_of(text::words(keywords), [schema](std::string_view keyword) {
    return schema.find(keyword).exists();
  });
}

bool is_identifier(std::string_view name) {
  return !name.empty() && !ascii::is_digit(name[0]) &&
         std::ranges::all_of(name, [](char c) { return ascii::is_alphanumeric_or(c, "_$"); });
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

struct Type {
  Type() = default;
  Type(std::string words, bool joined = false) : text(std::move(words)), is_union(joined) {}

  std::string text;
  bool is_union = false;
};

class Shape {
 public:
  explicit Shape(json::Value schema) : index_(schema, no_options()), budget_(steps_max) {}

  std::optional<std::string> run() && {
    const std::string root = type(index_.root()).text;
    std::string out;
    for (const Alias& alias : aliases_) {
      out += "type " + alias.name + " = " + alias.body + ";\n";
    }
    out += (out.empty() ? "" : "\n") + root;
    const bool is_said = can_say_ && !budget_.is_spent() && out.size() <= shape_bytes_max;
    return is_said ? std::optional(text::printable(out)) : std::nullopt;
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

  // What a type cannot say makes the whole shape void.
  Type give_up() {
    can_say_ = false;
    return {};
  }

  Type type(Place place) {
    const json::Value schema = place.schema;
    if (schema.is(json::Kind::boolean)) {
      return {schema.bool_or(false) ? "unknown" : "never"};
    }
    const json::Value additional = schema.find("additionalProperties");
    if (!can_say_ || !schema.is_object() || levels_ == levels_max ||
        !budget_.spend(1 + schema.raw().size() / 64) || has_any(schema, unsayable) ||
        (additional && additional.bool_or(true))) {
      return give_up();
    }
    ++levels_;
    Type type = known_type(place);
    --levels_;
    return type;
  }

  Type known_type(Place place) {
    const json::Value schema = place.schema;
    const json::Value reference = schema.find("$ref");
    if (schema.find("allOf") || (reference && has_any(schema, more_than_reference))) {
      return merged(place);
    }
    if (reference) {
      return alias(place.resource, reference.string_or(""));
    }
    if (const json::Value allowed = schema.find("enum")) {
      return union_of(allowed, [this](json::Value value) { return literal_type(value); });
    }
    if (const json::Value constant = schema.find("const")) {
      return literal_type(constant);
    }
    const json::Value any_of = schema.find("anyOf");
    const json::Value one_of = schema.find("oneOf");
    if (any_of || one_of) {
      // Both at once, or what variants have in common beside them, would need an intersection.
      return (any_of && one_of) || has_any(schema, "properties items required")
                 ? give_up()
                 : union_of(any_of ? any_of : one_of, [&](json::Value variant) {
                     return type(index_.enter(variant, place.resource));
                   });
    }
    const json::Value type = schema.find("type");
    return type.is_array()
               ? union_of(type, [&](json::Value name) { return named_type(name, place); })
               : named_type(type, place);
  }

  // The schema as if its type were `name`; an absent name is guessed.
  Type named_type(json::Value name, Place place) {
    const json::Value schema = place.schema;
    if (name.equals("object") || (!name && schema.find("properties").is_object())) {
      return object(View(index_, place, {}, budget_));
    }
    if (name.equals("array") || (!name && schema.find("items"))) {
      return array(place);
    }
    for (const std::string_view same : {"string", "boolean", "null", "number"}) {
      if (name.equals(same)) {
        return {std::string(same)};
      }
    }
    return !name ? Type{"unknown"} : name.equals("integer") ? Type{"number"} : give_up();
  }

  Type object(const View& view) {
    std::set<std::string> names;
    std::string out = "{";
    const auto add = [&](const std::string& name, std::string_view colon, const Type& type) {
      names.insert(name);
      out += " " + (is_identifier(name) ? name : json::quoted(name));
      out.append(colon).append(type.text).append(";");
    };
    for (const NamedPlace& property : view.properties()) {
      add(property.name, property.required ? ": " : "?: ", type(property.place));
    }
    for (const std::string& name : view.required()) {
      if (!names.contains(name)) {
        add(name, ": ", {"unknown"});
      }
    }
    return {out + (out.size() > 1 ? " }" : "}")};
  }

  Type array(Place place) {
    const json::Value items = place.schema.find("items");
    if (items.is_array() || place.schema.find("prefixItems")) {
      return give_up();
    }
    const Type inner = items ? type(index_.enter(items, place.resource)) : Type{"unknown"};
    return {inner.is_union ? "(" + inner.text + ")[]" : inner.text + "[]"};
  }

  // The types that `type_of` makes of the elements, each once.
  template <class TypeOf>
  Type union_of(json::Value elements, TypeOf type_of) {
    std::set<std::string> known;
    Type out;
    for (const json::Value element : elements.elements()) {
      const Type one = type_of(element);
      if (known.insert(one.text).second) {
        out.text += (out.text.empty() ? "" : " | ") + one.text;
        out.is_union = one.is_union || known.size() > 1;
      }
    }
    return known.empty() ? give_up() : out;
  }

  Type literal_type(json::Value value) {
    if (value.is_object() || value.is_array()) {
      return give_up();
    }
    return {value.is_string() ? json::quoted(value.string_or("")) : std::string(value.raw())};
  }

  Type alias(ResourceId resource, const std::string& reference) {
    const std::optional<Target> target =
        is_definition(reference) ? index_.resolve(resource, reference) : std::nullopt;
    if (!target) {
      return give_up();
    }
    const auto [known, is_new] =
        alias_by_schema_.try_emplace(target->place.schema.raw().data(), aliases_.size());
    const std::size_t position = known->second;
    if (is_new) {
      aliases_.push_back({.name = free_name(reference), .body = ""});
      const Type body = type(target->place);
      aliases_[position].body = body.text;
    }
    return {aliases_[position].name};
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
  Type merged(Place place) {
    const json::Value members = place.schema.find("allOf");
    if (members.size() == 1 && !has_any(place.schema, more_than_all_of)) {
      return type(index_.enter(members.element(0), place.resource));
    }
    const View view(index_, place, {}, budget_);
    std::size_t properties = 0;
    bool is_plain = view.is_whole() && view.dangling().empty();
    for (const Place& part : view.parts()) {
      is_plain = is_plain && is_plain_object(part.schema);
      properties += part.schema.find("properties").size();
    }
    // The same name twice would need an intersection; so would a part that could not be followed.
    return is_plain && view.properties().size() == properties ? object(view) : give_up();
  }

  static bool is_plain_object(json::Value schema) {
    const json::Value type = schema.find("type");
    const json::Value additional = schema.find("additionalProperties");
    return !has_any(schema, more_than_members) && !has_any(schema, unsayable) &&
           (!type || type.equals("object")) && (!additional || !additional.bool_or(true));
  }

  Index index_;
  WorkBudget budget_;
  bool can_say_ = true;
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
