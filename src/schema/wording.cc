#include "schema/wording.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.h"
#include "json/writer.h"

namespace pi_mcp::schema {
namespace {

// Stops soon after `bytes_max`. Depth is limited by the parser that made the value.
void append_literal(std::string& out, json::Value value, std::size_t bytes_max) {
  if (!value.is_array() && !value.is_object()) {
    if (value.is_string()) {
      json::append_quoted(out, value.string_or(""));
    } else {
      out += value.raw();
    }
    return;
  }
  std::string_view before = value.is_object() ? "{" : "[";
  for (const json::Member child : value.children()) {
    if (out.size() > bytes_max) {
      break;
    }
    out += std::exchange(before, ",");
    if (child.key) {
      json::append_quoted(out, child.name());
      out += ':';
    }
    append_literal(out, child.value, bytes_max);
  }
  out += before == "," ? "" : before;
  out += value.is_object() ? '}' : ']';
}

}  // namespace

std::string literal(json::Value value, std::size_t units_max) {
  constexpr std::size_t bytes_per_unit_max = 3;  // of UTF-8, for one UTF-16 unit
  std::string out;
  append_literal(out, value, units_max * bytes_per_unit_max);
  return text::cut(text::printable(out), units_max);
}

std::string literals(const std::vector<json::Value>& values, std::size_t units_max) {
  std::string out;
  std::size_t units = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string one = literal(values[i], units_max);
    units += text::utf16_length(one) + 2;
    if (units > units_max + 2 && i > 0) {
      return out + ", ... (" + std::to_string(values.size() - i) + " more)";
    }
    out += (i == 0 ? "" : ", ") + one;
  }
  return out;
}

std::vector<json::Value> to_vector(json::Value array) {
  std::vector<json::Value> values;
  for (const json::Value element : array.elements()) {
    values.push_back(element);
  }
  return values;
}

namespace {

// Long enough to recognise the value, short enough for a list of violations.
constexpr std::size_t got_units_max = 60;
constexpr std::size_t allowed_units_max = 300;
constexpr std::size_t pattern_units_max = 120;
constexpr std::size_t path_token_units_max = 100;

}  // namespace

std::string shown_word(std::string_view word, std::size_t units_max) {
  const std::string line = text::printable_line(word);
  const bool is_plain = line == text::printable(word);
  return text::cut(is_plain ? line : text::printable(json::quoted(word)), units_max);
}

std::string type_names(TypeSet types) {
  constexpr std::array<std::pair<TypeSet, std::string_view>, 7> known = {{
      {type_of(json::Kind::string), "string"},
      {type_of(json::Kind::number), "number"},
      {integer_type, "integer"},
      {type_of(json::Kind::boolean), "boolean"},
      {type_of(json::Kind::object), "object"},
      {type_of(json::Kind::array), "array"},
      {type_of(json::Kind::null), "null"},
  }};
  std::vector<std::string_view> names;
  for (const auto& [type, name] : known) {
    const bool is_covered = type == integer_type && (types & type_of(json::Kind::number)) != 0;
    if ((types & type) != 0 && !is_covered) {
      names.push_back(name);
    }
  }
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    out += names[i];
  }
  return out;
}

std::string wrong_type(TypeSet expected, json::Value instance) {
  const bool is_fraction = instance.is(json::Kind::number) && (expected & integer_type) != 0;
  return "expected " + type_names(expected) + ", got " +
         (is_fraction ? literal(instance, got_units_max)
                      : std::string(json::kind_name(instance.kind())));
}

std::string wrong_value(const std::vector<json::Value>& allowed, json::Value instance) {
  return (allowed.size() == 1 ? "expected " : "expected one of ") +
         literals(allowed, allowed_units_max) + ", got " + literal(instance, got_units_max);
}

std::string wrong_count(std::uint64_t min,
                        std::uint64_t max,
                        std::uint64_t count,
                        std::string_view unit) {
  const bool too_few = count < min;
  const std::uint64_t limit = too_few ? min : max;
  std::string plural(unit);
  if (limit != 1) {
    plural = unit == "property"          ? "properties"
             : unit.starts_with("item ") ? "items" + std::string(unit.substr(4))
                                         : plural + "s";
  }
  return (too_few ? "needs at least " : "allows at most ") + std::to_string(limit) + " " + plural +
         ", got " + std::to_string(count);
}

std::string wrong_number(std::string_view words, json::Value limit, json::Value instance) {
  return "must be " + std::string(words) + literal(limit, got_units_max) + ", got " +
         literal(instance, got_units_max);
}

std::string wrong_pattern(std::string_view pattern) {
  return "must match the pattern " + shown_word(pattern, pattern_units_max);
}

namespace {

// Lower case, without what joins words.
std::string folded(std::string_view name) {
  std::string out = text::lower(name);
  std::erase_if(out, [](char c) { return c == '_' || c == '-' || c == '.' || c == ' '; });
  return out;
}

// How far two folded names are from each other: their edit distance, but less when one is the
// beginning or the end of the other ("q" and "query", "path" and "file_path").
std::size_t distance(const std::string& wanted, const std::string& known) {
  const bool is_part = wanted.size() < known.size()
                           ? known.starts_with(wanted) || known.ends_with(wanted)
                           : wanted.starts_with(known) || wanted.ends_with(known);
  return is_part && !wanted.empty() && !known.empty() ? std::min<std::size_t>(1, wanted.size() / 3)
                                                      : text::edit_distance(wanted, known);
}

}  // namespace

std::string unknown_property(json::Value properties, json::Value required, std::string_view name) {
  // Distances are only measured between short names, and not for thousands of them.
  constexpr std::size_t name_bytes_max = 64;
  constexpr std::size_t names_max = 500;
  const std::string wanted = folded(name.substr(0, name_bytes_max));
  std::size_t best_distance = wanted.size() / 3 + 1;
  std::string best;
  std::size_t count = 0;
  const auto compare = [&](const std::string& known) {
    const bool counts = count++ < names_max && known.size() <= name_bytes_max;
    const std::size_t far = counts ? distance(wanted, folded(known)) : best_distance;
    if (far < best_distance) {
      best = known;
      best_distance = far;
    }
  };
  for (const json::Member property : properties.members()) {
    compare(property.name());
  }
  for (const json::Value element : required.elements()) {
    compare(element.string_or(""));
  }
  return std::string(plain_unknown_property) +
         (best.empty()
              ? ""
              : ", did you mean " +
                    json::quoted(text::cut(text::printable(best), path_token_units_max)) + "?");
}

void append_path(std::string& path, std::string_view name) {
  const std::string shown = shown_word(name, path_token_units_max);
  path += '/';
  for (const char c : shown) {
    if (c == '~' || c == '/') {
      path += c == '~' ? "~0" : "~1";
    } else {
      path += c;
    }
  }
}

void append_path(std::string& path, std::size_t index) {
  path += '/';
  path += std::to_string(index);
}

}  // namespace pi_mcp::schema
