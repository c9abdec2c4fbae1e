// Where the keys are declared, one file for each kind. Internal to config/; others use keys.h.
#pragma once

#include <span>

#include "config/keys.h"

namespace pi_mcp::config {

std::span<const Key> server_keys();
std::span<const Key> settings_keys();

}  // namespace pi_mcp::config
