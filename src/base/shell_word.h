// The words of a command line, as a POSIX shell reads them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pi_mcp::text {

// One word: `word` itself where no shell would divide or change it, else in single quotation marks.
std::string shell_word(std::string_view word);

// The words of a command line as a POSIX shell divides it: quotation marks and backslashes keep
// words together and are gone. Nothing is expanded: variables and wildcards stay as they are
// written. invalid_argument: a quotation mark is not closed, or a shell would do more (pipes, other
// commands); the message says which and what to write.
Result<std::vector<std::string>> shell_words(std::string_view line);

}  // namespace pi_mcp::text
