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
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "registry/server_registry.h"
#include "tool/answer.h"
#include "tool/call_context.h"
#include "tool/consent/trust_note.h"
#include "tool/modes/manage.h"
#include "tool/request.h"

namespace pi_mcp::tool {

// The server without trust that a request is about: the one it names, or the one whose prefix the
// name of its tool has when no other server knows the tool. Empty: none.
std::string server_without_trust(const registry::ServerRegistry& registry,
                                 const ToolRequest& request);

// What has to be asked before that server may be used: every open question about its folder.
std::vector<config::TrustRequest> trust_needed(const registry::ServerRegistry& registry,
                                               const std::string& server);

class TrustGate {
 public:
  // Both outlive it.
  TrustGate(const registry::ServerRegistry& registry, const ConfigAccess& access)
      : registry_(registry), access_(access) {}

  // False, at next to no cost, for every request of a session without open questions.
  [[nodiscard]] bool concerns(const ToolRequest& request) const {
    return !registry_.settings().trust_requests.empty() &&
           !server_without_trust(registry_, request).empty();
  }
  // How whoever reads our answers is told the next step.
  [[nodiscard]] TrustStep step() const;
  // What answers about all servers say of those that need trust.
  [[nodiscard]] TrustNote note() const {
    return trust_note(registry_.settings(), step(), refused_);
  }
  // nullopt: nothing stands in the way any more. Asks with calls, connect and describe only; one
  // question at a time, and none again after a no.
  io::Task<std::optional<Answer>> admit(ToolRequest request, CallContext context);
  // Asks about all that waits for the user's yes here, also what was refused before; where nothing
  // does, whether the folder as a whole is trusted.
  io::Task<Answer> ask_about_folder(CallContext context);
  // What was refused may be asked for again.
  void begin_session() { refused_.clear(); }

 private:
  enum class Decision : std::uint8_t { trust, once, no };
  io::Task<Result<Decision>> ask(std::vector<config::TrustRequest> requests, CallContext context);
  io::Task<Result<Decision>> ask_about_files(CallContext context);
  // Waits for the question that somebody else has asked.
  io::Task<bool> wait_for_answer();

  const registry::ServerRegistry& registry_;
  const ConfigAccess& access_;
  std::set<std::string> refused_;          // folders, for the session
  std::shared_ptr<io::Condition> asking_;  // not null while a question is open
};

}  // namespace pi_mcp::tool
