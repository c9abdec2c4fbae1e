#include "auth/handed_login.h"

#include <utility>

#include "auth/token_request.h"
#include "base/text.h"
#include "http/message.h"
#include "json/document.h"

namespace pi_mcp::auth {
namespace {

Error unusable(std::string why) {
  return {ErrorCode::invalid_argument, "the login cannot be used: " + std::move(why)};
}

Result<HandedLogin> parse_own(std::string_view text, std::string_view url) {
  Result<Credentials> credentials = parse_credentials(text);
  if (!credentials) {
    return fail(unusable(credentials.error().message()));
  }
  if (credentials->server_url != url) {
    return fail(unusable("it is for another url than " + std::string(url)));
  }
  if (!credentials->tokens || credentials->tokens->access.empty()) {
    return fail(unusable("its tokens are not in it"));
  }
  return *std::move(credentials);
}

json::Value member_or(json::Value object, std::string_view name) {
  const json::Value found = object.find(name);
  return found ? found : object;
}

}  // namespace

std::string handed_login_text(Credentials credentials) {
  credentials.secrets_in = SecretsIn::file;
  return to_json(credentials) + "\n";
}

Result<HandedLogin> parse_handed_login(std::string_view text, std::string_view url, EpochMs now) {
  const Result<json::Document> document = json::Document::parse(std::string(text::trim(text)));
  const json::Value root = document ? document->root() : json::Value();
  if (!root.is_object()) {
    return fail(unusable("it is not a JSON object"));
  }
  if (root.find("version")) {
    return parse_own(text, url);
  }
  http::Answer answer;
  answer.head.status = 200;
  answer.body = member_or(root, "tokens").raw();
  TokenContext context;
  context.now = now;
  tl::expected<Tokens, TokenFailure> tokens = parse_token_answer(answer, context);
  if (!tokens) {
    return fail(unusable(R"(it has no "access_token" of type bearer)"));
  }
  const json::Value client = member_or(root, "clientInfo");
  ForeignLogin login;
  login.tokens = *std::move(tokens);
  login.issuer = root.find("issuer").string_or("");
  login.client.id = client.find("client_id").string_or("");
  login.client.secret = client.find("client_secret").string_or("");
  if (login.tokens.refresh.empty()) {
    Credentials credentials;
    credentials.server_url = url;
    credentials.issuer = login.issuer;
    credentials.tokens = std::move(login.tokens);
    return credentials;
  }
  if (login.issuer.empty() || login.client.id.empty()) {
    return fail(unusable(R"(its "refresh_token" is good only together with "issuer", the )"
                         R"(authorization server that gave it, and "client_id": add them, or )"
                         R"(leave the refresh token out)"));
  }
  return login;
}

}  // namespace pi_mcp::auth
