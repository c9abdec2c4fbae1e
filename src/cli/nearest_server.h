// The server that somebody may have meant.
#pragma once

#include <string>
#include <string_view>

#include "config/settings.h"

namespace pi_mcp::cli {

// Empty when no name is near.
std::string nearest_server(const config::Settings& settings, std::string_view wrong);

}  // namespace pi_mcp::cli
