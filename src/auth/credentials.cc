#include "auth/credentials.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::auth {
namespace {

constexpr std::int64_t format_version = 1;

constexpr std::array<std::pair<ClientAuth, std::string_view>, 5> auth_names = {{
    {ClientAuth::none, "none"},
    {ClientAuth::basic, "client_secret_basic"},
    {ClientAuth::basic_and_id, "client_secret_basic and client_id"},
    {ClientAuth::post, "client_secret_post"},
    {ClientAuth::private_key_jwt, "private_key_jwt"},
}};

constexpr std::array<std::pair<ClientSource, std::string_view>, 3> source_names = {{
    {ClientSource::configured, "configured"},
    {ClientSource::metadata_url, "metadata_url"},
    {ClientSource::registered, "registered"},
}};

constexpr std::array<std::pair<SecretsIn, std::string_view>, 4> store_names = {{
    {SecretsIn::file, "file"},
    {SecretsIn::keyring, "keyring"},
    {SecretsIn::file_after_keyring, "file-after-keyring"},
    {SecretsIn::encrypted_file, "encrypted-file"},
}};

// The members that are texts.
constexpr std::array<std::pair<std::string_view, std::string Credentials::*>, 7> texts = {{
    {"serverUrl", &Credentials::server_url},
    {"issuer", &Credentials::issuer},
    {"resource", &Credentials::resource},
    {"tokenEndpoint", &Credentials::token_endpoint},
    {"revocationEndpoint", &Credentials::revocation_endpoint},
    {"requestedScope", &Credentials::requested_scope},
    {"wantedScope", &Credentials::wanted_scope},
}};

template <class T, std::size_t N>
std::string_view name_of(const std::array<std::pair<T, std::string_view>, N>& names, T value) {
  const auto* found = std::find_if(
      names.begin(), names.end(), [value](const auto& entry) { return entry.first == value; });
  return found->second;  // every value is in its table
}

template <class T, std::size_t N>
T value_of(const std::array<std::pair<T, std::string_view>, N>& names, json::Value name) {
  const auto* found = std::find_if(
      names.begin(), names.end(), [&name](const auto& entry) { return name.equals(entry.second); });
  return found == names.end() ? T{} : found->first;
}

void write_client(json::Writer& out, const Client& client, bool with_secret) {
  out.key("client").begin_object();
  out.member("id", client.id);
  out.member("auth", name_of(auth_names, client.auth));
  out.member("source", name_of(source_names, client.source));
  if (client.source == ClientSource::registered) {
    if (with_secret) {
      out.member("secret", client.secret);
    }
    out.member("redirectUri", client.redirect_uri);
    out.member("expiresAt", client.expires_at_s);
  }
  out.end_object();
}

void write_tokens(json::Writer& out, const Tokens& tokens, bool with_secrets) {
  out.key("tokens").begin_object();
  if (with_secrets) {
    out.member("access", tokens.access);
    out.member("refresh", tokens.refresh);
  }
  out.member("scope", tokens.scope);
  if (tokens.stale_at) {
    out.member("staleAt", tokens.stale_at->value);
  }
  if (tokens.login_ends_at) {
    out.member("loginEndsAt", tokens.login_ends_at->value);
  }
  out.end_object();
}

Tokens read_tokens(json::Value value) {
  Tokens tokens;
  tokens.access = value.find("access").string_or("");
  tokens.refresh = value.find("refresh").string_or("");
  tokens.scope = value.find("scope").string_or("");
  if (const std::optional<std::int64_t> stale = value.find("staleAt").as_int()) {
    tokens.stale_at = EpochMs{*stale};
  }
  if (const std::optional<std::int64_t> end = value.find("loginEndsAt").as_int()) {
    tokens.login_ends_at = EpochMs{*end};
  }
  return tokens;
}

// The file has them in words that anybody can read.
bool are_plain(SecretsIn secrets) {
  return secrets != SecretsIn::keyring && secrets != SecretsIn::encrypted_file;
}

bool contains(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

bool is_newer(const Credentials& one, const Credentials& other) {
  return std::pair(one.made_at.value, one.turn) > std::pair(other.made_at.value, other.turn);
}

std::string to_json(const Credentials& credentials) {
  json::Writer out;
  out.begin_object();
  out.member("version", format_version);
  for (const auto& [name, member] : texts) {
    out.member(name, credentials.*member);
  }
  const bool with_secrets = are_plain(credentials.secrets_in);
  out.member("store", name_of(store_names, credentials.secrets_in));
  if (credentials.secrets_in == SecretsIn::encrypted_file) {
    out.member("sealed", credentials.sealed);
  }
  if (credentials.made_at.value != 0) {
    out.member("madeAt", credentials.made_at.value);
  }
  if (credentials.turn != 0) {
    out.member("turn", credentials.turn);
  }
  write_client(out, credentials.client, with_secrets);
  if (credentials.tokens) {
    write_tokens(out, *credentials.tokens, with_secrets);
  }
  return out.end_object().take();
}

Result<Credentials> parse_credentials(std::string_view json) {
  const Result<json::Document> document = json::Document::parse(std::string(json));
  if (!document || document->root().find("version").as_int() != format_version) {
    return fail(ErrorCode::invalid_argument, "it has no credentials of this version");
  }
  const json::Value root = document->root();
  Credentials credentials;
  for (const auto& [name, member] : texts) {
    credentials.*member = root.find(name).string_or("");
  }
  const json::Value client = root.find("client");
  credentials.client.id = client.find("id").string_or("");
  credentials.client.secret = client.find("secret").string_or("");
  credentials.client.auth = value_of(auth_names, client.find("auth"));
  credentials.client.source = value_of(source_names, client.find("source"));
  credentials.client.redirect_uri = client.find("redirectUri").string_or("");
  credentials.client.expires_at_s = client.find("expiresAt").as_int().value_or(0);
  credentials.secrets_in = value_of(store_names, root.find("store"));
  credentials.sealed = root.find("sealed").string_or("");
  credentials.made_at = EpochMs{root.find("madeAt").as_int().value_or(0)};
  credentials.turn = root.find("turn").as_int().value_or(0);
  const json::Value stored = root.find("tokens");
  Tokens tokens = read_tokens(stored);
  if (!tokens.access.empty() || (stored && !are_plain(credentials.secrets_in))) {
    credentials.tokens = std::move(tokens);
  }
  return credentials;
}

std::string secrets_json(const Credentials& credentials) {
  json::Writer out;
  out.begin_object();
  if (credentials.tokens) {
    out.member("access", credentials.tokens->access);
    out.member("refresh", credentials.tokens->refresh);
  }
  out.member("clientSecret", credentials.client.secret);
  return out.end_object().take();
}

void add_secrets(Credentials& credentials, std::string_view json) {
  const Result<json::Document> document = json::Document::parse(std::string(json));
  const json::Value root = document ? document->root() : json::Value();
  credentials.client.secret = root.find("clientSecret").string_or("");
  if (credentials.tokens) {
    credentials.tokens->access = root.find("access").string_or("");
    credentials.tokens->refresh = root.find("refresh").string_or("");
    if (credentials.tokens->access.empty()) {
      credentials.tokens.reset();
    }
  }
}

void forget_secrets(Credentials& credentials) {
  Client& client = credentials.client;
  if (credentials.tokens) {
    credentials.requested_scope =
        scope_union(credentials.requested_scope, credentials.tokens->scope);
    credentials.tokens.reset();
  }
  if (client.source == ClientSource::registered && client.auth != ClientAuth::none) {
    client.id.clear();
  }
}

std::optional<Tokens> parse_adapter_tokens(std::string_view json) {
  const Result<json::Document> document = json::Document::parse(std::string(json));
  if (!document) {
    return std::nullopt;
  }
  const json::Value root = document->root();
  Tokens tokens;
  tokens.access = root.find("access_token").string_or("");
  tokens.refresh = root.find("refresh_token").string_or("");
  tokens.scope = root.find("scope").string_or("");
  if (const std::optional<std::int64_t> expires = root.find("expiresAt").as_int()) {
    tokens.stale_at = EpochMs{*expires};
  }
  return tokens.access.empty() ? std::nullopt : std::optional(std::move(tokens));
}

std::string scope_union(std::string_view first, std::string_view second) {
  std::vector<std::string_view> all;
  for (const std::string_view part : {first, second}) {
    for (const std::string_view scope : text::words(part)) {
      if (!contains(all, scope)) {
        all.push_back(scope);
      }
    }
  }
  return text::join({all.begin(), all.end()}, " ");
}

bool scope_covers(std::string_view whole, std::string_view part) {
  const std::vector<std::string_view> held = text::words(whole);
  const std::vector<std::string_view> needed = text::words(part);
  return std::all_of(needed.begin(), needed.end(), [&held](std::string_view scope) {
    return contains(held, scope);
  });
}

}  // namespace pi_mcp::auth
