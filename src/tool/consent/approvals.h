// Which calls the user has to allow (approveTools), how that is asked, and what an answer means.
// Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "config/settings.h"
#include "json/document.h"
#include "tool/lookup.h"
#include "tool/tool_hints.h"

namespace pi_mcp::tool {

// More approvals than this of one session are forgotten; people give far fewer.
constexpr std::size_t approvals_max = 10'000;

// True when the selection names the tool: all of them; a name or glob of `original`, the server's
// own name, or of `displayed`; "marked" for tools whose annotations say that they destroy;
// "destructive" for those whose annotations do not say that they only read or do not destroy (MCP
// 2025-11-25, ToolAnnotations: a tool that says nothing may destroy).
[[nodiscard]] bool needs_approval(const config::Selection& selection,
                                  std::string_view original,
                                  std::string_view displayed,
                                  const ToolHints& hints);

// The params of the elicitation/create that asks for one call, JSON. `server` is what people call
// the server of the tool. `arguments` is JSON; long ones are cut for the eye.
[[nodiscard]] std::string approval_question(std::string_view server,
                                            std::string_view tool,
                                            std::string_view arguments);

// The params of the elicitation/create that other extensions of the host answer, not the user:
// what is called is in `_meta`. `origin` is one of the words of that event of pi-mcp-adapter.
struct CalledTool {
  std::string_view server;
  std::string_view tool;  // as its server calls it
  std::string_view name;  // as it is shown
};
[[nodiscard]] std::string extensions_question(const CalledTool& called,
                                              std::string_view origin,
                                              std::string_view arguments);

enum class ExtensionsAnswer : std::uint8_t { open, once, session, no };

// Anything unexpected leaves it open.
[[nodiscard]] ExtensionsAnswer extensions_answer(json::Value result);

enum class ApprovalAnswer : std::uint8_t {
  once,
  session,        // this tool, whatever its arguments
  always_tool,    // also in other sessions
  always_server,  // every tool of the server
  no,
  declined,  // the host gave no choice of the user; some decline without asking anybody
};

// What the host's result of elicitation/create means; anything unexpected is a no.
[[nodiscard]] ApprovalAnswer approval_answer(json::Value result);

// Identifies what an approval is for: the tool as it was shown. `identity` is that of its server's
// entry (config/identity.h), so neither another tool nor another server of the same name has it.
[[nodiscard]] std::string tool_digest(const Target& target, std::string_view identity);
// Identifies an approval of every tool of a server.
[[nodiscard]] std::string server_digest(std::string_view server, std::string_view identity);

// What the user has allowed for one session.
class Approvals {
 public:
  [[nodiscard]] bool has(const std::string& digest) const { return digests_.contains(digest); }
  void grant(std::string digest);

 private:
  std::set<std::string> digests_;
};

}  // namespace pi_mcp::tool
