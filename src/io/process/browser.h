// Shows an address to the person in front of this machine.
#pragma once

#include <map>
#include <string>

namespace pi_mcp::io {

// Lets $BROWSER open the address, else the desktop's own way, and does not wait for it: it goes on
// when we end. False when nothing was tried: no desktop, a session over SSH, or no such program.
// True does not mean that anybody saw it.
bool open_browser(const std::string& url, const std::map<std::string, std::string>& environment);

// There is something to try.
[[nodiscard]] bool has_browser(const std::map<std::string, std::string>& environment);

}  // namespace pi_mcp::io
