// One word of a command line, as a POSIX shell has to be given it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::text {

// `word` itself where no shell would divide or change it, else in single quotation marks.
std::string shell_word(std::string_view word);

// The words of a command line; nullopt where a shell would do more with it than divide it at
// spaces: quotes, pipes, other commands. Variables stay as they are written.
std::optional<std::vector<std::string>> plain_words(std::string_view line);

}  // namespace pi_mcp::text
