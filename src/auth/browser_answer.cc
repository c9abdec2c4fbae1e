#include "auth/browser_answer.h"

#include <algorithm>

#include "auth/credentials.h"
#include "auth/failure_text.h"
#include "base/base64.h"
#include "base/digest.h"
#include "http/form.h"

namespace pi_mcp::auth {
namespace {

// Takes equally long for any two texts of one length.
bool equal_secrets(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

}  // namespace

std::string authorization_url(const AuthorizationRequest& request) {
  http::Form form;
  form.add("response_type", "code")
      .add("client_id", request.client_id)
      .add("redirect_uri", request.redirect_uri)
      .add("code_challenge", base64url_encoded(sha256(request.verifier)))
      .add("code_challenge_method", "S256")
      .add("state", request.state)
      .add("resource", request.resource)
      .add("scope", request.scope);
  // OpenID Connect Core section 11: offline access is given only with the person's consent.
  if (scope_covers(request.scope, "offline_access") &&
      !request.settings->authorization_params.contains("prompt")) {
    form.add("prompt", "consent");
  }
  for (const auto& [name, value] : request.settings->authorization_params) {
    if (http::form_value(form.text(), name).empty()) {
      form.add(name, value);
    }
  }
  return http::with_query(request.server->authorization_endpoint, form);
}

bool has_state(std::string_view query, std::string_view state) {
  return equal_secrets(http::form_value(query, "state"), state);
}

Result<std::string> code_in(std::string_view query,
                            const ServerMetadata& server,
                            const std::vector<std::string>& secrets) {
  const std::string issuer = http::form_value(query, "iss");
  if (issuer.empty() ? server.sends_issuer : issuer != server.issuer) {
    return fail(ErrorCode::protocol,
                "the answer of the browser does not come from \"" + server.issuer +
                    "\", so its code is not used");
  }
  const std::string error = http::form_value(query, "error");
  std::string code = http::form_value(query, "code");
  if (error.empty() && !code.empty()) {
    return code;
  }
  std::vector<std::string> hidden = secrets;
  hidden.push_back(code);
  return fail(ErrorCode::unauthorized,
              "the authorization server refused: " +
                  refusal_text(error.empty() ? "there is no code in the answer" : error,
                               http::form_value(query, "error_description"),
                               hidden));
}

}  // namespace pi_mcp::auth
