// mcp({ tool, args, server? }): finds the tool, checks the arguments, starts its server when that
// is needed, calls, and relays the answer.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "gateway/approval_gate.h"
#include "gateway/call_context.h"
#include "gateway/relay.h"
#include "gateway/roster.h"
#include "gateway/schema_memo.h"
#include "gateway/search_index.h"
#include "gateway/tool_request.h"
#include "gateway/tool_result.h"
#include "io/task.h"

namespace pi_mcp::gateway {

// What calls of one session share. The pointers outlive every call.
struct CallParts {
  Roster* roster = nullptr;
  SearchIndex* index = nullptr;
  SchemaMemo* schemas = nullptr;
  ApprovalGate* gate = nullptr;
  HostKind host = HostKind::mcp;
  RelayLimits limits;
  std::size_t details_bytes_max = 0;  // larger raw results are summarised in the details
  Spill spill;
};

// A call that waits for nothing but its server's answer, without a task. Destroying it before that
// cancels the server's call.
class QuickCall {
 public:
  // Nothing: the answer asks for more; finish() says what became of the call.
  using Ended = std::function<void(std::optional<ToolResult>)>;

  QuickCall() = default;
  QuickCall(const QuickCall&) = delete;
  QuickCall& operator=(const QuickCall&) = delete;
  QuickCall(QuickCall&&) = delete;
  QuickCall& operator=(QuickCall&&) = delete;
  virtual ~QuickCall() = default;

  // The call outlives the task.
  virtual io::Task<ToolResult> finish() = 0;
};

// Begins a call whose tool is known, whose arguments fit, that needs nobody's approval and whose
// server is connected. Null: it is another one, for call_tool(), and nothing was done. `parts`
// outlives it. `ended` is called once, later and from the loop, and may destroy it.
std::unique_ptr<QuickCall> begin_quick_call(const CallParts* parts,
                                            const ToolRequest& request,
                                            const CallContext& context,
                                            QuickCall::Ended ended);

// `parts` outlives the task. Cancelling the task cancels the server's call.
io::Task<ToolResult> call_tool(const CallParts* parts, ToolRequest request, CallContext context);

}  // namespace pi_mcp::gateway
