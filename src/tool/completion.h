// completion/complete: values for an argument of a prompt, or for a variable of a template.
#pragma once

#include "io/loop/task.h"
#include "registry/server_registry.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "tool/call_context.h"
#include "tool/prompts.h"
#include "tool/resource_owners.h"

namespace pi_mcp::tool {

// What completion needs of a session; all of it outlives the task.
struct CompletionParts {
  registry::ServerRegistry* registry = nullptr;
  const Prompts* prompts = nullptr;
  const ResourceOwners* owners = nullptr;
};

// The reply of the server that has the prompt or the template; no values when it completes nothing.
// `request` outlives the task.
io::Task<rpc::Outgoing> complete(CompletionParts parts,
                                 const rpc::Message* request,
                                 CallContext context);

}  // namespace pi_mcp::tool
