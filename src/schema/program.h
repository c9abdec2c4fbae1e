// The compiled form of a schema: a table of subschemas that refer to each other by number. Written
// by schema_compiler, read by schema_checker. Pure: no I/O, no clock.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/document.h"
#include "schema/decimal.h"
#include "schema/index.h"

namespace pi_mcp::schema {

using NodeId = std::uint32_t;
constexpr NodeId anything = 0;  // the schema `true`
// Accepts everything because it could not be found or understood, so it is also unknown which
// properties and items it would have evaluated.
constexpr NodeId unknowable = 1;
constexpr NodeId none = std::numeric_limits<NodeId>::max();

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

// A set of types: one bit for each Kind, and one for "integer".
using TypeSet = std::uint8_t;
constexpr TypeSet integer_type = 1U << 6U;
constexpr TypeSet type_of(json::Kind kind) {
  return static_cast<TypeSet>(1U << static_cast<unsigned>(kind));
}

struct Range {
  std::uint64_t min = 0;
  std::uint64_t max = unlimited;
};

struct Pattern {
  std::string_view text;  // as the schema wrote it, decoded; owned by Program::patterns
  const RE2* compiled = nullptr;
};

enum class Comparison : std::uint8_t { at_least, at_most, above, below, multiple_of };

struct NumberRule {
  Comparison comparison;
  std::string_view keyword;
  json::Value limit;
  Decimal number;  // the limit
};

struct StringRules {
  Range length;  // in code points
  std::optional<Pattern> pattern;
};

struct ArrayRules {
  Range count;
  bool unique = false;
  std::vector<NodeId> prefix;
  NodeId rest = none;  // for elements behind the prefix
  NodeId contains = none;
  Range contains_count = {.min = 1};
};

// A name that `properties` or `required` mentions.
struct Property {
  std::string name;
  NodeId schema = none;  // none: only required, so an additional property
  bool required = false;
};

struct ObjectRules {
  Range count;
  std::vector<Property> properties;    // in the order of the schema
  std::vector<std::uint32_t> by_name;  // positions in `properties`, sorted by name
  std::vector<std::pair<Pattern, NodeId>> patterns;
  NodeId additional = none;
  NodeId names = none;  // propertyNames
  std::vector<std::pair<std::string, std::vector<std::string>>> dependent_names;
  std::vector<std::pair<std::string, NodeId>> dependent_schemas;
  // A pattern RE2 cannot read might have matched any name, so no name is additional or unevaluated.
  bool opaque = false;
};

// Subschemas applied to the same value.
struct Combination {
  NodeId reference = none;
  NodeId dynamic_reference = none;  // where $dynamicRef leads when no outer resource overrides it
  std::string dynamic_anchor;       // empty: dynamic_reference is an ordinary reference
  std::vector<NodeId> all_of;
  std::vector<NodeId> any_of;
  std::vector<NodeId> one_of;
  NodeId negated = none;
  NodeId condition = none;
  NodeId consequence = none;
  NodeId alternative = none;
};

struct Node {
  ResourceId resource = 0;
  TypeSet types = 0;    // 0: any
  bool never = false;   // the schema `false`
  bool opaque = false;  // as `unknowable`
  json::Value constant;
  json::Value enumeration;
  std::vector<NumberRule> numbers;
  std::unique_ptr<const StringRules> strings;
  std::unique_ptr<const ArrayRules> arrays;
  std::unique_ptr<const ObjectRules> objects;
  std::unique_ptr<const Combination> combination;
  NodeId unevaluated_properties = none;
  NodeId unevaluated_items = none;
};

struct Program {
  std::vector<json::Document> documents;  // own the bytes that Values and Decimals point to
  // By the text of the schema; null when RE2 cannot read it.
  std::map<std::string, std::unique_ptr<const RE2>, std::less<>> patterns;
  std::vector<Node> nodes;
  NodeId root = anything;
  // Per resource: where its $dynamicAnchors are. Empty when no $dynamicRef needs them.
  std::vector<std::map<std::string, NodeId, std::less<>>> dynamic_anchors;
};

}  // namespace pi_mcp::schema
