// /mcp setup: what `pi-mcp setup` does, as questions that a host shows to its user.
#pragma once

#include "base/result.h"
#include "cli/setup.h"
#include "io/loop/task.h"
#include "tool/call_context.h"
#include "tool/modes/manage.h"

namespace pi_mcp::cli {

// `setup` outlives the task. `offers_presets`: well-known servers are offered, too.
io::Task<Result<tool::SetupOutcome>> talk_about_setup(const Setup* setup,
                                                      bool offers_presets,
                                                      tool::CallContext context);
// Takes all of it back, as `pi-mcp setup --undo`.
Result<tool::SetupOutcome> undo_setup(const Setup& setup);

}  // namespace pi_mcp::cli
