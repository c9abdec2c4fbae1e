#include "auth/authorizer.h"

#include <utility>

#include "auth/adapter_secrets.h"
#include "auth/login.h"
#include "auth/pi_login.h"
#include "base/log.h"
#include "io/loop/clock.h"
#include "io/loop/random.h"

namespace pi_mcp::auth {
namespace {

constexpr int status_unauthorized = 401;
constexpr int status_forbidden = 403;

bool is_fresh(const std::optional<Tokens>& tokens) {
  return tokens && (!tokens->stale_at || io::epoch_now() < *tokens->stale_at);
}

// Where nobody is logged in, the keyring is not asked before each request.
io::Task<Result<std::optional<Credentials>>> stored_login(const TokenStore* store) {
  if (store->is_shared()) {
    Result<std::optional<Credentials>> known = co_await store->read();
    if (known || known.error().code() == ErrorCode::cancelled) {
      co_return known;
    }
    // The server may want no login; if it does, its refusal brings us back to this error.
    log::info(known.error().message());
    co_return store->remembered();
  }
  Result<std::optional<Credentials>> stored = store->record();
  if (stored && *stored && (*stored)->tokens) {
    co_return co_await store->read();
  }
  co_return stored;
}

}  // namespace

Authorizer::Authorizer(io::Executor executor,
                       io::HttpClient* client,
                       Access access,
                       std::function<void(const std::string& url)> open)
    : executor_(std::move(executor)),
      client_(client),
      access_(std::move(access)),
      open_(std::move(open)),
      store_(access_),
      login_over_(executor_) {}

ClientProof Authorizer::proof(const Client& client, const std::string& issuer) const {
  constexpr std::size_t id_bytes = 16;
  return {.client = &client,
          .settings = &access_.settings,
          .issuer = issuer,
          .assertion_id = io::random_hex(id_bytes),
          .now = io::epoch_now()};
}

io::Task<Result<void>> Authorizer::find_tokens() {
  Result<std::optional<Credentials>> stored = co_await stored_login(&store_);
  if (!stored) {
    co_return fail(std::move(stored).error());
  }
  const std::optional<Credentials> known = *std::move(stored);
  if (known && !tokens_) {
    tokens_ = known->tokens;
  }
  is_nobody_ = store_.is_shared() && !tokens_;
  co_return Result<void>();
}

io::Task<Result<std::string>> Authorizer::token() {
  if (!tokens_ && !is_nobody_) {
    if (Result<void> looked = co_await find_tokens(); !looked) {
      co_return fail(std::move(looked).error());
    }
  }
  if (!tokens_ && access_.adapter_tokens) {
    const std::optional<Tokens> adapters = store_.adapter_tokens();
    co_return adapters&& is_fresh(adapters) ? adapters->access : std::string();
  }
  if (tokens_ && !is_fresh(tokens_)) {
    const std::string old = tokens_->access;
    const Result<Renewal> renewal = co_await renew(old);
    if (!renewal && renewal.error().code() == ErrorCode::cancelled) {
      co_return fail(renewal.error());
    }
    if (!renewal) {
      // It may be good for a moment still; if not, the server's refusal brings us back to this.
      log::info(access_.server + ": " + renewal.error().message());
      co_return old;
    }
  }
  co_return tokens_ ? tokens_->access : std::string();
}

io::Task<Result<http::Answer>> Authorizer::send(http::Request request) {
  http::AddressRule rule = address_rule(access_.url, access_.settings);
  const Result<http::Url> url = http::parse_url(request.url);
  if (!url || !http::is_own_origin(rule, *url)) {
    request.named_under = std::make_shared<http::AddressRule>(std::move(rule));
  }
  co_return co_await client_->fetch(std::move(request), request_max, document_bytes_max);
}

// Whoever has the lock first looks whether another process has done it already: a refresh token may
// work only once.
io::Task<Result<Authorizer::Renewal>> Authorizer::renew(std::string used) {
  const Result<LoginLock> lock = co_await store_.lock(lock_max);
  if (!lock) {
    co_return fail(Error(lock.error()).while_doing("getting a new token"));
  }
  co_return co_await renew_locked(std::move(used));
}

io::Task<Result<Authorizer::Renewal>> Authorizer::renew_locked(std::string used) {
  Result<std::optional<Credentials>> stored = co_await store_.read();
  if (!stored) {
    co_return fail(std::move(stored).error());
  }
  std::optional<Credentials> known = *std::move(stored);
  tokens_.reset();
  if (!known || !known->tokens) {
    co_return Renewal::impossible;
  }
  Tokens old = *known->tokens;
  if (old.access != used && is_fresh(known->tokens)) {
    tokens_ = std::move(old);
    co_return Renewal::renewed;
  }
  if (old.refresh.empty()) {
    co_return Renewal::impossible;
  }
  tokens_ = old;
  co_return co_await redeem(*std::move(known), std::move(old));
}

io::Task<Result<Authorizer::Renewal>> Authorizer::redeem(Credentials credentials, Tokens old) {
  const ClientProof shown = proof(credentials.client, credentials.issuer);
  http::Form form;
  form.add("grant_type", "refresh_token")
      .add("refresh_token", old.refresh)
      .add("resource", credentials.resource);
  Result<http::Request> request =
      client_request(credentials.token_endpoint, std::move(form), shown);
  if (!request) {
    co_return fail(std::move(request).error());
  }
  const std::vector<std::string> sent = secrets_in(*request);
  const Result<http::Answer> answer = co_await send(*std::move(request));
  if (!answer) {
    co_return fail(Error(answer.error()).while_doing("getting a new token"));
  }
  TokenContext context{.requested_scope = old.scope,
                       .old_refresh = old.refresh,
                       .old_end = old.login_ends_at,
                       .secrets = secrets_of(shown),
                       .now = io::epoch_now()};
  context.secrets.push_back(old.access);
  context.secrets.insert(context.secrets.end(), sent.begin(), sent.end());
  tl::expected<Tokens, TokenFailure> tokens = parse_token_answer(*answer, context);
  if (tokens) {
    co_return co_await keep(std::move(credentials), *std::move(tokens));
  }
  const TokenFailure& failure = tokens.error();
  if (failure.kind == TokenFailure::Kind::temporary) {
    co_return fail(ErrorCode::unavailable, "getting a new token: " + failure.text);
  }
  log::info(access_.server + ": the authorization server gave no new token: " + failure.text);
  tokens_.reset();
  if (failure.kind == TokenFailure::Kind::other) {
    co_return Renewal::impossible;
  }
  // It will not work the next time either; the others who wait for the lock must not try.
  credentials.tokens.reset();
  if (failure.kind == TokenFailure::Kind::unknown_client) {
    credentials.client.id.clear();
  }
  if (Result<void> written = co_await store_.write(std::move(credentials)); !written) {
    co_return fail(std::move(written).error());
  }
  co_return Renewal::impossible;
}

io::Task<Result<Authorizer::Renewal>> Authorizer::keep(Credentials credentials, Tokens tokens) {
  tokens_ = tokens;
  credentials.tokens = std::move(tokens);
  if (Result<void> written = co_await store_.write(std::move(credentials)); !written) {
    co_return fail(std::move(written).error());
  }
  co_return Renewal::renewed;
}

io::Task<Result<bool>> Authorizer::refused(Refusal refusal) {
  std::optional<Demand> demand = demand_of(refusal.challenges);
  if (refusal.status == status_forbidden) {
    if (!demand || demand->error != "insufficient_scope") {
      co_return false;
    }
    co_return co_await widen(*std::move(demand), std::move(refusal.token));
  }
  if (refusal.status != status_unauthorized) {
    co_return false;
  }
  if (refusal.attempt > 0 && !std::exchange(has_foreign_, false)) {
    co_return fail(ErrorCode::unauthorized, "the server refuses a token that was issued just now");
  }
  const Result<Renewal> renewal = co_await renew(refusal.token);
  if (!renewal) {
    co_return fail(renewal.error());
  }
  if (*renewal == Renewal::renewed) {
    co_return true;
  }
  const Result<bool> taken = co_await take_over_foreign_login(demand, refusal.token);
  if (!taken || *taken) {
    co_return taken;
  }
  co_return co_await log_in(std::move(demand), std::move(refusal.token));
}

// What another program has logged in to for the same user: Pi's own client, or the adapter.
io::Task<Result<std::optional<ForeignLogin>>> Authorizer::find_foreign_login() {
  if (std::optional<ForeignLogin> pis =
          find_pi_login(access_.agent_dir, access_.server, access_.url)) {
    co_return pis;
  }
  const Keyring keyring(access_.variables, access_.keyring_program);
  if (access_.store != LoginStore::keyring || !keyring.has_bus()) {
    co_return std::nullopt;
  }
  const Result<std::optional<std::string>> entry =
      co_await find_adapter_secret(keyring, std::string(adapter_logins), access_.server);
  if (!entry && entry.error().code() == ErrorCode::cancelled) {
    co_return fail(entry.error());
  }
  co_return entry && *entry ? parse_adapter_login(**entry, access_.url) : std::nullopt;
}

// Only after a refusal: a server that wants no login never has the keyring asked. Never for
// somebody who is not the user.
io::Task<Result<bool>> Authorizer::take_over_foreign_login(std::optional<Demand> demand,
                                                           std::string used) {
  const Result<std::optional<Credentials>> own = co_await store_.look();
  const bool wanted = own && !*own && access_.settings.grant == Grant::authorization_code &&
                      access_.principal.empty();
  if (!wanted || took_foreign_) {
    co_return false;
  }
  took_foreign_ = true;
  const Result<std::optional<ForeignLogin>> found = co_await find_foreign_login();
  if (!found || !*found) {
    co_return found ? Result<bool>(false) : Result<bool>(fail(found.error()));
  }
  const ForeignLogin& login = **found;
  if (login.tokens.access != used && is_fresh(login.tokens)) {
    took_foreign_ = false;  // when this one ends, it is looked for once more
    has_foreign_ = true;
    tokens_ = login.tokens;
    co_return true;
  }
  Login taking(executor_, client_, access_, {});
  const Result<Credentials> credentials = co_await taking.take_over(login, std::move(demand));
  if (!credentials) {
    std::string note = access_.server + ": the login of ";
    note.append(login.made_by).append(" is not used: ").append(credentials.error().message());
    log::info(note);
    co_return credentials.error().code() == ErrorCode::cancelled
        ? Result<bool>(fail(credentials.error()))
        : Result<bool>(false);
  }
  tokens_ = credentials->tokens;
  co_return true;
}

io::Task<Result<bool>> Authorizer::log_in(std::optional<Demand> demand, std::string used) {
  const bool without_person = access_.settings.grant != Grant::authorization_code;
  if (!without_person && !access_.may_ask) {
    co_await note_wanted(demand ? demand->scope.value_or("") : "");
    // It may have no authorization server at all.
    const bool may_want_token = !demand || !demand->resource_metadata;
    co_return fail(ErrorCode::unauthorized,
                   may_want_token ? "nobody is logged in, and its entry has no token "
                                    "(\"bearerToken\" or \"headers\")"
                                  : "nobody is logged in");
  }
  // Calls that are refused together need one login.
  const TimePoint deadline = io::now() + person_max;
  while (logging_in_) {
    if (co_await login_over_.wait_until(deadline) != io::Wake::notified) {
      co_return fail(ErrorCode::timed_out, "the login of another call did not finish");
    }
  }
  if (tokens_ && tokens_->access != used) {
    co_return true;
  }
  logging_in_ = true;
  Login login(executor_, client_, access_, {.open = open_});
  const Result<Credentials> credentials = co_await login.run(std::move(demand));
  logging_in_ = false;
  login_over_.notify_all();
  if (!credentials) {
    co_return fail(credentials.error());
  }
  tokens_ = credentials->tokens;
  co_return true;
}

io::Task<Result<bool>> Authorizer::widen(Demand demand, std::string used) {
  Result<std::optional<Credentials>> stored = co_await store_.look();
  if (!stored) {
    co_return fail(std::move(stored).error());
  }
  const std::optional<Credentials> known = *std::move(stored);
  const std::string wanted = demand.scope.value_or("");
  std::string held = known ? known->requested_scope : "";
  if (known && known->tokens) {
    held = scope_union(held, known->tokens->scope);
  }
  // Asking for the same rights again would give the same.
  if (scope_covers(held, wanted)) {
    co_return fail(ErrorCode::unauthorized,
                   "the account that is logged in does not have the right to do this" +
                       (wanted.empty() ? "" : " (scope \"" + wanted + "\")"));
  }
  if (access_.settings.grant == Grant::client_credentials) {
    co_return fail(ErrorCode::unauthorized,
                   "the server wants the scope \"" + wanted + "\"; add it to oauth.scope");
  }
  if (access_.settings.grant == Grant::authorization_code && !access_.may_ask) {
    co_await note_wanted(wanted);
    co_return fail(ErrorCode::unauthorized,
                   "the server wants more rights (scope \"" + wanted + "\")");
  }
  co_return co_await log_in(std::move(demand), std::move(used));
}

// For the login that a person is asked for: it happens in another process.
io::Task<void> Authorizer::note_wanted(std::string scope) {
  const Result<LoginLock> lock = co_await store_.lock(lock_max);
  Result<std::optional<Credentials>> stored = co_await store_.look();
  if (scope.empty() || !lock || !stored) {
    co_return;
  }
  std::optional<Credentials> known = *std::move(stored);
  if (!known || scope_covers(known->wanted_scope, scope)) {
    co_return;
  }
  Credentials credentials = *std::move(known);
  credentials.wanted_scope = scope_union(credentials.wanted_scope, scope);
  if (const Result<void> written = co_await store_.write_look(std::move(credentials)); !written) {
    log::warning(written.error().message());
  }
}

io::Task<void> Authorizer::revoke(Credentials credentials, Tokens tokens) {
  const ClientProof shown = proof(credentials.client, credentials.issuer);
  // RFC 7009 section 2.1: with the refresh token its access tokens go as well, where that is
  // supported.
  for (const auto& [token, hint] :
       {std::pair(&tokens.refresh, "refresh_token"), std::pair(&tokens.access, "access_token")}) {
    if (token->empty()) {
      continue;
    }
    http::Form form;
    form.add("token", *token).add("token_type_hint", hint);
    Result<http::Request> request =
        client_request(credentials.revocation_endpoint, std::move(form), shown);
    if (request && credentials.client.auth == ClientAuth::none) {
      // RFC 6749 section 3.2: without a value it counts as omitted; the Python SDK demands it here.
      request->body += "&client_secret=";
    }
    const Result<http::Answer> answer =
        request ? co_await send(*std::move(request)) : Result<http::Answer>(fail(request.error()));
    constexpr int ok = 200;
    if (!answer || answer->head.status != ok) {
      log::warning(access_.server +
                   ": the authorization server did not accept the logout; its tokens expire by "
                   "themselves");
      co_return;
    }
  }
}

io::Task<Result<bool>> Authorizer::log_out() {
  const Result<LoginLock> lock = co_await store_.lock(lock_max);
  if (!lock) {
    co_return fail(lock.error());
  }
  Result<std::optional<Credentials>> stored = co_await store_.read();
  const std::optional<Credentials> known = stored ? *std::move(stored) : std::nullopt;
  if (known && known->tokens && !known->revocation_endpoint.empty()) {
    co_await revoke(*known, *known->tokens);
  }
  tokens_.reset();
  co_return co_await store_.remove();
}

}  // namespace pi_mcp::auth
