// Which paths can be said before a project is trusted: whoever wrote it has chosen what its files
// are called, and a sentence there would reach a model. Pure.
#pragma once

#include <string_view>

namespace pi_mcp::config {

// Every name of the path but those that lead to `folder` as well is a plain word: a few letters,
// digits, dots, dashes, underscores.
[[nodiscard]] bool has_plain_names(std::string_view path, std::string_view folder);

}  // namespace pi_mcp::config
