#include "schema/checker.h"

#include <algorithm>

#include "schema/wording.h"

namespace pi_mcp::schema {
namespace {

// Nested visits, which is what bounds a $ref that leads back to itself. A visit takes under 1 KiB
// of stack; real schemas and arguments stay below 100.
constexpr std::size_t depth_max = 512;

std::vector<json::Value> to_vector(json::Value array) {
  std::vector<json::Value> values;
  for (const json::Value element : array.elements()) {
    values.push_back(element);
  }
  return values;
}

}  // namespace

bool Checker::fits(json::Value instance) {
  return visit(program_.root, instance, nullptr) || gave_up();
}

std::vector<Violation> Checker::explain(json::Value instance, std::size_t violations_max) {
  Findings found;
  findings_ = &found;
  findings_max_ = violations_max;
  visit(program_.root, instance, nullptr);
  findings_ = nullptr;
  std::vector<Violation> violations;
  for (Finding& finding : found) {
    violations.push_back(std::move(finding.violation));
  }
  if (violations.empty()) {
    violations.push_back({.path = "", .keyword = "", .reason = "does not fit the schema"});
  }
  return violations;
}

// Recursion of all check_ functions goes through here and is limited by depth_max.
bool Checker::visit(NodeId id, json::Value value, Evaluated* evaluated) {
  if (id == anything || gave_up()) {
    return true;
  }
  too_deep_ = depth_ >= depth_max;
  if (too_deep_ || !budget_.spend(1)) {
    return true;
  }
  const Node& node = program_.nodes[id];
  const Deeper deeper(*this, node.resource);
  if (node.unevaluated_properties == none && node.unevaluated_items == none) {
    return check_node(node, value, evaluated);
  }
  Evaluated local;
  if (!check_node(node, value, &local) || !check_unevaluated(node, value, local)) {
    return false;
  }
  if (evaluated != nullptr) {
    evaluated->all |= local.all;
    evaluated->children.insert(
        evaluated->children.end(), local.children.begin(), local.children.end());
  }
  return true;
}

bool Checker::check_node(const Node& node, json::Value value, Evaluated* evaluated) {
  if (node.opaque) {
    if (evaluated != nullptr) {
      evaluated->all = true;
    }
    return true;
  }
  if (node.never) {
    return fail("false", [] { return std::string("not allowed"); });
  }
  if (!check_type(node.types, value) || !check_constants(node, value)) {
    return false;
  }
  bool fits = check_kind(node, value, evaluated);
  if (node.combination && go_on(fits)) {
    fits = check_combination(*node.combination, value, evaluated) && fits;
  }
  return fits;
}

bool Checker::check_type(TypeSet types, json::Value value) {
  if (types == 0 || (types & type_of(value.kind())) != 0) {
    return true;
  }
  if ((types & integer_type) != 0 && value.is(json::Kind::number) &&
      Decimal(value.raw()).is_integer()) {
    return true;
  }
  return fail("type", [&] { return wrong_type(types, value); }, types);
}

bool Checker::check_constants(const Node& node, json::Value value) {
  if (node.constant && !equal(node.constant, value, budget_)) {
    return fail("const", [&] { return wrong_value({&node.constant, 1}, value); });
  }
  if (!node.enumeration) {
    return true;
  }
  for (const json::Value allowed : node.enumeration.elements()) {
    if (!budget_.spend(1) || equal(allowed, value, budget_)) {
      return true;
    }
  }
  return fail("enum", [&] { return wrong_value(to_vector(node.enumeration), value); });
}

bool Checker::check_kind(const Node& node, json::Value value, Evaluated* evaluated) {
  switch (value.kind()) {
    case json::Kind::number:
      return node.numbers.empty() || check_numbers(node.numbers, value);
    case json::Kind::string:
      return !node.strings || check_string(*node.strings, value);
    case json::Kind::array:
      return !node.arrays || check_array(*node.arrays, value, evaluated);
    case json::Kind::object:
      return !node.objects || check_object(*node.objects, value, evaluated);
    case json::Kind::null:
    case json::Kind::boolean:
      return true;
  }
  return true;
}

bool Checker::check_combination(const Combination& rules, json::Value value, Evaluated* evaluated) {
  bool fits = true;
  const auto apply = [&](NodeId id) {
    if (id != none && go_on(fits)) {
      fits = visit(id, value, evaluated) && fits;
    }
  };
  apply(rules.reference);
  apply(dynamic_target(rules));
  for (const NodeId id : rules.all_of) {
    apply(id);
  }
  if (!rules.any_of.empty() && go_on(fits)) {
    fits = check_any(rules.any_of, value, evaluated) && fits;
  }
  if (!rules.one_of.empty() && go_on(fits)) {
    fits = check_one(rules.one_of, value, evaluated) && fits;
  }
  if (rules.negated != none && go_on(fits) && passes(rules.negated, value, nullptr)) {
    fits = fail("not", [] { return std::string("has a form that is not allowed"); });
  }
  if (rules.condition != none && go_on(fits)) {
    const bool met = passes(rules.condition, value, evaluated);
    apply(met ? rules.consequence : rules.alternative);
  }
  return fits;
}

NodeId Checker::dynamic_target(const Combination& rules) const {
  if (!rules.dynamic_anchor.empty()) {
    for (const ResourceId resource : scope_) {
      const auto& anchors = program_.dynamic_anchors[resource];
      const auto found = anchors.find(rules.dynamic_anchor);
      if (found != anchors.end()) {
        return found->second;
      }
    }
  }
  return rules.dynamic_reference;
}

bool Checker::passes(NodeId id, json::Value value, Evaluated* evaluated) {
  const Instead silence(*this, nullptr);
  if (evaluated == nullptr) {
    return visit(id, value, nullptr);
  }
  const bool all = evaluated->all;
  const std::size_t count = evaluated->children.size();
  const bool fits = visit(id, value, evaluated);
  if (!fits) {
    evaluated->all = all;
    evaluated->children.resize(count);
  }
  return fits;
}

bool Checker::check_unevaluated(const Node& node, json::Value value, Evaluated& evaluated) {
  if (evaluated.all) {
    return true;
  }
  std::vector<const char*>& known = evaluated.children;
  std::sort(known.begin(), known.end());
  const auto is_known = [&known](json::Value child) {
    return std::binary_search(known.begin(), known.end(), child.raw().data());
  };
  bool fits = true;
  if (value.is_object() && node.unevaluated_properties != none) {
    for (const json::Member member : value.members()) {
      if (go_on(fits) && !is_known(member.value)) {
        const Step step(*this, DecodedText(member.key).view());
        fits = visit(node.unevaluated_properties, member.value, nullptr) && fits;
      }
    }
    evaluated.all = true;
  }
  if (value.is_array() && node.unevaluated_items != none) {
    std::size_t index = 0;
    for (const json::Value element : value.elements()) {
      const Step step(*this, index++);
      if (go_on(fits) && !is_known(element)) {
        fits = visit(node.unevaluated_items, element, nullptr) && fits;
      }
    }
    evaluated.all = true;
  }
  return fits;
}

}  // namespace pi_mcp::schema
