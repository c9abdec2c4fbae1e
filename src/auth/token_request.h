// Requests to a token endpoint and what comes back (RFC 6749 sections 4.1.3, 4.4.2, 5, 6; RFC 7009;
// RFC 7523; RFC 8707). Pure, but for the signature of a configured key.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/client_settings.h"
#include "auth/credentials.h"
#include "base/result.h"
#include "base/time.h"
#include "http/form.h"
#include "http/message.h"

namespace pi_mcp::auth {

// How the client authenticates in one request.
struct ClientProof {
  const Client* client = nullptr;
  const ClientSettings* settings = nullptr;  // holds the secrets of a configured client
  std::string issuer;                        // audience of an assertion
  std::string assertion_id;                  // never used before; for an assertion
  EpochMs now;
};

// POSTs the form with the client's proof to an endpoint. invalid_argument: the configured private
// key cannot sign.
Result<http::Request> client_request(std::string_view endpoint,
                                     http::Form form,
                                     const ClientProof& proof);

// What must not be seen in messages about this client.
std::vector<std::string> secrets_of(const ClientProof& proof);

// What must not be seen in messages about this request: every secret in it, encoded and plain.
std::vector<std::string> secrets_in(const http::Request& request);

struct TokenFailure {
  enum class Kind : std::uint8_t {
    refused,         // invalid_grant: log in again
    unknown_client,  // invalid_client: register again
    temporary,       // the server has a problem: try later
    pending,         // authorization_pending, of a device (RFC 8628 section 3.5): ask again
    slow_down,       // the same, and less often
    expired,         // expired_token: the device's code
    other,
  };
  Kind kind = Kind::other;
  std::string text;  // for a person, without secrets
};

// `requested_scope` counts as granted when the answer names none (RFC 6749 section 5.1), and
// `old_refresh` stays when the answer has no new one (section 6).
struct TokenContext {
  std::string requested_scope;
  std::string old_refresh;
  std::optional<EpochMs> old_end;  // Tokens::login_ends_at of the tokens before
  std::vector<std::string> secrets;
  EpochMs now;
};
// What an answer that refuses means.
TokenFailure parse_token_failure(const http::Answer& answer, const TokenContext& context);
tl::expected<Tokens, TokenFailure> parse_token_answer(const http::Answer& answer,
                                                      const TokenContext& context);

}  // namespace pi_mcp::auth
