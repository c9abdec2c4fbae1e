// mcp({ tool, args, server? }): finds the tool, checks the arguments, starts its server when that
// is needed, calls, and relays the answer.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "io/loop/task.h"
#include "tool/answer.h"
#include "tool/call_context.h"
#include "tool/lookup.h"
#include "tool/mode_parts.h"
#include "tool/request.h"

namespace pi_mcp::tool {

// A call that waits for nothing but its server's answer, without a task. Destroying it before that
// cancels the server's call.
class QuickCall {
 public:
  // Nothing: the answer asks for more; finish() says what became of the call.
  using Ended = std::function<void(std::optional<Answer>)>;

  QuickCall() = default;
  QuickCall(const QuickCall&) = delete;
  QuickCall& operator=(const QuickCall&) = delete;
  QuickCall(QuickCall&&) = delete;
  QuickCall& operator=(QuickCall&&) = delete;
  virtual ~QuickCall() = default;

  // The call outlives the task.
  virtual io::Task<Answer> finish() = 0;
};

// Begins a call whose tool is known, whose arguments fit, that needs nobody's approval and whose
// server is connected. Null: not such a call; nothing was done, and run_call() runs it. `parts`
// outlives it. `ended` is called once, later and from the loop, and may destroy it.
std::unique_ptr<QuickCall> begin_quick_call(const ModeParts* parts,
                                            const ToolRequest& request,
                                            const CallContext& context,
                                            QuickCall::Ended ended);

// Calls a tool that was found, or reads a resource (Mode::read). `parts` outlives the task.
io::Task<Answer> call_target(ModeParts* parts,
                             ToolRequest request,
                             CallContext context,
                             Target target);

}  // namespace pi_mcp::tool
