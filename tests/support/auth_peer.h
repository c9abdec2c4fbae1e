// An authorisation server and a protected resource in one, on one port: grants everything to
// everybody who follows the protocol, counts what it is asked, and lets each refresh token be used
// once.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/base64.h"
#include "base/digest.h"
#include "http/form.h"
#include "support/http_peer.h"

namespace pi_mcp::test {

class AuthPeer {
 public:
  explicit AuthPeer(const io::Executor& executor)
      : script_(executor,
                [this](std::shared_ptr<HttpPeer> peer) { return serve(std::move(peer)); }) {}

  [[nodiscard]] std::string origin() const { return script_.url(""); }
  [[nodiscard]] std::string server_url() const { return script_.url("/mcp"); }
  io::Task<void> close() { return script_.close(); }

  // What tests set.
  std::string access = "access-1";    // the token that the resource accepts
  std::string refresh = "refresh-1";  // the token that can be redeemed next
  int expires_in = 3600;
  std::string token_error;       // the token endpoint answers with this error
  std::string issuer_in_answer;  // `iss` of the redirect; empty: the right one
  std::string identity_token;    // whom the identity provider of /idp knows; empty: nobody

  // What tests look at.
  int redemptions = 0;  // of refresh tokens
  int codes = 0;        // that were redeemed
  int registrations = 0;
  std::vector<std::string> revoked;
  std::vector<std::string> authorize_queries;
  std::vector<std::string> token_bodies;
  std::vector<std::string> exchanges;  // of identity tokens for assertions

 private:
  static std::string json(const std::string& body, const std::string& status = "200 OK") {
    return http_answer(status, "Content-Type: application/json", body);
  }

  io::Task<void> serve(std::shared_ptr<HttpPeer> peer) {
    while (const std::optional<SeenRequest> request = co_await peer->read_request()) {
      if (!co_await peer->write(answer(*request))) {
        co_return;
      }
    }
  }

  std::string answer(const SeenRequest& request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (path == "/mcp") {
      return resource(request);
    }
    if (path == "/.well-known/oauth-protected-resource/mcp") {
      return json(R"({"resource":")" + server_url() + R"(","authorization_servers":[")" + origin() +
                  R"("],"scopes_supported":["a"]})");
    }
    if (path == "/.well-known/oauth-authorization-server") {
      return json(R"({"issuer":")" + origin() + R"(","authorization_endpoint":")" + origin() +
                  R"(/authorize","token_endpoint":")" + origin() +
                  R"(/token","registration_endpoint":")" + origin() +
                  R"(/register","revocation_endpoint":")" + origin() +
                  R"(/revoke","code_challenge_methods_supported":["S256"],)"
                  R"("authorization_response_iss_parameter_supported":true})");
    }
    if (path == "/register") {
      ++registrations;
      return json(R"({"client_id":"client-)" + std::to_string(registrations) + R"("})",
                  "201 Created");
    }
    if (path == "/authorize") {
      return authorize(request.target.substr(path.size() + 1));
    }
    if (path == "/token") {
      return token(request.body);
    }
    if (path == "/.well-known/openid-configuration/idp") {
      return json(R"({"issuer":")" + origin() + R"(/idp","token_endpoint":")" + origin() +
                  R"(/idp/token"})");
    }
    if (path == "/idp/token") {
      return exchange(request.body);
    }
    if (path == "/revoke") {
      revoked.push_back(http::form_value(request.body, "token"));
      return json("");
    }
    return json("", "404 Not Found");
  }

  std::string resource(const SeenRequest& request) {
    if (request.head.find("authorization") == "Bearer " + access) {
      return json(R"({"jsonrpc":"2.0","id":1,"result":{}})");
    }
    return http_answer("401 Unauthorized",
                       "WWW-Authenticate: Bearer resource_metadata=\"" + origin() +
                           "/.well-known/oauth-protected-resource/mcp\"",
                       "");
  }

  std::string authorize(const std::string& query) {
    authorize_queries.push_back(query);
    challenge_ = http::form_value(query, "code_challenge");
    http::Form answer;
    answer.add("code", "code-1")
        .add("state", http::form_value(query, "state"))
        .add("iss", issuer_in_answer.empty() ? origin() : issuer_in_answer);
    return http_answer(
        "302 Found",
        "Location: " + http::with_query(http::form_value(query, "redirect_uri"), answer),
        "");
  }

  // One for each exchange.
  [[nodiscard]] std::string assertion() const {
    return "assertion-" + std::to_string(exchanges.size());
  }

  std::string exchange(const std::string& body) {
    exchanges.push_back(body);
    const std::string token = http::form_value(body, "subject_token");
    if (identity_token.empty() || token != identity_token ||
        http::form_value(body, "audience") != origin() ||
        http::form_value(body, "resource") != server_url()) {
      return json(R"({"error":"invalid_grant","error_description":"not good: )" + token + R"("})",
                  "400 Bad Request");
    }
    return json(R"({"access_token":")" + assertion() +
                R"(","issued_token_type":"urn:ietf:params:oauth:token-type:id-jag",)"
                R"("token_type":"N_A"})");
  }

  std::string token(const std::string& body) {
    token_bodies.push_back(body);
    if (!token_error.empty()) {
      return json(R"({"error":")" + token_error + R"("})", "400 Bad Request");
    }
    const std::string grant = http::form_value(body, "grant_type");
    if (grant == "refresh_token") {
      if (http::form_value(body, "refresh_token") != refresh) {
        return json(R"({"error":"invalid_grant"})", "400 Bad Request");
      }
      ++redemptions;
    } else if (grant == "authorization_code") {
      const std::string verifier = http::form_value(body, "code_verifier");
      if (http::form_value(body, "code") != "code-1" ||
          base64url_encoded(sha256(verifier)) != challenge_) {
        return json(R"({"error":"invalid_grant"})", "400 Bad Request");
      }
      ++codes;
    } else if (grant == "urn:ietf:params:oauth:grant-type:jwt-bearer" &&
               http::form_value(body, "assertion") != assertion()) {
      return json(R"({"error":"invalid_grant"})", "400 Bad Request");
    }
    ++issued_;
    access = "access-new-" + std::to_string(issued_);
    refresh = "refresh-new-" + std::to_string(issued_);
    return json(R"({"access_token":")" + access + R"(","token_type":"Bearer","refresh_token":")" +
                refresh + R"(","expires_in":)" + std::to_string(expires_in) + "}");
  }

  std::string challenge_;
  int issued_ = 0;
  HttpScript script_;
};

}  // namespace pi_mcp::test
