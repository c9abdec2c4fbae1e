// One word of a command line, as a POSIX shell has to be given it. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pi_mcp::text {

// `word` itself where no shell would divide or change it, else in single quotation marks.
std::string shell_word(std::string_view word);

}  // namespace pi_mcp::text
