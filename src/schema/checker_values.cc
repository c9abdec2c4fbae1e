// The part of Checker for what depends on the kind of value: strings, numbers, arrays, objects.
#include <algorithm>

#include "schema/checker.h"
#include "schema/wording.h"

namespace pi_mcp::schema {
namespace {

std::uint64_t code_points(std::string_view text) {
  return static_cast<std::uint64_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

bool contains(Range range, std::uint64_t count) {
  return count >= range.min && count <= range.max;
}

bool satisfies(const NumberRule& rule, const Decimal& number) {
  switch (rule.comparison) {
    case Comparison::at_least:
      return number >= rule.number;
    case Comparison::at_most:
      return number <= rule.number;
    case Comparison::above:
      return number > rule.number;
    case Comparison::below:
      return number < rule.number;
    case Comparison::multiple_of:
      return number.is_multiple_of(rule.number).value_or(true);
  }
  return true;
}

constexpr std::size_t not_found = static_cast<std::size_t>(-1);

// The position in rules.properties, or not_found.
std::size_t find_property(const ObjectRules& rules, std::string_view name) {
  constexpr std::size_t linear_max = 8;
  if (rules.properties.size() <= linear_max) {
    for (std::size_t i = 0; i < rules.properties.size(); ++i) {
      if (rules.properties[i].name == name) {
        return i;
      }
    }
    return not_found;
  }
  const auto found = std::lower_bound(rules.by_name.begin(),
                                      rules.by_name.end(),
                                      name,
                                      [&rules](std::uint32_t position, std::string_view wanted) {
                                        return rules.properties[position].name < wanted;
                                      });
  const bool is_there = found != rules.by_name.end() && rules.properties[*found].name == name;
  return is_there ? *found : not_found;
}

}  // namespace

DecodedText::DecodedText(json::Value string) {
  const std::string_view raw = string.raw();
  if (raw.find('\\') == std::string_view::npos) {
    view_ = raw.substr(1, raw.size() - 2);
  } else {
    decoded_ = string.string_or("");
    view_ = decoded_;
  }
}

bool Checker::check_numbers(const std::vector<NumberRule>& rules, json::Value value) {
  const Decimal number(value.raw());
  for (const NumberRule& rule : rules) {
    if (!satisfies(rule, number)) {
      return fail(rule.keyword, [&] { return wrong_number(rule, value); });
    }
  }
  return true;
}

bool Checker::check_string(const StringRules& rules, json::Value value) {
  const DecodedText text(value);
  if (!budget_.spend(1 + text.view().size() / 64)) {
    return true;
  }
  const std::uint64_t length = code_points(text.view());
  if (!contains(rules.length, length)) {
    return fail(length < rules.length.min ? "minLength" : "maxLength",
                [&] { return wrong_count(rules.length, length, "character"); });
  }
  if (rules.pattern && !matches(*rules.pattern, text.view())) {
    return fail("pattern", [&] { return wrong_pattern(*rules.pattern); });
  }
  return true;
}

// RE2 takes time linear in the text, but not a small one.
bool Checker::matches(const Pattern& pattern, std::string_view text) {
  return pattern.compiled == nullptr || !budget_.spend(2 + text.size() / 16) ||
         RE2::PartialMatch({text.data(), text.size()}, *pattern.compiled);
}

bool Checker::check_array(const ArrayRules& rules, json::Value array, Evaluated* evaluated) {
  const std::size_t size = array.size();
  if (!budget_.spend(1 + size / 8)) {
    return true;
  }
  bool fits = true;
  if (!contains(rules.count, size)) {
    fits = fail(size < rules.count.min ? "minItems" : "maxItems",
                [&] { return wrong_count(rules.count, size, "item"); });
  }
  if (rules.unique && go_on(fits)) {
    if (const auto same = find_duplicate(array, budget_)) {
      fits = fail("uniqueItems", [&] {
        return "items " + std::to_string(same->first) + " and " + std::to_string(same->second) +
               " are equal";
      });
    }
  }
  if (go_on(fits)) {
    fits = check_items(rules, array, evaluated) && fits;
  }
  if (rules.contains != none && go_on(fits)) {
    fits = check_contains(rules, array, evaluated) && fits;
  }
  return fits;
}

bool Checker::check_items(const ArrayRules& rules, json::Value array, Evaluated* evaluated) {
  if (rules.prefix.empty() && rules.rest == none) {
    return true;
  }
  bool fits = true;
  std::size_t index = 0;
  for (const json::Value element : array.elements()) {
    const bool in_prefix = index < rules.prefix.size();
    const NodeId id = in_prefix ? rules.prefix[index] : rules.rest;
    if (id == none || !go_on(fits)) {
      break;
    }
    const Step step(*this, index++);
    fits = visit(id, element, nullptr) && fits;
    if (evaluated != nullptr && in_prefix) {
      evaluated->children.push_back(element.raw().data());
    }
  }
  if (evaluated != nullptr && rules.rest != none) {
    evaluated->all = true;
  }
  return fits;
}

bool Checker::check_contains(const ArrayRules& rules, json::Value array, Evaluated* evaluated) {
  std::uint64_t count = 0;
  for (const json::Value element : array.elements()) {
    if (passes(rules.contains, element, nullptr)) {
      ++count;
      if (evaluated != nullptr) {
        evaluated->children.push_back(element.raw().data());
      }
    }
  }
  if (gave_up() || contains(rules.contains_count, count)) {
    return true;
  }
  return fail(count < rules.contains_count.min ? "minContains" : "maxContains",
              [&] { return wrong_count(rules.contains_count, count, "item of the wanted form"); });
}

bool Checker::check_object(const ObjectRules& rules, json::Value object, Evaluated* evaluated) {
  if (!budget_.spend(1 + rules.properties.size() / 8)) {
    return true;
  }
  const std::size_t seen_base = seen_.size();
  seen_.resize(seen_base + rules.properties.size());
  bool fits = true;
  std::size_t count = 0;
  for (const json::Member member : object.members()) {
    ++count;
    if (!budget_.spend(1) || !go_on(fits)) {
      break;
    }
    const Looked looked = check_member(rules, member, seen_base);
    fits = looked.fits && fits;
    if (looked.at && evaluated != nullptr) {
      evaluated->children.push_back(member.value.raw().data());
    }
  }
  if (evaluated != nullptr && rules.opaque) {
    evaluated->all = true;
  }
  if (go_on(fits) && !contains(rules.count, count)) {
    fits = fail(count < rules.count.min ? "minProperties" : "maxProperties",
                [&] { return wrong_count(rules.count, count, "property"); });
  }
  if (go_on(fits)) {
    fits = check_required(rules, seen_base) && fits;
  }
  seen_.resize(seen_base);
  if (go_on(fits)) {
    fits = check_dependencies(rules, object, evaluated) && fits;
  }
  return fits;
}

Checker::Looked Checker::check_member(const ObjectRules& rules,
                                      json::Member member,
                                      std::size_t seen_base) {
  const DecodedText key(member.key);
  const std::string_view name = key.view();
  const Step step(*this, name);
  Looked looked;
  const std::size_t position = find_property(rules, name);
  if (position != not_found) {
    seen_[seen_base + position] = 1;
    if (const NodeId id = rules.properties[position].schema; id != none) {
      looked = {.fits = visit(id, member.value, nullptr), .at = true};
    }
  }
  for (const auto& [pattern, id] : rules.patterns) {
    if (pattern.compiled != nullptr && matches(pattern, name)) {
      looked.fits = visit(id, member.value, nullptr) && looked.fits;
      looked.at = true;
    }
  }
  if (!looked.at && rules.additional != none && !rules.opaque) {
    looked = {.fits = check_additional(rules, member.value, name), .at = true};
  }
  if (rules.names != none && (looked.fits || !enough())) {
    looked.fits = check_name(rules.names, member.key) && looked.fits;
  }
  return looked;
}

bool Checker::check_additional(const ObjectRules& rules, json::Value value, std::string_view name) {
  if (program_.nodes[rules.additional].never) {
    return fail("additionalProperties", [&] { return unknown_property(rules, name); });
  }
  return visit(rules.additional, value, nullptr);
}

bool Checker::check_name(NodeId names, json::Value key) {
  if (passes(names, key, nullptr)) {
    return true;
  }
  Findings why;
  {
    const Instead own(*this, explaining() ? &why : nullptr, 1);
    visit(names, key, nullptr);
  }
  return fail("propertyNames", [&] {
    return "name not allowed" + (why.empty() ? "" : ": " + why[0].violation.reason);
  });
}

bool Checker::check_required(const ObjectRules& rules, std::size_t seen_base) {
  bool fits = true;
  for (std::size_t i = 0; i < rules.properties.size() && go_on(fits); ++i) {
    const Property& property = rules.properties[i];
    if (property.required && seen_[seen_base + i] == 0) {
      const Step step(*this, property.name);
      fits = fail("required", [] { return std::string("required, missing"); });
    }
  }
  return fits;
}

bool Checker::check_dependencies(const ObjectRules& rules,
                                 json::Value object,
                                 Evaluated* evaluated) {
  bool fits = true;
  const auto has = [&](const std::string& name) {
    return budget_.spend(1 + object.size() / 8) && object.find(name).exists();
  };
  for (const auto& [trigger, names] : rules.dependent_names) {
    if (!go_on(fits) || !has(trigger)) {
      continue;
    }
    for (const std::string& name : names) {
      if (!has(name) && !gave_up()) {
        const Step step(*this, name);
        fits = fail("dependentRequired", [&] { return "required together with " + trigger; });
      }
    }
  }
  for (const auto& [trigger, id] : rules.dependent_schemas) {
    if (go_on(fits) && has(trigger)) {
      fits = visit(id, object, evaluated) && fits;
    }
  }
  return fits;
}

}  // namespace pi_mcp::schema
