#include "auth/pi_login.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "io/files/file.h"
#include "json/document.h"

namespace pi_mcp::auth {
namespace {

constexpr std::size_t file_bytes_max = std::size_t{4} << 20U;

// What Pi has stored for the server; by its url alone only where no name stands with it.
json::Value state_of(json::Value states, std::string_view server, std::string_view url) {
  std::string name = "mcp__";
  name += server;
  std::ranges::replace(name, '-', '_');
  std::string whole(url);
  std::string with_slash = whole + "/";  // of a url without a path
  for (const std::string& written : {whole, with_slash}) {
    std::string key = name;
    key.append("|").append(written);
    if (const json::Value state = states.find(key)) {
      return state;
    }
  }
  const json::Value older = states.find(whole);
  return older ? older : states.find(with_slash);
}

}  // namespace

std::optional<ForeignLogin> parse_pi_login(std::string_view json,
                                           std::string_view server,
                                           std::string_view url) {
  const Result<json::Document> document = json::Document::parse(std::string(json));
  const json::Value state = document ? state_of(document->root(), server, url) : json::Value();
  const json::Value tokens = state.find("tokens");
  const json::Value client = state.find("clientInformation");
  const json::Value discovery = state.find("discovery");
  ForeignLogin login;
  login.made_by = "Pi's own MCP client";
  login.tokens.access = tokens.find("access_token").string_or("");
  login.tokens.refresh = tokens.find("refresh_token").string_or("");
  login.tokens.scope = tokens.find("scope").string_or("");
  if (const std::optional<std::int64_t> end = state.find("tokensExpireAt").as_int()) {
    login.tokens.stale_at = EpochMs{*end};
  }
  login.issuer = discovery.find("authorizationServerMetadata").find("issuer").string_or("");
  if (login.issuer.empty()) {
    login.issuer = discovery.find("authorizationServerUrl").string_or("");
  }
  login.client.id = client.find("client_id").string_or("");
  login.client.secret = client.find("client_secret").string_or("");
  return login.tokens.access.empty() ? std::nullopt : std::optional(std::move(login));
}

std::optional<ForeignLogin> find_pi_login(const std::string& agent_dir,
                                          std::string_view server,
                                          std::string_view url) {
  const Result<std::optional<std::string>> text =
      io::read_file(agent_dir + "/mcp-auth.json", file_bytes_max);
  return text && *text ? parse_pi_login(**text, server, url) : std::nullopt;
}

}  // namespace pi_mcp::auth
