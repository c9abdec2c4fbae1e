// Carries a login out: sends what the flow asks for, waits for the person, stores the tokens.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "auth/access.h"
#include "auth/challenge.h"
#include "auth/login_flow.h"
#include "auth/token_store.h"
#include "base/result.h"
#include "io/loop/one_shot.h"
#include "io/loop/task.h"
#include "io/net/callback_listener.h"
#include "io/net/http_client.h"

namespace pi_mcp::auth {

class Login {
 public:
  struct Events {
    // A person has to open this URL; called again when the first attempt has to be repeated.
    // Called on the loop. Called for authorization_code alone.
    std::function<void(const std::string& url)> open;
    // A person has to enter this code; where `device` allows that.
    // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
    std::function<void(const DevicePrompt& prompt)> show_code = {};
    DeviceUse device = DeviceUse::never;
  };

  // `client` outlives it.
  Login(io::Executor executor, io::HttpClient* client, Access access, Events events);

  // Runs the whole login, once. Holds no lock while it waits for a person, so that other processes
  // go on with the tokens they have. `demand`: what a refused request said; without it the server
  // is asked. unauthorized, protocol: it was refused, or something is not to be trusted. timed_out:
  // nobody came back within person_max, or entered the code in time. cancelled.
  io::Task<Result<Credentials>> run(std::optional<Demand> demand);

  // Redeems the refresh token of a login that another program made, and stores what comes as one of
  // our own. unauthorized: the login is no longer valid.
  io::Task<Result<Credentials>> take_over(ForeignLogin login, std::optional<Demand> demand);

  // Goes on with a login that another process has begun, by what a person pasted here: see paste().
  io::Task<Result<Credentials>> resume(WaitingLogin waiting, std::string pasted);

  // Takes what a person pasted: the URL the browser was sent to, its query, or the code alone.
  // invalid_argument: none of these, or not of this login, which goes on waiting.
  Result<void> paste(std::string_view text);

  // The person has come back, or pasted something: only a few requests are left.
  [[nodiscard]] bool has_answer() const { return answered_; }

  // The port of the callback on this machine; 0 when there is none.
  [[nodiscard]] std::uint16_t port() const { return listener_ ? listener_->port() : 0; }

 private:
  struct Answer {
    std::string query;
    std::string code;  // without anything around it
  };
  // Opens the listener for the browser where it is on this machine. Gives the redirect URL.
  Result<std::string> open_listener(const std::optional<Credentials>& known);
  io::CallbackPage on_request(std::string_view target);
  [[nodiscard]] Result<Answer> read_pasted(std::string_view text) const;
  void take(Answer answer);
  LoginFlow::Action go_on(const Answer& answer);
  // Notes as well why there seems to be no MCP endpoint.
  io::Task<Result<std::optional<Demand>>> ask_server();
  // With what is the same for every login; the rest is empty.
  [[nodiscard]] LoginFlow::Setup setup_of(const http::Url& server) const;
  io::Task<Result<Credentials>> run_flow(LoginFlow::Setup setup);
  io::Task<Result<Credentials>> follow(LoginFlow::Action action);
  io::Task<LoginFlow::Action> wait_for_person(std::string url);
  io::Task<LoginFlow::Action> pause(LoginFlow::Pause wanted);
  // nullopt: the person may be sent there.
  io::Task<std::optional<Error>> problem_with_page(std::string url);
  // Tells replicas, of which there are some, that it waits, or does no longer (nullopt).
  io::Task<void> note_waiting(std::optional<WaitingLogin> waiting);
  io::Task<Result<void>> store(Credentials credentials);
  io::Task<Result<Credentials>> stored(Result<Credentials> credentials);
  io::Task<Result<std::optional<Credentials>>> earlier_login();

  io::Executor executor_;
  io::HttpClient* client_;
  Access access_;
  Events events_;
  TokenStore store_;
  std::unique_ptr<io::CallbackListener> listener_;
  std::string callback_path_;
  std::optional<LoginFlow> flow_;
  std::string no_endpoint_;                      // LoginFlow::Setup::no_endpoint
  std::unique_ptr<io::OneShot<Answer>> answer_;  // while a person is waited for
  bool answered_ = false;
};

}  // namespace pi_mcp::auth
