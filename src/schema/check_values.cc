// Keywords of numbers, strings and arrays.
#include <algorithm>

#include "schema/check.h"
#include "schema/decimal.h"

namespace pi_mcp::schema {
namespace {

std::uint64_t code_points(std::string_view text) {
  return static_cast<std::uint64_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

// draft-04: exclusiveMinimum is a flag that belongs to minimum.
bool is_exclusive(const Node& node, std::string_view keyword) {
  return keyword.starts_with("exclusive") ||
         node.value(keyword == "minimum" ? "exclusiveMinimum" : "exclusiveMaximum").bool_or(false);
}

// The words for a limit that `number` breaks; empty when it keeps it.
std::string_view broken(const Node& node, const Rule& rule, const Decimal& number) {
  const Decimal limit(rule.value.raw());
  const std::string_view keyword = rule.keyword->name;
  if (keyword == "multipleOf") {
    return number.is_multiple_of(limit).value_or(true) ? "" : "a multiple of ";
  }
  const bool exclusive = is_exclusive(node, keyword);
  if (keyword.ends_with("inimum")) {
    return number > limit || (number == limit && !exclusive) ? ""
           : exclusive                                       ? "more than "
                                                             : "at least ";
  }
  return number < limit || (number == limit && !exclusive) ? ""
         : exclusive                                       ? "less than "
                                                           : "at most ";
}

bool check_items(Check& check, const Node& node, json::Value array, Evaluated* evaluated) {
  const Rule* items = node.find("items");
  const bool is_list = items != nullptr && items->value.is_array();
  const Rule* prefix = is_list ? items : node.find("prefixItems");
  const std::size_t prefix_size = prefix == nullptr ? 0 : prefix->children.size();
  const NodeId rest = node.child(is_list ? "additionalItems" : "items");
  if (prefix_size == 0 && rest == none) {
    return true;
  }
  bool fits = true;
  std::size_t index = 0;
  for (const json::Value element : array.elements()) {
    const bool in_prefix = index < prefix_size;
    const NodeId id = in_prefix ? prefix->children[index] : rest;
    if (id == none || !check.go_on(fits)) {
      break;
    }
    fits = check.below(index++, [&] { return visit(check, id, element, nullptr); }) && fits;
    if (evaluated != nullptr && in_prefix) {
      evaluated->children.push_back(element.raw().data());
    }
  }
  if (evaluated != nullptr && rest != none) {
    evaluated->all = true;
  }
  return fits;
}

bool check_contains(Check& check, const Node& node, json::Value array, Evaluated* evaluated) {
  const NodeId wanted = node.child("contains");
  if (wanted == none) {
    return true;
  }
  std::uint64_t count = 0;
  for (const json::Value element : array.elements()) {
    if (passes(check, wanted, element, nullptr)) {
      ++count;
      if (evaluated != nullptr) {
        evaluated->children.push_back(element.raw().data());
      }
    }
  }
  constexpr Counted counted = {.min = "minContains",
                               .max = "maxContains",
                               .unit = "item of the wanted form",
                               .min_default = 1};
  return check.gave_up() || check_count(check, node, counted, count);
}

}  // namespace

std::string_view text_of(json::Value string, std::string& decoded) {
  const std::optional<std::string_view> plain = string.unescaped();
  return plain ? *plain : decoded = string.string_or("");
}

bool check_count(Check& check, const Node& node, const Counted& counted, std::uint64_t count) {
  const auto limit = [&node](std::string_view keyword, std::uint64_t otherwise) {
    const std::int64_t number = node.value(keyword).as_int().value_or(-1);
    return number >= 0 ? static_cast<std::uint64_t>(number) : otherwise;
  };
  const std::uint64_t min = limit(counted.min, counted.min_default);
  const std::uint64_t max = limit(counted.max, count);
  if (count >= min && count <= max) {
    return true;
  }
  return check.fail(count < min ? counted.min : counted.max,
                    [&] { return wrong_count(min, max, count, counted.unit); });
}

bool matches(Check& check, const RE2* pattern, std::string_view text) {
  return pattern == nullptr || !check.budget.spend(2 + text.size() / 16) ||
         RE2::PartialMatch({text.data(), text.size()}, *pattern);
}

bool check_numbers(Check& check, const Node& node, json::Value value) {
  const Decimal number(value.raw());
  for (const Rule& rule : node.rules) {
    if (rule.keyword->group == Group::number && rule.value.is(json::Kind::number)) {
      const std::string_view words = broken(node, rule, number);
      if (!words.empty()) {
        return check.fail(rule.keyword->name,
                          [&] { return wrong_number(words, rule.value, value); });
      }
    }
  }
  return true;
}

bool check_string(Check& check, const Node& node, json::Value value) {
  std::string decoded;
  const std::string_view text = text_of(value, decoded);
  if (!check.budget.spend(1 + text.size() / 64)) {
    return true;
  }
  constexpr Counted counted = {.min = "minLength", .max = "maxLength", .unit = "character"};
  if (!check_count(check, node, counted, code_points(text))) {
    return false;
  }
  const Rule* pattern = node.find("pattern");
  if (pattern == nullptr || pattern->patterns.empty() ||
      matches(check, pattern->patterns[0], text)) {
    return true;
  }
  return check.fail("pattern", [&] { return wrong_pattern(pattern->value.string_or("")); });
}

bool check_array(Check& check, const Node& node, json::Value array, Evaluated* evaluated) {
  const std::size_t size = array.size();
  if (!check.budget.spend(1 + size / 8)) {
    return true;
  }
  constexpr Counted counted = {.min = "minItems", .max = "maxItems", .unit = "item"};
  bool fits = check_count(check, node, counted, size);
  if (node.value("uniqueItems").bool_or(false) && check.go_on(fits)) {
    if (const auto same = find_duplicate(array, check.budget)) {
      fits = check.fail("uniqueItems", [&] {
        return "items " + std::to_string(same->first) + " and " + std::to_string(same->second) +
               " are equal";
      });
    }
  }
  if (check.go_on(fits)) {
    fits = check_items(check, node, array, evaluated) && fits;
  }
  return check.go_on(fits) ? check_contains(check, node, array, evaluated) && fits : fits;
}

}  // namespace pi_mcp::schema
