// What we ask the user ourselves: forms of one field (elicitation/create), which a host shows as a
// dialog.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "io/loop/task.h"
#include "tool/call_context.h"

namespace pi_mcp::tool {

// Somebody can be asked.
[[nodiscard]] bool can_ask_user(const CallContext& context);

struct UserChoice {
  std::string value;
  std::string title;  // as the user sees it
};

// All: unavailable, nobody can be asked or there was no answer; cancelled, also by the user, who
// closed the dialog.

// The value of what was chosen.
io::Task<Result<std::string>> ask_choice(CallContext context,
                                         std::string message,
                                         std::vector<UserChoice> choices);
// The values of what was chosen; there may be none.
io::Task<Result<std::vector<std::string>>> ask_several(CallContext context,
                                                       std::string message,
                                                       std::vector<UserChoice> choices);
// What was typed.
io::Task<Result<std::string>> ask_text(CallContext context, std::string message);

}  // namespace pi_mcp::tool
