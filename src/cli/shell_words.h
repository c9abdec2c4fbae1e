// The texts of the `mcp` tool name the next step as `mcp({ ... })`; in a shell the same step is a
// command. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pi_mcp::cli {

// `mcp({ connect: "x" })` becomes `pi-mcp connect x`; what is not understood stays as it is.
std::string in_shell_words(std::string_view text);

// One word for a POSIX shell, quoted when it has to be; the placeholder "name" of the texts becomes
// SERVER.
std::string shell_word(std::string_view word);

}  // namespace pi_mcp::cli
