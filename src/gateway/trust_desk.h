// Stands between a request and a server of the project that the user has not allowed yet: asks once
// where the host can ask, and says what to do where it cannot. One per session.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/settings.h"
#include "gateway/answer.h"
#include "gateway/call_context.h"
#include "gateway/manage.h"
#include "gateway/roster.h"
#include "gateway/tool_request.h"
#include "gateway/trust_note.h"
#include "io/condition.h"
#include "io/task.h"

namespace pi_mcp::gateway {

// The server without trust that a request is about: the one it names, or the one whose prefix the
// name of its tool has when no other server knows the tool. Empty: none.
std::string server_without_trust(const Roster& roster, const ToolRequest& request);

// What has to be asked before that server may be used: all open questions about its folder.
std::vector<config::TrustRequest> trust_needed(const Roster& roster, const std::string& server);

class TrustDesk {
 public:
  // Both outlive it.
  TrustDesk(const Roster& roster, const ConfigAccess& access) : roster_(roster), access_(access) {}

  // False, at next to no cost, for every request of a session without open questions.
  [[nodiscard]] bool concerns(const ToolRequest& request) const {
    return !roster_.settings().trust_requests.empty() &&
           !server_without_trust(roster_, request).empty();
  }
  // How the next step is said to who reads our answers.
  [[nodiscard]] TrustStep step() const;
  // nullopt: nothing stands in the way any more. Asks with calls, connect and describe only; one
  // question at a time, and none again after a no.
  io::Task<std::optional<Answer>> admit(ToolRequest request, CallContext context);

 private:
  enum class Decision : std::uint8_t { trust, once, no };
  io::Task<Result<Decision>> ask(std::vector<config::TrustRequest> requests, CallContext context);
  // Waits for the question that somebody else has asked.
  io::Task<bool> wait_for_answer();

  const Roster& roster_;
  const ConfigAccess& access_;
  std::set<std::string> refused_;          // folders, for the session
  std::shared_ptr<io::Condition> asking_;  // not null while a question is open
};

}  // namespace pi_mcp::gateway
