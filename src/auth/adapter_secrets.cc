#include "auth/adapter_secrets.h"

#include <utility>

#include "base/digest.h"
#include "json/document.h"

namespace pi_mcp::auth {
namespace {

constexpr std::int64_t pieces_max = 64;

// Entries longer than a keyring takes are in pieces, and the entry says how many and of what.
struct Pieces {
  std::int64_t count = 0;
  std::string digest;
};

std::optional<Pieces> pieces_of(std::string_view json) {
  const Result<json::Document> document = json::Document::parse(std::string(json));
  const json::Value root = document ? document->root() : json::Value();
  const bool is_manifest = root.find("__piMcpAdapterBearerChunked").as_int() == 1 ||
                           root.find("__piMcpAdapterOAuthChunked").as_int() == 1;
  if (!is_manifest) {
    return std::nullopt;
  }
  return Pieces{.count = root.find("chunkCount").as_int().value_or(0),
                .digest = root.find("chunkDigest").string_or("")};
}

}  // namespace

io::Task<Result<std::optional<std::string>>> find_adapter_secret(Keyring keyring,
                                                                 std::string service,
                                                                 std::string server) {
  const std::string account = "sha256-" + sha256_hex(server);
  Result<std::optional<std::string>> entry = co_await keyring.find_foreign(service, account);
  const std::optional<Pieces> pieces = entry && *entry ? pieces_of(**entry) : std::nullopt;
  if (!pieces) {
    co_return entry;
  }
  std::string whole;
  for (std::int64_t i = 0; i < pieces->count; ++i) {
    const Result<std::optional<std::string>> piece = co_await keyring.find_foreign(
        service, account + ".chunk." + pieces->digest + "." + std::to_string(i));
    if (!piece) {
      co_return fail(piece.error());
    }
    if (!*piece || pieces->count > pieces_max) {
      co_return fail(ErrorCode::unavailable,
                     "the adapter's entry for " + server + " in the keyring is incomplete");
    }
    whole += **piece;
  }
  co_return std::optional(std::move(whole));
}

std::optional<std::string> parse_adapter_bearer(std::string_view json, std::string_view url) {
  const Result<json::Document> document = json::Document::parse(std::string(json));
  const json::Value root = document ? document->root() : json::Value();
  std::string token = root.find("token").string_or("");
  const bool is_ours = root.find("serverUrl").equals(url) && !token.empty();
  return is_ours ? std::optional(std::move(token)) : std::nullopt;
}

std::optional<ForeignLogin> parse_adapter_login(std::string_view json, std::string_view url) {
  const Result<json::Document> document = json::Document::parse(std::string(json));
  const json::Value root = document ? document->root() : json::Value();
  const json::Value tokens = root.find("tokens");
  const json::Value client = root.find("clientInfo");
  ForeignLogin login;
  login.made_by = "the Pi MCP Adapter";
  login.tokens.access = tokens.find("accessToken").string_or("");
  login.tokens.refresh = tokens.find("refreshToken").string_or("");
  login.tokens.scope = tokens.find("scope").string_or("");
  constexpr double ms_per_s = 1000;
  constexpr double seconds_max = 1e11;
  const std::optional<double> expires = tokens.find("expiresAt").as_double();
  if (expires && *expires >= 0 && *expires < seconds_max) {
    login.tokens.stale_at = EpochMs{static_cast<std::int64_t>(*expires * ms_per_s)};
  }
  login.issuer = tokens.find("issuer").string_or("");
  login.client.id = client.find("clientId").string_or("");
  login.client.secret = client.find("clientSecret").string_or("");
  const bool is_ours = root.find("serverUrl").equals(url) && !login.tokens.access.empty();
  return is_ours ? std::optional(std::move(login)) : std::nullopt;
}

}  // namespace pi_mcp::auth
