// Errors of servers that were spoken to in a protocol in which they cannot do what a call wants,
// though they speak the other one too. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "mcp/revisions.h"

namespace pi_mcp::mcp {

// What a server wants to be spoken to in (never automatic) that was spoken to in `spoken` and says
// `error`; nullopt: the text does not mean that. `could_ask`: it was declared that it may ask.
std::optional<Protocol> wanted_protocol(std::string_view error, Revision spoken, bool could_ask);

}  // namespace pi_mcp::mcp
