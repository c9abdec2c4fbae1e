#include "schema/equality.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "json/writer.h"
#include "schema/decimal.h"

namespace pi_mcp::schema {
namespace {

// What comparing or hashing a text costs, in steps of about one cache line.
std::uint64_t text_steps(json::Value value) {
  return 1 + value.raw().size() / 64;
}

// The same text for equal values: numbers in one spelling, escapes decoded, members sorted. Cut
// short when the budget ends. Recursion is as deep as the document, which the parser limits.
std::string normal_form(json::Value value, WorkBudget& budget) {
  if (!budget.spend(text_steps(value))) {
    return {};
  }
  if (!value.is_array() && !value.is_object()) {
    return value.is_string()              ? json::quoted(value.string_or(""))
           : value.is(json::Kind::number) ? Decimal(value.raw()).normal_form()
                                          : std::string(value.raw());
  }
  std::vector<std::string> parts;
  for (const json::Member child : value.children()) {
    const std::string name = child.key ? normal_form(child.key, budget) + ":" : "";
    parts.push_back(name + normal_form(child.value, budget));
  }
  if (value.is_object()) {
    std::sort(parts.begin(), parts.end());
  }
  return (value.is_object() ? "{" : "[") + text::join(parts, ",") + "]";
}

}  // namespace

bool equal(json::Value a, json::Value b, WorkBudget& budget) {
  if (!a || !b || a.kind() != b.kind() || !budget.spend(text_steps(a))) {
    return false;
  }
  if (a.raw() == b.raw()) {
    return true;
  }
  if (a.is(json::Kind::number)) {
    return Decimal(a.raw()) == Decimal(b.raw());
  }
  if (a.unescaped() && b.unescaped()) {
    return false;
  }
  const bool same = normal_form(a, budget) == normal_form(b, budget);
  return same && !budget.is_spent();
}

std::optional<std::pair<std::size_t, std::size_t>> find_duplicate(json::Value array,
                                                                  WorkBudget& budget) {
  std::unordered_map<std::string, std::size_t> seen;
  for (const json::Value element : array.elements()) {
    const auto [first, is_new] = seen.try_emplace(normal_form(element, budget), seen.size());
    if (budget.is_spent()) {
      return std::nullopt;
    }
    if (!is_new) {
      return std::pair(first->second, seen.size());
    }
  }
  return std::nullopt;
}

}  // namespace pi_mcp::schema
