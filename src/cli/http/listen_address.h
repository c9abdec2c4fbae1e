// Where `serve --http` listens, as people write it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pi_mcp::cli {

constexpr std::string_view http_port_default = "8808";

// "127.0.0.1:8808" of "127.0.0.1:8808", "127.0.0.1", ":8808" and "8808"; "[::1]:8808" of "[::1]";
// "unix:PATH" as it is. invalid_argument: nothing was said, or an address without the brackets that
// its colons need.
Result<std::string> listen_address(std::string_view said);

// For people, once it listens there.
std::string listening_text(std::string_view address, bool has_tls);
// What they should know of who can come in there or listen to it, a sentence each. `names`: hosts
// by which it may be called besides those of this machine.
std::vector<std::string> listening_warnings(std::string_view address,
                                            bool has_tls,
                                            const std::vector<std::string>& names);

}  // namespace pi_mcp::cli
