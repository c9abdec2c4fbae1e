// The keywords of JSON Schema that are understood, one row each. Everything else about a keyword
// is the function that checks its group. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace pi_mcp::schema {

// Keywords that one function checks together; `none` for those that only hold other schemas.
enum class Group : std::uint8_t {
  none,
  constants,
  number,
  string,
  array,
  object,
  combination,
  unevaluated,
};

// Which parts of a keyword's value are schemas: of `items` the value or each of its elements. A
// reference leads to one.
enum class Holds : std::uint8_t { nothing, schema, schemas, named_schemas, reference };

struct Keyword {
  constexpr Keyword(std::string_view called,
                    Group of,
                    Holds holding = Holds::nothing,
                    bool modern = false)
      : name(called), group(of), holds(holding), is_modern(modern) {}

  std::string_view name;
  Group group;
  Holds holds;
  bool is_modern;  // means nothing in draft-07
};

// The rules of a group are checked in this order.
constexpr std::array keywords = {
    Keyword{"properties", Group::object, Holds::named_schemas},
    Keyword{"required", Group::object},
    Keyword{"additionalProperties", Group::object, Holds::schema},
    Keyword{"patternProperties", Group::object, Holds::named_schemas},
    Keyword{"propertyNames", Group::object, Holds::schema},
    Keyword{"minProperties", Group::object},
    Keyword{"maxProperties", Group::object},
    Keyword{"dependencies", Group::object, Holds::named_schemas},
    Keyword{"dependentRequired", Group::object, Holds::named_schemas, true},
    Keyword{"dependentSchemas", Group::object, Holds::named_schemas, true},
    Keyword{"items", Group::array, Holds::schema},
    Keyword{"prefixItems", Group::array, Holds::schemas, true},
    Keyword{"additionalItems", Group::array, Holds::schema},
    Keyword{"contains", Group::array, Holds::schema},
    Keyword{"minContains", Group::array, Holds::nothing, true},
    Keyword{"maxContains", Group::array, Holds::nothing, true},
    Keyword{"minItems", Group::array},
    Keyword{"maxItems", Group::array},
    Keyword{"uniqueItems", Group::array},
    Keyword{"minLength", Group::string},
    Keyword{"maxLength", Group::string},
    Keyword{"pattern", Group::string},
    Keyword{"minimum", Group::number},
    Keyword{"maximum", Group::number},
    Keyword{"exclusiveMinimum", Group::number},
    Keyword{"exclusiveMaximum", Group::number},
    Keyword{"multipleOf", Group::number},
    Keyword{"const", Group::constants},
    Keyword{"enum", Group::constants},
    Keyword{"$ref", Group::combination, Holds::reference},
    Keyword{"$dynamicRef", Group::combination, Holds::reference, true},
    Keyword{"allOf", Group::combination, Holds::schemas},
    Keyword{"anyOf", Group::combination, Holds::schemas},
    Keyword{"oneOf", Group::combination, Holds::schemas},
    Keyword{"not", Group::combination, Holds::schema},
    Keyword{"if", Group::combination, Holds::schema},
    Keyword{"then", Group::combination, Holds::schema},
    Keyword{"else", Group::combination, Holds::schema},
    Keyword{"unevaluatedProperties", Group::unevaluated, Holds::schema, true},
    Keyword{"unevaluatedItems", Group::unevaluated, Holds::schema, true},
    Keyword{"$defs", Group::none, Holds::named_schemas},
    Keyword{"definitions", Group::none, Holds::named_schemas},
    Keyword{"contentSchema", Group::none, Holds::schema},
};

}  // namespace pi_mcp::schema
