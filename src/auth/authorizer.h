// The tokens of one server in use: keeps them fresh, and answers a server's refusals with a better
// one where nobody has to be asked.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "auth/access.h"
#include "auth/challenge.h"
#include "auth/credentials.h"
#include "auth/token_request.h"
#include "auth/token_store.h"
#include "base/result.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "io/net/http_client.h"

namespace pi_mcp::auth {

// A request that a server answered with 401 or 403.
struct Refusal {
  int status = 0;
  std::vector<std::string> challenges;  // WWW-Authenticate, a line each
  std::string token;                    // what was sent; empty: none
  int attempt = 0;                      // how often this request was repeated already
};

class Authorizer {
 public:
  // `client` outlives it. `open`: shows a URL to a person; used only where access.may_ask.
  Authorizer(io::Executor executor,
             io::HttpClient* client,
             Access access,
             std::function<void(const std::string& url)> open = {});

  // The token for the next request; empty when there is none (yet). Renewed when it is about to
  // end. Cheap while it is fresh. unavailable: the authorisation server does not answer.
  io::Task<Result<std::string>> token();

  // Handles a refusal. true: send the request again with token(). false: nothing
  // that tokens can do. unauthorized: a person has to log in, and how.
  io::Task<Result<bool>> refused(Refusal refusal);

  // Tells the authorisation server, where it listens to that, that the tokens are no longer used,
  // and forgets them. False: there were none. The tokens are forgotten also when it does not
  // answer.
  io::Task<Result<bool>> log_out();

 private:
  enum class Renewal : std::uint8_t { renewed, impossible };

  // As they are stored.
  io::Task<Result<void>> find_tokens();
  io::Task<Result<Renewal>> renew(std::string used);
  io::Task<Result<Renewal>> renew_locked(std::string used);
  io::Task<Result<Renewal>> redeem(Credentials credentials, Tokens old);
  io::Task<Result<Renewal>> keep(Credentials credentials, Tokens tokens);
  io::Task<Result<bool>> log_in(std::optional<Demand> demand, std::string used);
  io::Task<Result<bool>> take_over_foreign_login(std::optional<Demand> demand, std::string used);
  // cancelled, or whether there is one.
  io::Task<Result<std::optional<ForeignLogin>>> find_foreign_login();
  io::Task<Result<bool>> widen(Demand demand, std::string used);
  io::Task<void> revoke(Credentials credentials, Tokens tokens);
  io::Task<void> note_wanted(std::string scope);
  [[nodiscard]] ClientProof proof(const Client& client, const std::string& issuer) const;
  // Sends to a URL that the login brought: where it leads is checked each time.
  io::Task<Result<http::Answer>> send(http::Request request);

  io::Executor executor_;
  io::HttpClient* client_;
  Access access_;
  std::function<void(const std::string& url)> open_;
  TokenStore store_;
  std::optional<Tokens> tokens_;  // as last read or obtained
  // Replicas had none when they were asked: not before each request, but after a refusal again.
  bool is_nobody_ = false;
  bool logging_in_ = false;
  bool took_foreign_ = false;  // or looked for it: a refresh token works once
  bool has_foreign_ = false;   // tokens_ are another program's: refused ones are renewed
  io::Condition login_over_;
};

}  // namespace pi_mcp::auth
