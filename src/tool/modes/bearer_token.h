// /mcp token: the bearer token of a server, kept with the user's stored secrets and named in the
// server's entry as ${keyring:NAME}.
#pragma once

#include <string>

#include "io/loop/task.h"
#include "tool/answer.h"
#include "tool/call_context.h"
#include "tool/mode_parts.h"

namespace pi_mcp::tool {

// Asks the user for the token, which is in no argument and no answer. `parts` outlives the task.
io::Task<Answer> set_bearer_token(ModeParts* parts, std::string server, CallContext context);
io::Task<Answer> remove_bearer_token(ModeParts* parts, std::string server);

// /mcp secret: any of the user's stored secrets. The same holds.
io::Task<Answer> set_secret(ModeParts* parts, std::string name, CallContext context);
io::Task<Answer> remove_secret(ModeParts* parts, std::string name);

}  // namespace pi_mcp::tool
