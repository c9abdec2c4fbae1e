// Schemas as text for a model or a person. Two forms: a line per property, which any schema has,
// and a TypeScript type, which is shorter and which plain schemas have. Both are bounded in size
// and depth, and safe to show. Pure: no I/O, no clock.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace pi_mcp::schema {

// "  city (string) *required* - Where to look [minLength: 2]", a line per property, nested ones two
// spaces deeper; every line starts with `indent`, none ends the text. $ref and allOf are shown as
// what they stand for. "(no schema)", "(no parameters)", "(object)" or "(complex schema)" where
// there is nothing to list. At most 32 KiB and eight levels; what was left out is marked by "...".
// In a schema of more than 4 KiB required properties come before the others.
std::string render_parameters(json::Value schema, std::string_view indent);

// A line of render_parameters(), for who lays it out himself. Everything is printable.
struct ParameterLine {
  std::size_t depth = 0;
  std::string head;         // "city (string) *required*", "anyOf:", "- string"
  std::string description;  // may have several lines
  std::string limits;       // " [minLength: 2]"; empty: none
};
std::vector<ParameterLine> parameter_lines(json::Value schema);

// An enumeration of which the lines show only the first values.
struct LongEnumeration {
  std::string name;    // of one inside others "filter.city"
  std::string values;  // printable, at most 32 KiB of them
};
std::vector<LongEnumeration> long_enumerations(json::Value schema);

// What a schema says of one parameter besides its type.
struct ParameterWords {
  std::string name;         // of one inside others "filter.city", "rows[].id"
  std::string description;  // printable; with its format, if it has one
  bool required = false;    // it and everything around it
  bool has_format = false;  // a format or a pattern
};
// Of parameters that say something, in the order of the schema; three levels and 64 at most.
std::vector<ParameterWords> parameter_words(json::Value schema);

// "{ city: string; days?: number; }", with a line "type Name = ...;" before it for each definition
// that is used. nullopt when the schema says more than that can: conditions, not, patterns,
// additional properties, references elsewhere, or more than 16 KiB of it. An allOf of plain objects
// is merged.
std::optional<std::string> typescript_shape(json::Value schema);

}  // namespace pi_mcp::schema
