// When two hosts have the same roots. Pure.
#pragma once

#include <string>

#include "rpc/message.h"

namespace pi_mcp::servers {

// A digest of what a host answers to roots/list; its order does not count. Empty for a failure.
std::string roots_digest(const rpc::Message& answer);

}  // namespace pi_mcp::servers
