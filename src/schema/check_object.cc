// Keywords of objects.
#include <algorithm>
#include <array>

#include "schema/check.h"

namespace pi_mcp::schema {
namespace {

constexpr std::size_t name_units_max = 100;

// What is asked of each member.
struct MemberRules {
  explicit MemberRules(const Node& node)
      : properties(node.find("properties")),
        patterns(node.find("patternProperties")),
        additional(node.child("additionalProperties")),
        names(node.child("propertyNames")),
        opaque(patterns != nullptr && std::ranges::count(patterns->patterns, nullptr) > 0) {}

  const Rule* properties;
  const Rule* patterns;
  NodeId additional;
  NodeId names;
  // A pattern RE2 cannot read might have matched any name, so none is additional or unevaluated.
  bool opaque;
};

// Whether a member fits, and whether a subschema looked at it.
struct Looked {
  bool fits = true;
  bool at = false;
};

// The schema that `properties` has for a name; of equal names the last one counts.
NodeId property_schema(const Rule* properties, std::string_view name) {
  NodeId id = none;
  if (properties == nullptr) {
    return id;
  }
  std::size_t position = 0;
  for (const json::Member property : properties->value.members()) {
    const std::optional<std::string_view> plain = property.key.unescaped();
    const bool same = plain ? *plain == name : property.key.equals(name);
    id = same ? properties->children[position] : id;
    ++position;
  }
  return id;
}

bool check_name(Check& check, NodeId names, json::Value key) {
  if (passes(check, names, key, nullptr)) {
    return true;
  }
  Findings why;
  check.instead(check.findings == nullptr ? nullptr : &why, 1, [&] {
    return visit(check, names, key, nullptr);
  });
  return check.fail("propertyNames", [&] {
    return "name not allowed" + (why.empty() ? "" : ": " + why[0].violation.reason);
  });
}

Looked check_member(Check& check, const Node& node, const MemberRules& rules, json::Member member) {
  std::string decoded;
  const std::string_view name = text_of(member.key, decoded);
  return check.below(name, [&] {
    Looked looked;
    if (const NodeId id = property_schema(rules.properties, name); id != none) {
      looked = {.fits = visit(check, id, member.value, nullptr), .at = true};
    }
    for (std::size_t i = 0; rules.patterns != nullptr && i < rules.patterns->patterns.size(); ++i) {
      const RE2* pattern = rules.patterns->patterns[i];
      if (pattern != nullptr && matches(check, pattern, name)) {
        looked.fits =
            visit(check, rules.patterns->children[i], member.value, nullptr) && looked.fits;
        looked.at = true;
      }
    }
    if (!looked.at && !rules.opaque && rules.additional != none) {
      looked.at = true;
      looked.fits = check.program.nodes[rules.additional].never
                        ? check.fail("additionalProperties",
                                     [&] {
                                       return unknown_property(
                                           node.value("properties"), node.value("required"), name);
                                     })
                        : visit(check, rules.additional, member.value, nullptr);
    }
    if (rules.names != none && check.go_on(looked.fits)) {
      looked.fits = check_name(check, rules.names, member.key) && looked.fits;
    }
    return looked;
  });
}

// Required names that are not there, each once: those of `properties` first, in that order. Only
// the first that is found where nobody asks why.
std::vector<std::string> missing_names(Check& check, const Node& node, json::Value object) {
  std::vector<std::string> missing;
  for (const json::Value name : node.value("required").elements()) {
    const std::string text = name.string_or("");
    if (!check.budget.spend(1 + (object.size() + missing.size()) / 8) ||
        (check.findings == nullptr && !missing.empty())) {
      return missing;
    }
    if (name.is_string() && !object.find(text) &&
        std::ranges::find(missing, text) == missing.end()) {
      missing.push_back(text);
    }
  }
  auto sorted = missing.begin();
  for (const json::Member property : node.value("properties").members()) {
    if (sorted == missing.end() || !check.budget.spend(1 + missing.size() / 8)) {
      return missing;
    }
    const auto found = std::find(sorted, missing.end(), property.name());
    if (found != missing.end()) {
      std::rotate(sorted, found, found + 1);
      ++sorted;
    }
  }
  return missing;
}

bool check_required(Check& check, const Node& node, json::Value object) {
  bool fits = true;
  for (const std::string& name : missing_names(check, node, object)) {
    if (check.go_on(fits)) {
      fits = check.below(name, [&] {
        return check.fail("required", [] { return std::string("required, missing"); });
      });
    }
  }
  return fits;
}

constexpr std::array<std::string_view, 3> dependency_keywords = {
    "dependencies", "dependentRequired", "dependentSchemas"};

bool has_member(Check& check, json::Value object, const std::string& name) {
  return check.budget.spend(1 + object.size() / 8) && object.find(name).exists();
}

bool check_required_together(Check& check, const json::Member& dependency, json::Value object) {
  bool fits = true;
  for (const json::Value element : dependency.value.elements()) {
    const std::string name = element.string_or("");
    if (element.is_string() && !has_member(check, object, name) && !check.gave_up()) {
      fits = check.below(name, [&] {
        return check.fail("dependentRequired", [&] {
          return "required together with " + shown_word(dependency.name(), name_units_max);
        });
      });
    }
  }
  return fits;
}

bool check_dependencies(Check& check, const Node& node, json::Value object, Evaluated* evaluated) {
  bool fits = true;
  const auto concerns = [&](const json::Member& dependency) {
    return check.go_on(fits) && has_member(check, object, dependency.name());
  };
  for (const std::string_view keyword : dependency_keywords) {
    for (const json::Member dependency : node.value(keyword).members()) {
      if (dependency.value.is_array() && concerns(dependency)) {
        fits = check_required_together(check, dependency, object) && fits;
      }
    }
  }
  for (const std::string_view keyword : dependency_keywords) {
    std::size_t position = 0;
    for (const json::Member dependency : node.value(keyword).members()) {
      const NodeId id = node.find(keyword)->children[position++];
      if (!dependency.value.is_array() && concerns(dependency)) {
        fits = visit(check, id, object, evaluated) && fits;
      }
    }
  }
  return fits;
}

}  // namespace

bool check_object(Check& check, const Node& node, json::Value object, Evaluated* evaluated) {
  const MemberRules rules(node);
  // What looking a name up among the properties costs.
  const std::uint64_t steps =
      1 + (rules.properties == nullptr ? 0 : rules.properties->value.raw().size() / 512);
  bool fits = true;
  std::size_t count = 0;
  for (const json::Member member : object.members()) {
    ++count;
    if (!check.budget.spend(steps) || !check.go_on(fits)) {
      break;
    }
    const Looked looked = check_member(check, node, rules, member);
    fits = looked.fits && fits;
    if (looked.at && evaluated != nullptr) {
      evaluated->children.push_back(member.value.raw().data());
    }
  }
  if (evaluated != nullptr && rules.opaque) {
    evaluated->all = true;
  }
  constexpr Counted counted = {.min = "minProperties", .max = "maxProperties", .unit = "property"};
  if (check.go_on(fits)) {
    fits = check_count(check, node, counted, count) && fits;
  }
  if (check.go_on(fits)) {
    fits = check_required(check, node, object) && fits;
  }
  return check.go_on(fits) ? check_dependencies(check, node, object, evaluated) && fits : fits;
}

}  // namespace pi_mcp::schema
