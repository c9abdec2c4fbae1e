#include "auth/token_request.h"

#include <algorithm>
#include <array>
#include <utility>

#include "auth/assertion.h"
#include "auth/failure_text.h"
#include "base/base64.h"
#include "base/text.h"
#include "json/document.h"

namespace pi_mcp::auth {
namespace {

const std::string& secret_of(const ClientProof& proof) {
  return proof.client->source == ClientSource::registered ? proof.client->secret
                                                          : proof.settings->client_secret;
}

// RFC 6749 section 2.3.1: id and secret are form-encoded before they are joined.
std::string basic(const ClientProof& proof) {
  return "Basic " + base64_encoded(http::form_encoded(proof.client->id) + ":" +
                                   http::form_encoded(secret_of(proof)));
}

constexpr std::int64_t ms_per_s = 1000;
constexpr std::int64_t lifetime_s_max = std::int64_t{10} * 365 * 24 * 3600;

// Renewed a minute before the end, or a fifth of its life before when that is short.
EpochMs stale_at(std::int64_t lifetime_s, EpochMs now) {
  constexpr std::int64_t early_s_max = 60;
  constexpr std::int64_t early_part = 5;
  const std::int64_t lifetime = std::clamp<std::int64_t>(lifetime_s, 0, lifetime_s_max);
  return {now.value + (lifetime - std::min(early_s_max, lifetime / early_part)) * ms_per_s};
}

// Refresh tokens end in silence, but some servers say when, in a member of their own.
std::optional<EpochMs> login_end(json::Value root,
                                 const Tokens& tokens,
                                 const TokenContext& context) {
  if (tokens.refresh.empty()) {
    return tokens.stale_at;
  }
  for (const std::string_view name : {"refresh_token_expires_in", "refresh_expires_in"}) {
    const std::int64_t seconds = root.find(name).as_int().value_or(0);
    if (seconds > 0) {  // 0: Keycloak's for one without an end
      return EpochMs{context.now.value + std::min(seconds, lifetime_s_max) * ms_per_s};
    }
  }
  return tokens.refresh == context.old_refresh ? context.old_end : std::nullopt;
}

constexpr std::array<std::pair<std::string_view, TokenFailure::Kind>, 6> named_failures = {{
    {"invalid_grant", TokenFailure::Kind::refused},
    {"invalid_client", TokenFailure::Kind::unknown_client},
    {"unauthorized_client", TokenFailure::Kind::unknown_client},
    {"authorization_pending", TokenFailure::Kind::pending},
    {"slow_down", TokenFailure::Kind::slow_down},
    {"expired_token", TokenFailure::Kind::expired},
}};

// It goes into a header, where only these characters may be (RFC 6750 section 2.1).
bool is_sendable(std::string_view token) {
  return !token.empty() &&
         std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7F'; });
}

}  // namespace

std::vector<std::string> secrets_of(const ClientProof& proof) {
  return {secret_of(proof), proof.settings->client_secret};
}

std::vector<std::string> secrets_in(const http::Request& request) {
  std::vector<std::string> secrets;
  for (const std::string_view name : {"code",
                                      "code_verifier",
                                      "client_secret",
                                      "client_assertion",
                                      "assertion",
                                      "subject_token",
                                      "refresh_token",
                                      "device_code",
                                      "token"}) {
    if (const std::string value = http::form_value(request.body, name); !value.empty()) {
      secrets.insert(secrets.end(), {value, http::form_encoded(value)});
    }
  }
  constexpr std::string_view scheme = "Basic ";
  for (const http::Header& header : request.headers) {
    if (header.name == "Authorization" && header.value.starts_with(scheme)) {
      secrets.push_back(header.value.substr(scheme.size()));
    }
  }
  return secrets;
}

Result<http::Request> client_request(std::string_view endpoint,
                                     http::Form form,
                                     const ClientProof& proof) {
  http::Request request;
  request.method = "POST";
  request.url = endpoint;
  request.headers = {{.name = "Content-Type", .value = "application/x-www-form-urlencoded"},
                     {.name = "Accept", .value = "application/json"}};
  switch (proof.client->auth) {
    case ClientAuth::none:
      form.add("client_id", proof.client->id);
      break;
    case ClientAuth::basic_and_id:
      form.add("client_id", proof.client->id);
      [[fallthrough]];
    case ClientAuth::basic:
      request.headers.push_back({.name = "Authorization", .value = basic(proof)});
      break;
    case ClientAuth::post:
      form.add("client_id", proof.client->id).add("client_secret", secret_of(proof));
      break;
    case ClientAuth::private_key_jwt: {
      const Result<std::string> assertion = client_assertion({.client_id = proof.client->id,
                                                              .audience = proof.issuer,
                                                              .id = proof.assertion_id,
                                                              .now_s = proof.now.value / ms_per_s},
                                                             proof.settings->private_key);
      if (!assertion) {
        return fail(assertion.error());
      }
      form.add("client_id", proof.client->id)
          .add("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
          .add("client_assertion", *assertion);
      break;
    }
  }
  request.body = form.text();
  return request;
}

TokenFailure parse_token_failure(const http::Answer& answer, const TokenContext& context) {
  constexpr int server_error = 500;
  constexpr int too_many = 429;
  const Result<json::Document> document = json::Document::parse(answer.body);
  const std::string error = document ? document->root().find("error").string_or("") : std::string();
  const auto* named = std::ranges::find(
      named_failures, error, &std::pair<std::string_view, TokenFailure::Kind>::first);
  TokenFailure failure;
  failure.text = failure_text(answer, context.secrets);
  if (named != named_failures.end()) {
    failure.kind = named->second;
  } else if (answer.head.status >= server_error || answer.head.status == too_many) {
    failure.kind = TokenFailure::Kind::temporary;
  }
  return failure;
}

tl::expected<Tokens, TokenFailure> parse_token_answer(const http::Answer& answer,
                                                      const TokenContext& context) {
  constexpr int ok = 200;
  const Result<json::Document> document = json::Document::parse(answer.body);
  const json::Value root = document ? document->root() : json::Value();
  // Some servers report errors with status 200.
  if (answer.head.status != ok || root.find("error").is_string()) {
    return tl::unexpected(parse_token_failure(answer, context));
  }
  Tokens tokens;
  tokens.access = root.find("access_token").string_or("");
  tokens.refresh = root.find("refresh_token").string_or(context.old_refresh);
  tokens.scope = root.find("scope").string_or(context.requested_scope);
  const std::string type = text::lower(root.find("token_type").string_or("bearer"));
  if (!is_sendable(tokens.access) || type != "bearer") {
    return tl::unexpected(TokenFailure{.text = "the answer holds no bearer token"});
  }
  if (const std::optional<std::int64_t> lifetime = root.find("expires_in").as_int()) {
    tokens.stale_at = stale_at(*lifetime, context.now);
  }
  tokens.login_ends_at = login_end(root, tokens, context);
  return tokens;
}

}  // namespace pi_mcp::auth
