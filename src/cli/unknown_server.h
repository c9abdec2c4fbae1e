// What to say of a server that does not exist: which one somebody may have meant.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "config/settings.h"

namespace pi_mcp::cli {

// not_found: "there is no server "x"", and the nearest one, or `otherwise` when none is.
Error unknown_server(const config::Settings& settings,
                     std::string_view wrong,
                     std::string_view otherwise = "; pi-mcp status shows all");

// "configured are a, b", or "none is configured".
std::string configured_text(const config::Settings& settings);

}  // namespace pi_mcp::cli
