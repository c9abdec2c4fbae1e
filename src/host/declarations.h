// What a host says once and means for the whole session: a process that goes on where another has
// died is told it again.
#pragma once

#include <optional>

#include "rpc/message.h"
#include "transport/attached/attached_host.h"

namespace pi_mcp::host {

// nullopt: it counts for itself alone.
std::optional<transport::Declaration> declaration_of(const rpc::Message& message);

}  // namespace pi_mcp::host
