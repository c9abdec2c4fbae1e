#include "gateway/mode_instructions.h"

#include "base/text.h"
#include "gateway/answer.h"
#include "gateway/answer_budget.h"
#include "gateway/failures.h"
#include "gateway/tool_text.h"

namespace pi_mcp::gateway {

ToolResult instructions_result(const Roster& roster, const ToolRequest& request) {
  const std::string& name = request.instructions;
  const config::Server* server = roster.find(name);
  if (server == nullptr) {
    return unknown_server(Mode::instructions, name).take();
  }
  if (server->disabled) {
    return disabled_server(Mode::instructions, name).take();
  }
  const std::string& instructions = roster.catalog().instructions(name);
  if (!instructions.empty()) {
    const TextPart part = {.text = instructions,
                           .offset = request.offset,
                           .tokens_max = answer_tokens_max(roster),
                           .more = "instructions: " + quoted(name)};
    return Answer(Mode::instructions, name + " instructions:\n\n" + shown_part(part))
        .with("server", name)
        .with("length", text::utf16_length(instructions))
        .take();
  }
  if (roster.catalog().knowledge(name) == catalog::Knowledge::unknown) {
    return Answer(Mode::instructions,
                  ToolResult::Failure::unavailable,
                  "not_connected",
                  "No instructions cached for \"" + name + "\". Use mcp({ connect: \"" + name +
                      "\" }) to connect and refresh.")
        .with("server", name)
        .take();
  }
  return Answer(Mode::instructions,
                ToolResult::Failure::not_found,
                "no_instructions",
                "Server \"" + name + "\" does not provide instructions.")
      .with("server", name)
      .take();
}

}  // namespace pi_mcp::gateway
