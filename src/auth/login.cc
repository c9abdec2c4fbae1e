#include "auth/login.h"

#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "http/form.h"
#include "http/url.h"
#include "io/loop/clock.h"
#include "io/loop/random.h"
#include "io/loop/sleep.h"
#include "io/loop/with_deadline.h"
#include "io/net/address_check.h"

namespace pi_mcp::auth {
namespace {

constexpr std::string_view callback_path_default = "/callback";

std::string query_of(std::string_view target) {
  const std::size_t question = target.find('?');
  if (question == std::string_view::npos) {
    return "";
  }
  const std::string_view query = target.substr(question + 1);
  return std::string(query.substr(0, query.find('#')));
}

std::vector<std::string> challenges_of(const http::Head& head) {
  std::vector<std::string> challenges;
  for (const std::string_view value : head.find_all("WWW-Authenticate")) {
    challenges.emplace_back(value);
  }
  return challenges;
}

// A request that is answered with 401 where a login is needed, and begins nothing elsewhere.
http::Request probe(const std::string& url) {
  http::Request request;
  request.method = "POST";
  request.url = url;
  request.headers = {{.name = "Content-Type", .value = "application/json"},
                     {.name = "Accept", .value = "application/json, text/event-stream"}};
  request.body = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  return request;
}

// See LoginFlow::Setup::no_endpoint.
std::string no_endpoint(const http::Head& head) {
  constexpr int not_found = 404;
  constexpr int server_error = 500;
  const std::string number = std::to_string(head.status);
  if (head.status < server_error && head.content_type() == "text/html") {
    return "it answers with a web page (status " + number + "), so its url is no MCP endpoint";
  }
  return head.status == not_found ? "there is no MCP endpoint at its url (status 404)" : "";
}

}  // namespace

Login::Login(io::Executor executor, io::HttpClient* client, Access access, Events events)
    : executor_(std::move(executor)),
      client_(client),
      access_(std::move(access)),
      events_(std::move(events)),
      store_(access_) {}

Result<std::string> Login::open_listener(const std::optional<Credentials>& known) {
  const std::string& configured = access_.settings.redirect_uri;
  const bool registered = known && known->client.source == ClientSource::registered;
  const std::string wished =
      configured.empty() && registered ? known->client.redirect_uri : configured;
  const Result<http::Url> redirect = http::parse_url(wished);
  if (!configured.empty()) {
    if (!redirect) {
      return fail(ErrorCode::invalid_argument, "oauth.redirectUri is not an http or https URL");
    }
    if (redirect->is_secure() || !http::is_loopback_host(redirect->host)) {
      return configured;  // somebody else's page; what it shows has to be pasted
    }
  }
  callback_path_ = redirect ? redirect->path : std::string(callback_path_default);
  const auto handler = [this](std::string_view target) {
    return on_request(target);
  };
  Result<std::unique_ptr<io::CallbackListener>> listener =
      io::CallbackListener::open(executor_, redirect ? redirect->port : 0, handler);
  if (!listener && configured.empty()) {
    // The port of the registration is taken; with a different port we register again.
    callback_path_ = callback_path_default;
    listener = io::CallbackListener::open(executor_, 0, handler);
  }
  if (!listener) {
    return fail(std::move(listener).error());
  }
  listener_ = *std::move(listener);
  return configured.empty()
             ? "http://127.0.0.1:" + std::to_string(listener_->port()) + callback_path_
             : configured;
}

io::CallbackPage Login::on_request(std::string_view target) {
  constexpr int not_found = 404;
  constexpr int bad_request = 400;
  if (target.substr(0, target.find('?')) != callback_path_) {
    return {.status = not_found, .title = "Not found", .text = ""};
  }
  const std::string query = query_of(target);
  if (!flow_ || !answer_ || !flow_->is_own(query)) {
    return {.status = bad_request,
            .title = "Not this login",
            .text = "No login is waiting for this address. Start the login again."};
  }
  take({.query = query, .code = ""});
  return {.title = "Back to pi-mcp",
          .text = "pi-mcp has the answer and shows there how it went. You can close this page."};
}

Result<void> Login::paste(std::string_view text) {
  if (!answer_) {
    return fail(ErrorCode::invalid_argument, "no login is waiting for what was pasted");
  }
  Result<Answer> answer = read_pasted(text);
  if (!answer) {
    return fail(std::move(answer).error());
  }
  take(*std::move(answer));
  return {};
}

Result<Login::Answer> Login::read_pasted(std::string_view text) const {
  text = text::trim(text);
  std::string query = query_of(text);
  if (query.empty() && text.find("state=") != std::string_view::npos) {
    query = text;
  }
  if (text.empty() || !flow_) {
    return fail(ErrorCode::invalid_argument, "nothing was pasted, or no login is waiting for it");
  }
  if (!query.empty()) {
    if (!flow_->is_own(query)) {
      return fail(ErrorCode::invalid_argument, "the pasted address belongs to another login");
    }
    return Answer{.query = std::move(query), .code = ""};
  }
  if (text.find_first_of(" \t\r\n:/") != std::string_view::npos) {
    return fail(ErrorCode::invalid_argument,
                "paste the whole address that the browser was sent to, or the code in it");
  }
  return Answer{.query = "", .code = std::string(text)};
}

void Login::take(Answer answer) {
  answered_ = true;
  answer_->set(std::move(answer));
}

io::Task<Result<std::optional<Demand>>> Login::ask_server() {
  const Result<http::Answer> answer =
      co_await client_->fetch(probe(access_.url), request_max, document_bytes_max);
  if (!answer) {
    co_return fail(Error(answer.error()).while_doing("asking the server what it demands"));
  }
  constexpr int unauthorized = 401;
  if (answer->head.status != unauthorized) {
    no_endpoint_ = no_endpoint(answer->head);
    co_return std::optional<Demand>();
  }
  co_return demand_of(challenges_of(answer->head));
}

io::Task<std::optional<Error>> Login::problem_with_page(std::string url) {
  const Result<void> checked = co_await io::check_page(
      url,
      {.addresses = address_rule(access_.url, access_.settings), .environment = access_.variables});
  co_return checked
      ? std::nullopt
      : std::optional(Error(checked.error()).while_doing("the page of the authorization server"));
}

io::Task<LoginFlow::Action> Login::pause(LoginFlow::Pause wanted) {
  if (wanted.prompt) {
    if (std::optional<Error> problem = co_await problem_with_page(wanted.prompt->page)) {
      co_return *std::move(problem);
    }
    events_.show_code(*wanted.prompt);
  }
  const Result<void> slept = co_await io::sleep_for(wanted.time);
  co_return slept ? flow_->on_pause_over(io::epoch_now()) : LoginFlow::Action(slept.error());
}

io::Task<LoginFlow::Action> Login::wait_for_person(std::string url) {
  if (std::optional<Error> problem = co_await problem_with_page(url)) {
    co_return *std::move(problem);
  }
  answer_ = std::make_unique<io::OneShot<Answer>>();
  answered_ = false;
  if (store_.is_shared()) {
    co_await note_waiting(flow_->waiting());
  }
  if (events_.open) {
    events_.open(url);
  }
  const Result<Answer> answer =
      co_await io::with_deadline(person_max, "the login in the browser", answer_->wait());
  answer_.reset();
  if (!answer) {
    co_return answer.error();
  }
  co_return go_on(*answer);
}

LoginFlow::Action Login::go_on(const Answer& answer) {
  return answer.query.empty() ? flow_->on_code(answer.code, io::epoch_now())
                              : flow_->on_callback(answer.query, io::epoch_now());
}

io::Task<void> Login::note_waiting(std::optional<WaitingLogin> waiting) {
  const Result<void> noted =
      co_await access_.shared->note_waiting(store_.name(), std::move(waiting));
  if (!noted && noted.error().code() != ErrorCode::cancelled) {
    log::info(access_.server + ": " + noted.error().message());
  }
}

io::Task<Result<Credentials>> Login::follow(LoginFlow::Action action) {
  // A login takes about six steps; servers cannot make it endless.
  constexpr int steps_max = 20;
  for (int i = 0; i < steps_max; ++i) {
    if (auto* fetch = std::get_if<LoginFlow::Fetch>(&action)) {
      const Result<http::Answer> answer =
          co_await client_->fetch(std::move(fetch->request), request_max, document_bytes_max);
      if (!answer && answer.error().code() == ErrorCode::cancelled) {
        co_return fail(answer.error());
      }
      action = answer ? flow_->on_answer(*answer, io::epoch_now())
                      : flow_->on_unreachable(answer.error(), io::epoch_now());
    } else if (auto* wanted = std::get_if<LoginFlow::Pause>(&action)) {
      i = 0;  // they end with the code
      action = co_await pause(std::move(*wanted));
    } else if (const auto* authorize = std::get_if<LoginFlow::Authorize>(&action)) {
      action = co_await wait_for_person(authorize->url);
    } else if (auto* done = std::get_if<LoginFlow::Done>(&action)) {
      co_return std::move(done->credentials);
    } else {
      co_return fail(std::get<Error>(std::move(action)));
    }
  }
  co_return fail(ErrorCode::protocol, "the login takes too many steps");
}

io::Task<Result<void>> Login::store(Credentials credentials) {
  const Result<LoginLock> lock = co_await store_.lock(lock_max);
  // A new login takes nothing from replicas that cannot be asked.
  const bool may_go_on = store_.is_shared() && !lock && lock.error().code() != ErrorCode::cancelled;
  if (!lock && !may_go_on) {
    co_return fail(lock.error());
  }
  co_return co_await store_.write_login(std::move(credentials));
}

// A login must not fail for the broken keyring, or store of replicas, that makes it necessary.
io::Task<Result<std::optional<Credentials>>> Login::earlier_login() {
  Result<std::optional<Credentials>> known = co_await store_.read();
  if (known || (known.error().code() != ErrorCode::unavailable &&
                known.error().code() != ErrorCode::protocol)) {
    co_return known;
  }
  log::info(access_.server + ": " + known.error().message());
  known = store_.record();
  if (known && *known) {
    forget_secrets(**known);
  }
  co_return known;
}

io::Task<Result<Credentials>> Login::take_over(ForeignLogin login, std::optional<Demand> demand) {
  const Result<http::Url> server = http::parse_url(access_.url);
  if (!server || login.issuer.empty() || login.tokens.refresh.empty()) {
    co_return fail(ErrorCode::unauthorized, "the login cannot be renewed");
  }
  Credentials known;
  known.issuer = login.issuer;
  known.client = std::move(login.client);
  known.client.source = access_.settings.client_id == known.client.id ? ClientSource::configured
                                                                      : ClientSource::registered;
  known.client.auth = known.client.secret.empty() ? ClientAuth::none : ClientAuth::post;
  LoginFlow::Setup setup = setup_of(*server);
  setup.demand = std::move(demand);
  setup.known = std::move(known);
  setup.refresh_token = login.tokens.refresh;
  co_return co_await run_flow(std::move(setup));
}

LoginFlow::Setup Login::setup_of(const http::Url& server) const {
  constexpr std::size_t secret_bytes = 32;
  return {.server = server,
          .server_url = access_.url,
          .settings = access_.settings,
          .demand = {},
          .known = {},
          .redirect_uri = "",
          .state = io::random_hex(secret_bytes),
          .verifier = io::random_hex(secret_bytes),
          .assertion_id = io::random_hex(secret_bytes),
          .identity_token = "",
          .refresh_token = "",
          .protocol_version = access_.protocol_version,
          .device = events_.device,
          .no_endpoint = no_endpoint_};
}

// From the first request to the tokens in the store.
io::Task<Result<Credentials>> Login::run_flow(LoginFlow::Setup setup) {
  flow_.emplace(std::move(setup));
  Result<Credentials> credentials = co_await follow(flow_->start(io::epoch_now()));
  if (listener_) {
    co_await listener_->close();
    listener_.reset();
  }
  co_return co_await stored(std::move(credentials));
}

io::Task<Result<Credentials>> Login::stored(Result<Credentials> credentials) {
  if (credentials) {
    if (Result<void> stored = co_await store(*credentials); !stored) {
      co_return fail(std::move(stored).error());
    }
    if (store_.is_shared()) {
      co_await note_waiting(std::nullopt);
    }
  }
  co_return credentials;
}

io::Task<Result<Credentials>> Login::resume(WaitingLogin waiting, std::string pasted) {
  const Result<http::Url> server = http::parse_url(access_.url);
  if (!server) {
    co_return fail(server.error());
  }
  flow_.emplace(setup_of(*server), std::move(waiting));
  const Result<Answer> answer = read_pasted(pasted);
  if (!answer) {
    co_return fail(answer.error());
  }
  co_return co_await stored(co_await follow(go_on(*answer)));
}

io::Task<Result<Credentials>> Login::run(std::optional<Demand> demand) {
  const Result<http::Url> server = http::parse_url(access_.url);
  if (!server) {
    co_return fail(server.error());
  }
  Result<std::optional<Credentials>> known = co_await earlier_login();
  if (!known) {
    co_return fail(std::move(known).error());
  }
  if (Result<void> checked = co_await store_.check(); !checked) {
    co_return fail(std::move(checked).error());
  }
  if (!demand && may_carry_tokens(access_.url)) {
    Result<std::optional<Demand>> asked = co_await ask_server();
    if (!asked) {
      co_return fail(std::move(asked).error());
    }
    demand = *std::move(asked);
  }
  LoginFlow::Setup setup = setup_of(*server);
  setup.demand = std::move(demand);
  if (access_.settings.grant == Grant::authorization_code) {
    Result<std::string> opened = open_listener(*known);
    if (!opened) {
      co_return fail(std::move(opened).error());
    }
    setup.redirect_uri = *std::move(opened);
  }
  if (access_.settings.grant == Grant::cross_app_access && access_.identity_token) {
    Result<std::string> got = co_await access_.identity_token();
    if (!got) {
      co_return fail(std::move(got).error());
    }
    setup.identity_token = *std::move(got);
  }
  setup.known = *std::move(known);
  co_return co_await run_flow(std::move(setup));
}

}  // namespace pi_mcp::auth
