// What a new configuration means for a server that is in use. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/keys.h"
#include "config/settings.h"

namespace pi_mcp::config {

enum class Difference : std::uint8_t {
  none,
  use,     // how its tools are shown and how long it is kept: its connection can stay
  launch,  // what is started, or with which limits
};

// Between two readings of one server's configuration.
Difference difference(const Server& before, const Server& after);

// Between two readings of the settings for all servers.
Difference difference(const Settings& before, const Settings& after);

// False for keys that only say how a server is used (Key::is_use).
[[nodiscard]] bool decides_a_launch(KeyScope scope, std::string_view name);

}  // namespace pi_mcp::config
