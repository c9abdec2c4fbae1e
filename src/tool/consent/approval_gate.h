// Whether a call may run without a question to the user (approveTools), and the question. One per
// session.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/catalog.h"
#include "config/identity.h"
#include "io/loop/task.h"
#include "registry/server_registry.h"
#include "render/host_kind.h"
#include "tool/call_context.h"
#include "tool/consent/approvals.h"
#include "tool/consent/stored_approvals.h"
#include "tool/lookup.h"
#include "tool/text.h"
#include "tool/tool_hints.h"

namespace pi_mcp::tool {

class ApprovalGate {
 public:
  // `registry` outlives it. Reads the file of approvals, of the user or of the principal, when a
  // call first needs one.
  ApprovalGate(const registry::ServerRegistry& registry, render::HostKind host)
      : registry_(registry),
        host_(host),
        stored_(config::own_dir(registry.settings().agent_dir, registry.settings().principal)) {}

  // Whether the host can show a form to its user: the default where nobody has configured it.
  void meet_host(bool can_ask) { can_ask_ = can_ask; }

  // What was allowed for the session is of another one from now on: the one that the host calls
  // `id`.
  void begin_session(std::string id);

  // The user has to be asked for the tool, and has not allowed it yet.
  [[nodiscard]] bool must_ask_for(const Target& target);

  [[nodiscard]] bool reads_only(const Target& target);

  // What stands behind the tool's name in lists.
  [[nodiscard]] ToolMarks marks(const catalog::CatalogTool& tool) const;

  struct Refusal {
    std::string_view code;  // details.error; empty: the call may run
    std::string text;
  };
  // Asks for one call with these arguments, JSON, and remembers an answer that reaches further.
  // Where the call has an `origin` (ToolRequest), other extensions of the host decide first, about
  // every call; the user is asked where they leave it open. cancelled with the task.
  io::Task<Result<Refusal>> ask(Target target,
                                std::string arguments,
                                std::string origin,
                                CallContext context);

 private:
  io::Task<Result<Refusal>> ask_user(Target target, std::string arguments, CallContext context);

  struct ToolNames {
    std::string_view server;
    std::string_view original;
    std::string_view shown;
  };
  [[nodiscard]] bool is_asked_for(const ToolNames& names, const ToolHints& hints) const;
  [[nodiscard]] bool is_projects(std::string_view server) const;
  [[nodiscard]] const ToolHints& hints(const Target& target);
  // The server's name for people; it says so when the server is the project's.
  [[nodiscard]] std::string asker(const std::string& server) const;
  [[nodiscard]] std::string identity(std::string_view server) const;
  void grant(ApprovalAnswer answer, const Target& target);

  const registry::ServerRegistry& registry_;
  render::HostKind host_;
  bool can_ask_ = false;
  HintMemo memo_;
  Approvals approvals_;
  StoredApprovals stored_;
};

}  // namespace pi_mcp::tool
