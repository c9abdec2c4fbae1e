// How violations and schemas are put in words: short, bounded, safe to show. Pure: no I/O, no
// clock.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "json/document.h"
#include "schema/program.h"

namespace pi_mcp::schema {

// A value as one line of JSON in the spelling of JSON.stringify: escapes in strings only where
// needed. Longer than `units_max` UTF-16 units it is cut and ends in "...".
std::string literal(json::Value value, std::size_t units_max);

// literal()s with comma and space between, as many as fit in `units_max`, then ", ... (12 more)".
std::string literals(std::span<const json::Value> values, std::size_t units_max);

// "string or null"; "integer" is left out beside "number".
std::string type_names(TypeSet types);

// "expected integer, got string"
std::string wrong_type(TypeSet expected, json::Value instance);

// "expected one of "a", "b", got "c""
std::string wrong_value(std::span<const json::Value> allowed, json::Value instance);

// "must have at least 1 item, has 0"
std::string wrong_count(Range allowed, std::uint64_t count, std::string_view unit);

// "must be at least 1, got 0"
std::string wrong_number(const NumberRule& rule, json::Value instance);

// "must match the pattern ^[a-z]+$"
std::string wrong_pattern(const Pattern& pattern);

// "unknown property", and a name that was perhaps meant.
std::string unknown_property(const ObjectRules& rules, std::string_view name);

// "/name" as a JSON pointer token, cut to a readable length.
void append_path(std::string& path, std::string_view name);
}  // namespace pi_mcp::schema
