// One login as a machine: from what the server demands to credentials. It is handed answers and
// says what to do next; login.h does it. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "auth/challenge.h"
#include "auth/client.h"
#include "auth/client_settings.h"
#include "auth/credentials.h"
#include "auth/metadata.h"
#include "auth/scope.h"
#include "auth/token_request.h"
#include "base/result.h"
#include "base/time.h"
#include "http/message.h"
#include "http/url.h"

namespace pi_mcp::auth {

class LoginFlow {
 public:
  struct Setup {
    http::Url server;
    std::string server_url;  // as configured
    ClientSettings settings;
    std::optional<Demand> demand;      // from the server's 401 or 403
    std::optional<Credentials> known;  // from an earlier login
    std::string redirect_uri;          // empty where no person is asked
    // Unguessable, new for every login: letters and digits, at least 43 (RFC 7636 section 4.1).
    std::string state;
    std::string verifier;
    std::string assertion_id;
    std::string identity_token;  // for cross_app_access
    // From a login that another program made with the client of `known`, only at its issuer: it is
    // redeemed, and nobody is asked.
    std::string refresh_token;
    std::string protocol_version;  // MCP's, for metadata requests
  };

  // Send this and hand the answer to on_answer().
  struct Fetch {
    http::Request request;
  };
  // A person has to open this; hand what came to the redirect address to on_callback().
  struct Authorize {
    std::string url;
  };
  struct Done {
    Credentials credentials;
  };
  using Action = std::variant<Fetch, Authorize, Done, Error>;

  explicit LoginFlow(Setup setup) : setup_(std::move(setup)) {}

  // `now` is the wall clock: servers tell in seconds from now how long tokens are good.
  Action start(EpochMs now);
  Action on_answer(const http::Answer& answer, EpochMs now);
  // The query of the redirect address. Nothing else is believed unless the state is right, and
  // neither code nor error unless the issuer is right (RFC 9207).
  Action on_callback(std::string_view query, EpochMs now);
  // A code that a person copied without the rest.
  Action on_code(const std::string& code, EpochMs now);

  // True for a callback of this login; a different one is somebody's attempt to disturb it.
  [[nodiscard]] bool is_own(std::string_view query) const;

 private:
  enum class Step : std::uint8_t {
    resource_metadata,
    server_metadata,
    registration,
    provider_metadata,
    exchange,
    authorization,
    token,
    over,
  };

  Action fetch_next(Step step);
  Action fetch(std::string url);
  Action fetch_of(http::Request request);
  Action give_up(Error error);
  std::optional<Action> go_on_without(const http::Answer& answer, std::string_view what);
  Action read_resource_metadata(const http::Answer& answer);
  Action find_server();
  Action read_server_metadata(const http::Answer& answer);
  [[nodiscard]] Result<void> check_server() const;
  Action identify();
  Action read_registration(const http::Answer& answer);
  Action with_client(Client client);
  Action authorize();
  Action find_provider();
  Action read_provider_metadata(const http::Answer& answer);
  Action exchange();
  Action read_assertion(const http::Answer& answer);
  Action redeem(http::Form form);
  Action send(Result<http::Request> request);
  Action read_tokens(const http::Answer& answer);
  [[nodiscard]] ClientFacts facts() const;
  [[nodiscard]] std::string resource() const;
  [[nodiscard]] bool issuer_is_right(std::string_view query) const;

  Setup setup_;
  std::shared_ptr<const http::AddressRule> addresses_;
  Step step_ = Step::over;
  std::vector<std::string> urls_;  // still to be tried, the next one last
  std::optional<ResourceMetadata> resource_;
  std::string issuer_;
  IssuerRule rule_ = IssuerRule::exact;
  ServerMetadata server_;
  Client client_;
  std::string scope_;
  http::Form asked_;                  // the token request, without what shows who we are
  ServerMetadata provider_;           // for cross_app_access: the identity provider's
  std::vector<std::string> secrets_;  // sent ones: no message repeats them
  bool registered_again_ = false;
  bool scope_refused_ = false;  // the registration does not name it
  EpochMs now_;
};

}  // namespace pi_mcp::auth
