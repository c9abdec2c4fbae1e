// --for NAME: what a command does for a token over HTTP in place of the user.
#pragma once

#include <optional>

#include "access/principal.h"
#include "base/result.h"
#include "cli/setup.h"

namespace pi_mcp::cli {

// The set-up of those that come over HTTP: no project counts, since who asks is not in it.
Setup as_served(Setup setup);

// Whom --for names; nullopt without it. not_found: there is no such token. The file of tokens
// cannot be read.
Result<std::optional<access::Principal>> principal_option(const Setup& setup);

}  // namespace pi_mcp::cli
