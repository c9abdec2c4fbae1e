// How long an answer to search, list or describe may be, as the configuration says. Pure.
#pragma once

#include <cstddef>

#include "config/environment.h"
#include "config/settings.h"
#include "registry/server_registry.h"

namespace pi_mcp::tool {

// Whether results are cut at all. Configuration decides; the environment has the last word, for one
// run without editing a file.
bool is_guarded(const config::Settings& settings, const config::Environment& environment);

// Tokens of one answer (outputGuard.searchMaxTokens); without a limit when nothing is cut.
std::size_t answer_tokens_max(const registry::ServerRegistry& registry);

}  // namespace pi_mcp::tool
