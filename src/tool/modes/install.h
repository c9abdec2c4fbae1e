// Adding a server: mcp({ action: "install", url }) of a model, and /mcp add and /mcp install of a
// person. The user says yes to what is shown, the server is tried, and only then it is written.
#pragma once

#include <string>

#include "io/loop/task.h"
#include "tool/answer.h"
#include "tool/call_context.h"
#include "tool/mode_parts.h"
#include "tool/modes/new_server.h"

namespace pi_mcp::tool {

struct Installation {
  NewServer server;
  bool by_person = false;  // who may keep a server that did not start
};

// `parts` outlives the task.
io::Task<Answer> install_server(ModeParts* parts, Installation wanted, CallContext context);

}  // namespace pi_mcp::tool
