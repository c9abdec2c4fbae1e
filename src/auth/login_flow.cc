#include "auth/login_flow.h"

#include <algorithm>
#include <utility>

#include "auth/browser_answer.h"
#include "auth/identity_assertion.h"
#include "http/form.h"

namespace pi_mcp::auth {
namespace {

constexpr int status_ok = 200;

Error problem_with(std::string_view what, Error error) {
  return std::move(error).while_doing(what);
}

}  // namespace

LoginFlow::Action LoginFlow::start(EpochMs now) {
  now_ = now;
  addresses_ =
      std::make_shared<http::AddressRule>(address_rule(setup_.server_url, setup_.settings));
  if (!may_carry_tokens(setup_.server_url)) {
    return give_up(Error(ErrorCode::invalid_argument,
                         "tokens are sent over https only, and its URL is plain http"));
  }
  if (!setup_.settings.server_metadata_url.empty()) {
    urls_ = {setup_.settings.server_metadata_url};
    rule_ = IssuerRule::any;
    return fetch_next(Step::server_metadata);
  }
  if (setup_.demand && setup_.demand->resource_metadata) {
    const std::string& url = *setup_.demand->resource_metadata;
    if (Result<void> checked = http::check_named_url(url, *addresses_); !checked) {
      return give_up(
          problem_with("the resource metadata that the server names", std::move(checked).error()));
    }
    urls_ = {url};
  } else {
    urls_ = resource_metadata_urls(setup_.server);
    std::reverse(urls_.begin(), urls_.end());
  }
  return fetch_next(Step::resource_metadata);
}

LoginFlow::Action LoginFlow::give_up(Error error) {
  step_ = Step::over;
  return error;
}

LoginFlow::Action LoginFlow::fetch_next(Step step) {
  step_ = step;
  if (!urls_.empty()) {
    std::string url = std::move(urls_.back());
    urls_.pop_back();
    return fetch(std::move(url));
  }
  if (step == Step::resource_metadata) {
    return find_server();
  }
  if (step == Step::provider_metadata) {
    return give_up(Error(ErrorCode::protocol,
                         "the identity provider \"" + setup_.settings.identity_provider.issuer +
                             "\" has no metadata; if its URL is right, set "
                             "oauth.idp.tokenEndpoint"));
  }
  if (rule_ == IssuerRule::same_origin) {
    server_ = fixed_endpoints(setup_.server);
    return identify();
  }
  return give_up(Error(ErrorCode::protocol,
                       "the authorization server \"" + issuer_ +
                           "\" has no metadata; if its URL is right, set "
                           "oauth.authServerMetadataUrl"));
}

LoginFlow::Action LoginFlow::fetch(std::string url) {
  return fetch_of(metadata_request(std::move(url), setup_.protocol_version));
}

// Where a URL leads is checked once more, unless the user named it.
LoginFlow::Action LoginFlow::fetch_of(http::Request request) {
  const Result<http::Url> url = http::parse_url(request.url);
  if (!url || !http::is_own_origin(*addresses_, *url)) {
    request.named_under = addresses_;
  }
  return Fetch{std::move(request)};
}

LoginFlow::Action LoginFlow::on_answer(const http::Answer& answer, EpochMs now) {
  now_ = now;
  switch (step_) {
    case Step::resource_metadata:
      return read_resource_metadata(answer);
    case Step::server_metadata:
      return read_server_metadata(answer);
    case Step::registration:
      return read_registration(answer);
    case Step::provider_metadata:
      return read_provider_metadata(answer);
    case Step::exchange:
      return read_assertion(answer);
    case Step::device:
      return read_code(answer);
    case Step::token:
      return read_tokens(answer);
    case Step::authorization:
    case Step::over:
      break;
  }
  return give_up(Error(ErrorCode::invalid_argument, "an answer that was not asked for"));
}

LoginFlow::Action LoginFlow::on_unreachable(Error error, EpochMs now) {
  now_ = now;
  if (step_ == Step::token && device_ && device_->goes_on_after(TokenFailure::Kind::temporary)) {
    return pause(std::nullopt);
  }
  return give_up(std::move(error));
}

// What an answer without a document means; nullopt: it has one.
std::optional<LoginFlow::Action> LoginFlow::go_on_without(const http::Answer& answer,
                                                          std::string_view what) {
  const int status = answer.head.status;
  if (has_no_document(answer)) {
    return fetch_next(step_);
  }
  if (status != status_ok) {
    return give_up(problem_with(
        what, Error(ErrorCode::unavailable, "HTTP " + std::to_string(status) + "; try later")));
  }
  return std::nullopt;
}

LoginFlow::Action LoginFlow::read_resource_metadata(const http::Answer& answer) {
  constexpr std::string_view what = "resource metadata of the server";
  if (std::optional<Action> next = go_on_without(answer, what)) {
    return *std::move(next);
  }
  Result<ResourceMetadata> metadata = parse_resource_metadata(answer.body, setup_.server);
  if (!metadata) {
    return give_up(problem_with(what, std::move(metadata).error()));
  }
  resource_ = *std::move(metadata);
  return find_server();
}

LoginFlow::Action LoginFlow::find_server() {
  if (resource_) {
    const auto& issuers = resource_->authorization_servers;
    const bool same =
        setup_.known &&
        std::find(issuers.begin(), issuers.end(), setup_.known->issuer) != issuers.end();
    issuer_ = same ? setup_.known->issuer : issuers.front();
    rule_ = setup_.settings.any_issuer ? IssuerRule::any : IssuerRule::exact;
  } else {
    // Spec 2025-03-26, basic/authorization 2.3.2: the server's own origin is its authorization
    // server.
    issuer_ = setup_.server.origin();
    rule_ = IssuerRule::same_origin;
  }
  Result<std::vector<std::string>> urls = server_metadata_urls(issuer_);
  Result<void> checked = urls ? http::check_named_url(issuer_, *addresses_) : fail(urls.error());
  if (!checked) {
    return give_up(
        problem_with("the authorization server that the server names", std::move(checked).error()));
  }
  urls_ = *std::move(urls);
  std::reverse(urls_.begin(), urls_.end());
  return fetch_next(Step::server_metadata);
}

LoginFlow::Action LoginFlow::read_server_metadata(const http::Answer& answer) {
  const std::string what =
      "metadata of the authorization server" + (issuer_.empty() ? "" : " \"" + issuer_ + "\"");
  if (std::optional<Action> next = go_on_without(answer, what)) {
    return *std::move(next);
  }
  Result<ServerMetadata> metadata = parse_server_metadata(answer.body, issuer_, rule_, *addresses_);
  if (!metadata) {
    return give_up(problem_with(what, std::move(metadata).error()));
  }
  server_ = *std::move(metadata);
  if (Result<void> checked = check_metadata(server_, setup_.settings, !uses_device()); !checked) {
    return give_up(problem_with(what, std::move(checked).error()));
  }
  return identify();
}

ClientFacts LoginFlow::facts() const {
  return {.settings = &setup_.settings,
          .server = &server_,
          .known = setup_.known && !registered_again_ ? &*setup_.known : nullptr,
          .redirect_uri = setup_.redirect_uri,
          .scope = scope_refused_ || !setup_.refresh_token.empty() ? "" : scope_,
          .uses_device = uses_device(),
          .now = now_,
          .no_endpoint = setup_.no_endpoint};
}

LoginFlow::Action LoginFlow::identify() {
  if (setup_.settings.grant == Grant::authorization_code && !uses_device() &&
      server_.authorization_endpoint.empty()) {
    return give_up(
        Error(ErrorCode::protocol,
              "the authorization server \"" + server_.issuer + "\" has no authorization_endpoint"));
  }
  scope_ = auth::choose_scope(setup_.settings, setup_.demand, resource_, server_, setup_.known);
  Result<std::optional<Client>> chosen = choose_client(facts());
  if (!chosen) {
    return give_up(std::move(chosen).error());
  }
  const bool takes_over = !setup_.refresh_token.empty();
  if (takes_over && (!*chosen || !setup_.known || setup_.known->issuer != server_.issuer)) {
    return give_up(Error(ErrorCode::unauthorized,
                         "the login belongs to another client or authorization server"));
  }
  if (std::optional<Client> client = *std::move(chosen)) {
    return with_client(*std::move(client));
  }
  step_ = Step::registration;
  return fetch_of(registration_request(facts()));
}

LoginFlow::Action LoginFlow::read_registration(const http::Answer& answer) {
  Result<Client> client = parse_registration(answer, facts());
  // Some servers grant scopes that they do not let a client register with.
  constexpr int bad_request = 400;
  if (!client && answer.head.status == bad_request && !facts().scope.empty()) {
    scope_refused_ = true;
    return fetch_of(registration_request(facts()));
  }
  if (!client && uses_device()) {
    device_refused_ = true;
    scope_refused_ = false;
    return identify();
  }
  return client ? with_client(*std::move(client)) : give_up(std::move(client).error());
}

LoginFlow::Action LoginFlow::with_client(Client client) {
  client_ = std::move(client);
  if (!setup_.refresh_token.empty()) {
    client_.auth = choose_auth(server_, !client_.secret.empty(), false);
    http::Form form;
    form.add("grant_type", "refresh_token").add("refresh_token", setup_.refresh_token);
    return redeem(std::move(form));
  }
  if (setup_.settings.grant == Grant::authorization_code) {
    return uses_device() ? ask_for_code() : authorize();
  }
  if (setup_.settings.grant == Grant::cross_app_access) {
    return find_provider();
  }
  http::Form form;
  form.add("grant_type", "client_credentials").add("scope", scope_);
  return redeem(std::move(form));
}

// Servers of 2025-03-26 know no resource parameter, and some refuse what they do not know.
std::string LoginFlow::resource() const {
  if (resource_) {
    return resource_->resource;
  }
  return rule_ == IssuerRule::same_origin ? "" : canonical_resource(setup_.server);
}

LoginFlow::Action LoginFlow::authorize() {
  step_ = Step::authorization;
  return Authorize{authorization_url({.server = &server_,
                                      .settings = &setup_.settings,
                                      .client_id = client_.id,
                                      .redirect_uri = setup_.redirect_uri,
                                      .state = setup_.state,
                                      .verifier = setup_.verifier,
                                      .resource = resource(),
                                      .scope = scope_})};
}

bool LoginFlow::uses_device() const {
  const bool is_wanted =
      setup_.device == DeviceUse::preferred ||
      (setup_.device == DeviceUse::when_needed && server_.authorization_endpoint.empty());
  return is_wanted && !device_refused_ && !server_.device_endpoint.empty() &&
         setup_.settings.grant == Grant::authorization_code;
}

LoginFlow::Action LoginFlow::ask_for_code() {
  http::Form form;
  form.add("scope", scope_);
  return post(Step::device, std::move(form));
}

LoginFlow::Action LoginFlow::read_code(const http::Answer& answer) {
  Result<DeviceGrant> grant = DeviceGrant::parse(answer, *addresses_, now_);
  if (answer.head.status == status_ok && grant) {
    device_ = *std::move(grant);
    return pause(device_->prompt());
  }
  const TokenContext context{
      .requested_scope = "", .old_refresh = "", .old_end = {}, .secrets = secrets_, .now = now_};
  const TokenFailure failure = parse_token_failure(answer, context);
  if (std::optional<Action> again = identify_again(answer, failure.kind)) {
    return *std::move(again);
  }
  // It may offer codes to others than this client.
  device_refused_ = true;
  if (!server_.authorization_endpoint.empty() && check_pkce(server_, setup_.settings.assume_pkce)) {
    return authorize();
  }
  return give_up(answer.head.status == status_ok
                     ? std::move(grant).error()
                     : Error(ErrorCode::unauthorized,
                             "the authorization server gave no code: " + failure.text));
}

LoginFlow::Action LoginFlow::pause(std::optional<DevicePrompt> prompt) {
  const Result<Milliseconds> time = device_->pause(now_);
  return time ? Action(Pause{.time = *time, .prompt = std::move(prompt)}) : give_up(time.error());
}

LoginFlow::Action LoginFlow::on_pause_over(EpochMs now) {
  now_ = now;
  if (!device_) {
    return give_up(Error(ErrorCode::invalid_argument, "a pause that was not asked for"));
  }
  if (const Result<Milliseconds> time = device_->pause(now); !time) {
    return give_up(time.error());
  }
  return redeem(device_->form());
}

bool LoginFlow::is_own(std::string_view query) const {
  return has_state(query, setup_.state);
}

LoginFlow::Action LoginFlow::on_callback(std::string_view query, EpochMs now) {
  if (step_ != Step::authorization || !is_own(query)) {
    return give_up(Error(ErrorCode::protocol,
                         "the answer of the browser belongs to another login; start again"));
  }
  const Result<std::string> code = code_in(query, server_, {setup_.state, setup_.verifier});
  if (!code) {
    return give_up(code.error());
  }
  return on_code(*code, now);
}

LoginFlow::Action LoginFlow::on_code(const std::string& code, EpochMs now) {
  now_ = now;
  if (step_ != Step::authorization) {
    return give_up(Error(ErrorCode::protocol, "no login waits for a code; start again"));
  }
  http::Form form;
  form.add("grant_type", "authorization_code")
      .add("code", code)
      .add("redirect_uri", setup_.redirect_uri)
      .add("code_verifier", setup_.verifier);
  return redeem(std::move(form));
}

LoginFlow::Action LoginFlow::find_provider() {
  const IdentityProvider& provider = setup_.settings.identity_provider;
  if (Result<void> complete = check_identity(provider, setup_.identity_token); !complete) {
    return give_up(std::move(complete).error());
  }
  if (!provider.token_endpoint.empty()) {
    provider_.token_endpoint = provider.token_endpoint;
    return exchange();
  }
  urls_ = *server_metadata_urls(provider.issuer);
  std::reverse(urls_.begin(), urls_.end());
  return fetch_next(Step::provider_metadata);
}

LoginFlow::Action LoginFlow::read_provider_metadata(const http::Answer& answer) {
  const std::string& issuer = setup_.settings.identity_provider.issuer;
  const std::string what = "metadata of the identity provider \"" + issuer + "\"";
  if (std::optional<Action> next = go_on_without(answer, what)) {
    return *std::move(next);
  }
  Result<ServerMetadata> metadata =
      parse_server_metadata(answer.body, issuer, IssuerRule::exact, *addresses_);
  if (!metadata) {
    return give_up(problem_with(what, std::move(metadata).error()));
  }
  provider_ = *std::move(metadata);
  return exchange();
}

LoginFlow::Action LoginFlow::exchange() {
  step_ = Step::exchange;
  secrets_ = {setup_.settings.identity_provider.client_secret};
  return send(exchange_request({.provider = &provider_,
                                .settings = &setup_.settings,
                                .identity_token = setup_.identity_token,
                                .audience = server_.issuer,
                                .resource = resource(),
                                .scope = scope_,
                                .now = now_}));
}

LoginFlow::Action LoginFlow::read_assertion(const http::Answer& answer) {
  Result<std::string> assertion = parse_exchange_answer(answer, secrets_);
  if (!assertion) {
    return give_up(std::move(assertion).error());
  }
  http::Form form;
  form.add("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
      .add("assertion", *assertion)
      .add("scope", scope_);
  return redeem(std::move(form));
}

LoginFlow::Action LoginFlow::send(Result<http::Request> request) {
  if (!request) {
    return give_up(std::move(request).error());
  }
  const std::vector<std::string> sent = secrets_in(*request);
  secrets_.insert(secrets_.end(), sent.begin(), sent.end());
  return fetch_of(*std::move(request));
}

LoginFlow::Action LoginFlow::post(Step step, http::Form form) {
  step_ = step;
  asked_ = form;
  form.add("resource", resource());
  const ClientProof proof{.client = &client_,
                          .settings = &setup_.settings,
                          .issuer = server_.issuer,
                          .assertion_id = setup_.assertion_id,
                          .now = now_};
  secrets_ = secrets_of(proof);
  secrets_.insert(secrets_.end(),
                  {setup_.verifier, setup_.state, setup_.identity_token, setup_.refresh_token});
  const std::string& endpoint =
      step == Step::device ? server_.device_endpoint : server_.token_endpoint;
  return send(client_request(endpoint, std::move(form), proof));
}

// What else to try where the server does not know who we are; nullopt: nothing.
std::optional<LoginFlow::Action> LoginFlow::identify_again(const http::Answer& answer,
                                                           TokenFailure::Kind kind) {
  const bool unknown = kind == TokenFailure::Kind::unknown_client;
  // RFC 6749 section 3.2.1 lets a client name itself in the body beside the header. Some servers
  // look for it only there, others take it for a second proof (docs/decisions/0041-client-id.md).
  if (client_.auth == ClientAuth::basic &&
      (unknown || answer.body.find("client_id") != std::string::npos)) {
    client_.auth = ClientAuth::basic_and_id;
    return post(step_, std::move(asked_));
  }
  // The server forgot a registration of an earlier login; once, a new one may help.
  const bool forgotten = unknown && client_.source == ClientSource::registered && setup_.known &&
                         setup_.known->client.id == client_.id;
  if (forgotten && !registered_again_) {
    registered_again_ = true;
    return identify();
  }
  return std::nullopt;
}

LoginFlow::Action LoginFlow::read_tokens(const http::Answer& answer) {
  const TokenContext context{.requested_scope = scope_,
                             .old_refresh = setup_.refresh_token,
                             .old_end = std::nullopt,
                             .secrets = secrets_,
                             .now = now_};
  tl::expected<Tokens, TokenFailure> tokens = parse_token_answer(answer, context);
  if (tokens) {
    step_ = Step::over;
    Credentials credentials = so_far();
    credentials.tokens = *std::move(tokens);
    return Done{std::move(credentials)};
  }
  if (device_ && device_->goes_on_after(tokens.error().kind)) {
    return pause(std::nullopt);
  }
  if (std::optional<Action> again = identify_again(answer, tokens.error().kind)) {
    return *std::move(again);
  }
  if (tokens.error().kind == TokenFailure::Kind::expired) {
    return give_up(Error(ErrorCode::timed_out, "the code has expired; start the login again"));
  }
  const bool temporary = tokens.error().kind == TokenFailure::Kind::temporary;
  return give_up(Error(temporary ? ErrorCode::unavailable : ErrorCode::unauthorized,
                       "the authorization server gave no token: " + tokens.error().text));
}

}  // namespace pi_mcp::auth
