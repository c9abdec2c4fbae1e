// How violations and schemas are put in words: short, bounded, safe to show. Pure: no I/O, no
// clock.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "schema/program.h"

namespace pi_mcp::schema {

// A value as one line of JSON in the spelling of JSON.stringify: escapes in strings only where
// needed. Longer than `units_max` UTF-16 units it is cut and ends in "...".
std::string literal(json::Value value, std::size_t units_max);

// A name, type, reference or pattern of a schema: printable and always one line, since what begins
// a line of ours must not be a server's. One with line breaks or tabs is written as in JSON.
std::string shown_word(std::string_view word, std::size_t units_max);

// literal()s with comma and space between, as many as fit in `units_max`, then ", ... (12 more)".
std::string literals(const std::vector<json::Value>& values, std::size_t units_max);

std::vector<json::Value> to_vector(json::Value array);

// "string or null"; "integer" is left out beside "number".
std::string type_names(TypeSet types);

// "expected integer, got string"
std::string wrong_type(TypeSet expected, json::Value instance);

// "expected one of "a", "b", got "c""
std::string wrong_value(const std::vector<json::Value>& allowed, json::Value instance);

// "must have at least 1 item, has 0"
std::string wrong_count(std::uint64_t min,
                        std::uint64_t max,
                        std::uint64_t count,
                        std::string_view unit);

// "must be at least 1, got 0"; `words` are "at least ".
std::string wrong_number(std::string_view words, json::Value limit, json::Value instance);

// "must match the pattern ^[a-z]+$"
std::string wrong_pattern(std::string_view pattern);

// plain_unknown_property, and which of the schema's names was perhaps meant.
constexpr std::string_view plain_unknown_property = "unknown property";
std::string unknown_property(json::Value properties, json::Value required, std::string_view name);

// "/name" as a JSON pointer token, cut to a readable length.
void append_path(std::string& path, std::string_view name);
void append_path(std::string& path, std::size_t index);

}  // namespace pi_mcp::schema
