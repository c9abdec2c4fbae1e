// An answer on its way to a shell command whose session another process of ours serves: as the
// result of a call of `mcp`, from which the command makes the value again. Both are the same build.
#pragma once

#include <string_view>

#include "base/result.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "tool/answer.h"

namespace pi_mcp::tool {

// The CallToolResult. A server's own result is in it byte by byte.
rpc::Outgoing carry_answer(const Answer& answer, std::string_view text);

// protocol: this is no answer that was carried. Whole but for what only a renderer for models
// needs; of the facts there are their text and their details.
Result<Answer> take_carried(Mode mode, const rpc::Message& response);

}  // namespace pi_mcp::tool
