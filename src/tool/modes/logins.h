// Logins that a model starts and a person finishes: mcp({ action: "auth-start" }) and
// "auth-complete".
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "io/loop/task.h"
#include "registry/server_registry.h"
#include "registry/session_observer.h"
#include "tool/answer.h"
#include "tool/request.h"

namespace pi_mcp::tool {

// The logins of one session, one for each server.
class Logins {
 public:
  // Both outlive it; `observer` is told how a login ended.
  Logins(registry::ServerRegistry* registry, registry::SessionObserver* observer);
  Logins(const Logins&) = delete;
  Logins& operator=(const Logins&) = delete;
  Logins(Logins&&) = delete;
  Logins& operator=(Logins&&) = delete;
  ~Logins();

  // Answers with the URL that a person has to open; the login goes on in the background and ends by
  // itself when the browser comes back to this machine. A login under way is shown again.
  io::Task<Answer> start(ToolRequest request);
  // Takes what the person copied from the browser (args: redirectUrl, code or input), and waits for
  // the end of the login.
  io::Task<Answer> complete(ToolRequest request);

  // Forgets the tokens of a server, and ends its connection.
  io::Task<Answer> log_out(std::string server);

  // Waits for the end of a login whose person has come back already: somebody whom the browser told
  // so may be faster than the last requests.
  io::Task<void> settle(std::string server);

  // Replicas have logins together, and a person may come back to another one: whether it is time to
  // look for that before a request. Says no where no login is under way.
  [[nodiscard]] bool wants_look() const;
  // Ends logins that were completed elsewhere as if that had been here, then begins with `request`.
  // Asks for each login once in look_pause; one that cannot be asked for goes on.
  io::Task<Answer> look_first(io::Task<Answer> request);

  // Gives up what is under way. Must have returned before destruction.
  io::Task<void> close();

 private:
  static constexpr Milliseconds look_pause{3'000};
  struct Pending;
  io::Task<Result<Pending*>> begin(config::Server server);
  io::Task<void> run(Pending* pending);
  io::Task<void> use(Pending* pending);
  io::Task<void> look_at(std::shared_ptr<Pending> pending);
  io::Task<void> connect(std::string server);
  // Goes on with a login that was begun at another replica. False: none waits there.
  io::Task<Result<bool>> resume(std::string server, std::string pasted);
  static Answer started(const Pending& pending);

  registry::ServerRegistry* registry_;
  registry::SessionObserver* observer_;
  std::map<std::string, std::shared_ptr<Pending>, std::less<>> pending_;
  std::vector<std::shared_ptr<Pending>> ended_;  // replaced ones; their last step may still run
};

}  // namespace pi_mcp::tool
