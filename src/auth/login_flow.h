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
#include "auth/device_grant.h"
#include "auth/metadata.h"
#include "auth/scope.h"
#include "auth/token_request.h"
#include "auth/waiting_login.h"
#include "base/result.h"
#include "base/time.h"
#include "http/message.h"
#include "http/url.h"

namespace pi_mcp::auth {

// Whether a person may be given a code to enter on another device, where the authorization server
// offers that.
enum class DeviceUse : std::uint8_t {
  never,
  when_needed,  // it offers nothing else
  preferred,    // a browser cannot be opened here
};

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
    DeviceUse device = DeviceUse::never;
    // Why there seems to be no MCP endpoint at the url, for a login that fails; empty: there may
    // be. NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
    std::string no_endpoint = {};
  };

  // Send this and hand the answer to on_answer().
  struct Fetch {
    http::Request request;
  };
  // A person has to open this; hand what came to the redirect address to on_callback().
  struct Authorize {
    std::string url;
  };
  // Call on_pause_over() after this time; show the prompt, which is there once a code.
  struct Pause {
    Milliseconds time{0};
    std::optional<DevicePrompt> prompt;
  };
  struct Done {
    Credentials credentials;
  };
  using Action = std::variant<Fetch, Authorize, Pause, Done, Error>;

  explicit LoginFlow(Setup setup) : setup_(std::move(setup)) {}
  // Goes on with a login of another process, whose person has come back here: on_callback() or
  // on_code() is next.
  LoginFlow(Setup setup, WaitingLogin waiting);

  // `now` is the wall clock: servers tell in seconds from now how long tokens are good.
  Action start(EpochMs now);
  Action on_answer(const http::Answer& answer, EpochMs now);
  // There was no answer.
  Action on_unreachable(Error error, EpochMs now);
  Action on_pause_over(EpochMs now);
  // The query of the redirect address. Nothing else is believed unless the state is right, and
  // neither code nor error unless the issuer is right (RFC 9207).
  Action on_callback(std::string_view query, EpochMs now);
  // A code that a person copied without the rest.
  Action on_code(const std::string& code, EpochMs now);

  // True for a callback of this login; a different one is somebody's attempt to disturb it.
  [[nodiscard]] bool is_own(std::string_view query) const;
  // What another process needs to go on; nullopt: it does not wait for a person at a browser.
  [[nodiscard]] std::optional<WaitingLogin> waiting() const;

 private:
  enum class Step : std::uint8_t {
    resource_metadata,
    server_metadata,
    registration,
    provider_metadata,
    exchange,
    authorization,
    device,
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
  Action identify();
  Action read_registration(const http::Answer& answer);
  Action with_client(Client client);
  Action authorize();
  [[nodiscard]] bool uses_device() const;
  Action ask_for_code();
  Action read_code(const http::Answer& answer);
  Action pause(std::optional<DevicePrompt> prompt);
  std::optional<Action> identify_again(const http::Answer& answer, TokenFailure::Kind kind);
  Action find_provider();
  Action read_provider_metadata(const http::Answer& answer);
  Action exchange();
  Action read_assertion(const http::Answer& answer);
  Action post(Step step, http::Form form);
  Action redeem(http::Form form) { return post(Step::token, std::move(form)); }
  Action send(Result<http::Request> request);
  Action read_tokens(const http::Answer& answer);
  [[nodiscard]] ClientFacts facts() const;
  [[nodiscard]] Credentials so_far() const;
  [[nodiscard]] std::string resource() const;

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
  http::Form asked_;                  // the last request of post(), without what shows who we are
  ServerMetadata provider_;           // for cross_app_access: the identity provider's
  std::vector<std::string> secrets_;  // sent ones: no message repeats them
  bool registered_again_ = false;
  bool scope_refused_ = false;  // the registration does not name it
  bool device_refused_ = false;
  std::optional<DeviceGrant> device_;  // while a code is waited for
  EpochMs now_;
};

}  // namespace pi_mcp::auth
