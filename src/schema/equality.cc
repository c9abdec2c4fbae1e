#include "schema/equality.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "schema/decimal.h"

namespace pi_mcp::schema {
namespace {

// What comparing or hashing a text costs, in steps of about one cache line.
std::uint64_t text_steps(json::Value value) {
  return 1 + value.raw().size() / 64;
}

bool has_escape(json::Value string) {
  return string.raw().find('\\') != std::string_view::npos;
}

bool equal_strings(json::Value a, json::Value b) {
  if (!has_escape(a) && !has_escape(b)) {
    return a.raw() == b.raw();
  }
  return a.as_string() == b.as_string();
}

// Recursion in this file is as deep as the document, which the parser limits.
bool equal_arrays(json::Value a, json::Value b, WorkBudget& budget) {
  auto at_b = b.elements().begin();
  const auto end_b = b.elements().end();
  for (const json::Value element : a.elements()) {
    if (!(at_b != end_b) || !equal(element, *at_b, budget)) {
      return false;
    }
    ++at_b;
  }
  return !(at_b != end_b);
}

bool equal_objects(json::Value a, json::Value b, WorkBudget& budget) {
  const std::size_t size = b.size();
  if (a.size() != size) {
    return false;
  }
  for (const json::Member member : a.members()) {
    if (!budget.spend(size)) {
      return false;
    }
    const json::Value other = b.find(member.name());
    if (!other || !equal(member.value, other, budget)) {
      return false;
    }
  }
  return true;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;  // 2^64 divided by the golden ratio
  a ^= b + golden + (a << 6U) + (a >> 2U);
  return a * golden;
}

std::uint64_t hash_string(json::Value string) {
  constexpr std::hash<std::string_view> hash_text;
  if (has_escape(string)) {
    return hash_text(string.string_or(""));
  }
  const std::string_view raw = string.raw();
  return hash_text(raw.substr(1, raw.size() - 2));
}

struct Hashed {
  std::uint64_t hash;
  std::size_t position;
  json::Value value;
};

}  // namespace

bool equal(json::Value a, json::Value b, WorkBudget& budget) {
  if (!a || !b || a.kind() != b.kind() || !budget.spend(text_steps(a))) {
    return false;
  }
  switch (a.kind()) {
    case json::Kind::null:
      return true;
    case json::Kind::boolean:
      return a.as_bool() == b.as_bool();
    case json::Kind::number:
      return a.raw() == b.raw() || Decimal(a.raw()) == Decimal(b.raw());
    case json::Kind::string:
      return equal_strings(a, b);
    case json::Kind::array:
      return equal_arrays(a, b, budget);
    case json::Kind::object:
      return equal_objects(a, b, budget);
  }
  return false;
}

std::uint64_t hash(json::Value value, WorkBudget& budget) {
  auto result = static_cast<std::uint64_t>(value.kind());
  if (!budget.spend(text_steps(value))) {
    return result;
  }
  switch (value.kind()) {
    case json::Kind::null:
      break;
    case json::Kind::boolean:
      return mix(result, value.bool_or(false) ? 1 : 0);
    case json::Kind::number:
      return mix(result, Decimal(value.raw()).hash());
    case json::Kind::string:
      return mix(result, hash_string(value));
    case json::Kind::array:
      for (const json::Value element : value.elements()) {
        result = mix(result, hash(element, budget));
      }
      break;
    case json::Kind::object:
      for (const json::Member member : value.members()) {
        // Addition forgets the order.
        result += mix(hash_string(member.key), hash(member.value, budget));
      }
      break;
  }
  return result;
}

std::optional<std::pair<std::size_t, std::size_t>> find_duplicate(json::Value array,
                                                                  WorkBudget& budget) {
  std::vector<Hashed> seen;
  for (const json::Value element : array.elements()) {
    seen.push_back({hash(element, budget), seen.size(), element});
  }
  std::sort(seen.begin(), seen.end(), [](const Hashed& a, const Hashed& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.position < b.position;
  });
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (std::size_t j = i + 1; j < seen.size() && seen[j].hash == seen[i].hash; ++j) {
      if (budget.is_spent()) {
        return std::nullopt;
      }
      if (equal(seen[i].value, seen[j].value, budget)) {
        return std::pair(seen[i].position, seen[j].position);
      }
    }
  }
  return std::nullopt;
}

}  // namespace pi_mcp::schema
