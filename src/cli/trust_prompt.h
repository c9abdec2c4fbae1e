// The question on a terminal whether a project's files may be used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/show/console.h"
#include "tool/consent/trust_view.h"

namespace pi_mcp::cli {

enum class TrustReply : std::uint8_t { trust, once, no };

// What the files want, in full.
std::string trust_introduction(const tool::TrustView& view);

// Shows that on stderr and waits for a line of stdin; anything but y or o is a no. Only
// while nothing else runs: an interrupt ends the program.
TrustReply ask_trust(Console& console, const tool::TrustView& view);

// For a command that needs more of a server than its name.
Error needs_trust(std::string_view server, const config::Settings& settings);

// y or n.
bool ask_yes(Console& console, std::string_view question);

}  // namespace pi_mcp::cli
