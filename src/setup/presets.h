// Well-known servers that are offered to somebody who has none: names, and the addresses and
// commands that their makers publish. Pure.
#pragma once

#include <span>
#include <string_view>

namespace pi_mcp::setup {

struct Preset {
  std::string_view name;
  std::string_view what;   // for people: what it is for, and what it wants
  std::string_view entry;  // of a configuration file, JSON
};

std::span<const Preset> presets();

}  // namespace pi_mcp::setup
