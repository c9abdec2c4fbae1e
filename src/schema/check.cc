#include "schema/check.h"

#include <algorithm>

#include "schema/decimal.h"

namespace pi_mcp::schema {
namespace {

// Nested visits, which is what bounds a $ref that leads back to itself. A visit takes under 1 KiB
// of stack; real schemas and arguments stay below 100.
constexpr std::size_t depth_max = 512;

bool check_type(Check& check, TypeSet types, json::Value value) {
  if (types == 0 || (types & type_of(value.kind())) != 0) {
    return true;
  }
  if ((types & integer_type) != 0 && value.is(json::Kind::number) &&
      Decimal(value.raw()).is_integer()) {
    return true;
  }
  return check.fail("type", [&] { return wrong_type(types, value); }, types);
}

bool check_constants(Check& check, const Node& node, json::Value value) {
  const json::Value constant = node.value("const");
  if (constant && !equal(constant, value, check.budget)) {
    return check.fail("const", [&] { return wrong_value({constant}, value); });
  }
  const json::Value enumeration = node.value("enum");
  for (const json::Value allowed : enumeration.elements()) {
    if (!check.budget.spend(1) || equal(allowed, value, check.budget)) {
      return true;
    }
  }
  return !enumeration ||
         check.fail("enum", [&] { return wrong_value(to_vector(enumeration), value); });
}

bool check_kind(Check& check, const Node& node, json::Value value, Evaluated* evaluated) {
  switch (value.kind()) {
    case json::Kind::number:
      return !node.has(Group::number) || check_numbers(check, node, value);
    case json::Kind::string:
      return !node.has(Group::string) || check_string(check, node, value);
    case json::Kind::array:
      return !node.has(Group::array) || check_array(check, node, value, evaluated);
    case json::Kind::object:
      return !node.has(Group::object) || check_object(check, node, value, evaluated);
    case json::Kind::null:
    case json::Kind::boolean:
      return true;
  }
  return true;
}

NodeId dynamic_target(const Check& check, const Rule& rule) {
  if (!rule.dynamic_anchor.empty()) {
    for (const ResourceId resource : check.scope) {
      const auto& anchors = check.program.dynamic_anchors[resource];
      const auto found = anchors.find(rule.dynamic_anchor);
      if (found != anchors.end()) {
        return found->second;
      }
    }
  }
  return rule.children[0];
}

bool check_rule(
    Check& check, const Node& node, const Rule& rule, json::Value value, Evaluated* evaluated) {
  const auto apply = [&](NodeId id) {
    return id == none || visit(check, id, value, evaluated);
  };
  const std::string_view name = rule.keyword->name;
  if (name == "anyOf") {
    return check_any_of(check, rule, value, evaluated);
  }
  if (name == "oneOf") {
    return check_one_of(check, rule, value, evaluated);
  }
  if (name == "not") {
    return !passes(check, rule.children[0], value, nullptr) ||
           check.fail("not", [] { return std::string("has a form that is not allowed"); });
  }
  if (name == "if") {
    return apply(node.child(passes(check, rule.children[0], value, evaluated) ? "then" : "else"));
  }
  if (rule.keyword->holds == Holds::reference) {
    return apply(dynamic_target(check, rule));
  }
  bool fits = true;
  for (const NodeId id : rule.children) {
    fits = (name != "allOf" || !check.go_on(fits) || apply(id)) && fits;
  }
  return fits;
}

bool check_combination(Check& check, const Node& node, json::Value value, Evaluated* evaluated) {
  bool fits = true;
  for (const Rule& rule : node.rules) {
    if (rule.keyword->group == Group::combination && check.go_on(fits)) {
      fits = check_rule(check, node, rule, value, evaluated) && fits;
    }
  }
  return fits;
}

bool check_node(Check& check, const Node& node, json::Value value, Evaluated* evaluated) {
  if (node.opaque) {
    if (evaluated != nullptr) {
      evaluated->all = true;
    }
    return true;
  }
  if (node.never) {
    return check.fail("false", [] { return std::string("not allowed"); });
  }
  if (!check_type(check, node.types, value) ||
      (node.has(Group::constants) && !check_constants(check, node, value))) {
    return false;
  }
  bool fits = check_kind(check, node, value, evaluated);
  if (node.has(Group::combination) && check.go_on(fits)) {
    fits = check_combination(check, node, value, evaluated) && fits;
  }
  return fits;
}

bool check_unevaluated(Check& check, const Node& node, json::Value value, Evaluated& evaluated) {
  const NodeId id = node.child(value.is_object() ? "unevaluatedProperties" : "unevaluatedItems");
  if (evaluated.all || id == none || (!value.is_object() && !value.is_array())) {
    return true;
  }
  std::vector<const char*>& known = evaluated.children;
  std::sort(known.begin(), known.end());
  bool fits = true;
  const auto visit_unknown = [&](json::Value child, const auto& name_or_index) {
    if (check.go_on(fits) && !std::binary_search(known.begin(), known.end(), child.raw().data())) {
      fits = check.below(name_or_index, [&] { return visit(check, id, child, nullptr); }) && fits;
    }
  };
  for (const json::Member member : value.members()) {
    visit_unknown(member.value, member.name());
  }
  std::size_t index = 0;
  for (const json::Value element : value.elements()) {
    visit_unknown(element, index++);
  }
  evaluated.all = true;
  return fits;
}

}  // namespace

bool visit(Check& check, NodeId id, json::Value value, Evaluated* evaluated) {
  if (id == anything || check.gave_up()) {
    return true;
  }
  check.too_deep = check.depth >= depth_max;
  if (check.too_deep || !check.budget.spend(1)) {
    return true;
  }
  const Node& node = check.program.nodes[id];
  const bool enters = !check.program.dynamic_anchors.empty() &&
                      (check.scope.empty() || check.scope.back() != node.resource);
  if (enters) {
    check.scope.push_back(node.resource);
  }
  ++check.depth;
  bool fits = false;
  if (!node.has(Group::unevaluated)) {
    fits = check_node(check, node, value, evaluated);
  } else {
    Evaluated local;
    fits = check_node(check, node, value, &local) && check_unevaluated(check, node, value, local);
    if (fits && evaluated != nullptr) {
      evaluated->all |= local.all;
      evaluated->children.insert(
          evaluated->children.end(), local.children.begin(), local.children.end());
    }
  }
  --check.depth;
  if (enters) {
    check.scope.pop_back();
  }
  return fits;
}

bool passes(Check& check, NodeId id, json::Value value, Evaluated* evaluated) {
  return check.instead(nullptr, 0, [&] {
    if (evaluated == nullptr) {
      return visit(check, id, value, nullptr);
    }
    const bool all = evaluated->all;
    const std::size_t count = evaluated->children.size();
    const bool fits = visit(check, id, value, evaluated);
    if (!fits) {
      evaluated->all = all;
      evaluated->children.resize(count);
    }
    return fits;
  });
}

}  // namespace pi_mcp::schema
