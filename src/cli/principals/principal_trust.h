// `pi-mcp trust --for NAME`: what a token over HTTP may call without a question.
#pragma once

#include "access/principal.h"
#include "cli/setup.h"
#include "cli/show/exit_status.h"

namespace pi_mcp::cli {

// Shows it, or withdraws it with --revoke: of the servers that are named, else all. Projects'
// files never count for a token, so there is nothing else of it to trust.
ExitStatus run_trust_for(const Setup& setup, const access::Principal& principal);

}  // namespace pi_mcp::cli
