// The compiled form of a schema: a table of subschemas that refer to each other by number. Written
// by schema_compiler, read by the check. Pure: no I/O, no clock.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "schema/index.h"
#include "schema/keywords.h"

namespace pi_mcp::schema {

using NodeId = std::uint32_t;
constexpr NodeId anything = 0;  // the schema `true`
// Accepts everything because it could not be found or understood, so it is also unknown which
// properties and items it would have evaluated.
constexpr NodeId unknowable = 1;
constexpr NodeId none = std::numeric_limits<NodeId>::max();

// A set of types: one bit for each Kind, and one for "integer".
using TypeSet = std::uint8_t;
constexpr TypeSet integer_type = 1U << 6U;
constexpr TypeSet type_of(json::Kind kind) {
  return static_cast<TypeSet>(1U << static_cast<unsigned>(kind));
}

// One keyword of a subschema.
struct Rule {
  const Keyword* keyword;
  json::Value value;
  // The schema it holds or leads to, or one for each element or member of the value.
  std::vector<NodeId> children;
  // Of `pattern`, or of the members of `patternProperties`; null where RE2 cannot read it.
  std::vector<const RE2*> patterns;
  std::string dynamic_anchor;  // of a $dynamicRef that outer resources may override
};

struct Node {
  ResourceId resource = 0;
  TypeSet types = 0;        // 0: any
  bool never = false;       // the schema `false`
  bool opaque = false;      // as `unknowable`
  std::uint8_t groups = 0;  // one bit for each Group that has a rule
  std::vector<Rule> rules;  // in the order of `keywords`

  [[nodiscard]] bool has(Group group) const {
    return (groups & (1U << static_cast<unsigned>(group))) != 0;
  }
  // nullptr without that keyword.
  [[nodiscard]] const Rule* find(std::string_view keyword) const {
    for (const Rule& rule : rules) {
      if (rule.keyword->name == keyword) {
        return &rule;
      }
    }
    return nullptr;
  }
  [[nodiscard]] json::Value value(std::string_view keyword) const {
    const Rule* rule = find(keyword);
    return rule == nullptr ? json::Value() : rule->value;
  }
  // The schema that the keyword holds, or `none`.
  [[nodiscard]] NodeId child(std::string_view keyword) const {
    const Rule* rule = find(keyword);
    return rule == nullptr ? none : rule->children[0];
  }
};

struct Program {
  std::vector<json::Document> documents;  // own the bytes that Values point to
  // By the text of the schema; null when RE2 cannot read it.
  std::map<std::string, std::unique_ptr<const RE2>, std::less<>> patterns;
  std::vector<Node> nodes;
  NodeId root = anything;
  // Per resource: where its $dynamicAnchors are. Empty when no $dynamicRef needs them.
  std::vector<std::map<std::string, NodeId, std::less<>>> dynamic_anchors;
};

}  // namespace pi_mcp::schema
