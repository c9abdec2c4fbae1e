// Which calls the user has to allow (approveTools), and what the user has allowed. One per session.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "config/settings.h"
#include "gateway/tool_lookup.h"
#include "json/document.h"

namespace pi_mcp::gateway {

// Approvals of one session are forgotten over this number; people give far fewer.
constexpr std::size_t approvals_max = 10'000;

// True when the selection names the tool: all of them, a name or glob, or "destructive" for tools
// whose annotations do not say that they only read or do not destroy (MCP 2025-11-25,
// ToolAnnotations: a tool that says nothing may destroy).
[[nodiscard]] bool needs_approval(const config::Selection& selection, const Target& target);

// The params of the elicitation/create that asks for one call, JSON. `arguments` is JSON; long ones
// are cut for the eye.
[[nodiscard]] std::string approval_question(const Target& target, std::string_view arguments);

class Approvals {
 public:
  enum class Answer : std::uint8_t { once, session, server, denied };

  // What the host's result of elicitation/create means; anything unexpected is denied.
  [[nodiscard]] static Answer answer_of(json::Value result);

  // A grant is for the tool as it was shown: its server, name, schema and arguments.
  [[nodiscard]] bool has(const Target& target, std::string_view arguments) const;
  // Remembers an answer that reaches beyond the one call.
  void grant(Answer answer, const Target& target, std::string_view arguments);

 private:
  std::set<std::string, std::less<>> servers_;
  std::set<std::string> calls_;  // digests
};

}  // namespace pi_mcp::gateway
