// YAML as a tree with positions, and as JSON text, so that one set of translations reads it.
// Scalars mean what YAML 1.2's core schema says: `yes` and `on` are strings; `<<` is a key like
// others. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pi_mcp::config {

struct YamlNode {
  enum class Kind : std::uint8_t { null, scalar, alias, list, map };
  Kind kind = Kind::null;
  bool plain = false;      // a scalar without quotes and tag, which may be a number
  bool flow = false;       // a list or map between brackets
  std::size_t at = 0;      // where it begins, with its anchor and tag; not reliable for null
  std::size_t anchor = 0;  // its own, or the one that an alias names; 0: none
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string text = {};  // of a scalar, decoded
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::vector<YamlNode> children = {};  // of a map: key, value, key, value, …
};

// A file of one document; a blank one is null. No byte order mark. invalid_argument names line,
// column and reason.
Result<YamlNode> parse_yaml(std::string_view text);

// Aliases are written out, at most 8 MiB in all. Infinities become null.
Result<std::string> yaml_to_json(const YamlNode& root);
Result<std::string> yaml_to_json(std::string_view text);

}  // namespace pi_mcp::config
