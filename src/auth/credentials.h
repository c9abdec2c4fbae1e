// What is stored of an authorisation: who we are at an authorisation server, and which tokens it
// gave us for one MCP server. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace pi_mcp::auth {

// How a client authenticates at the token endpoint (RFC 6749 section 2.3, RFC 7523).
// basic_and_id: the id is in the body as well, for servers that look for it only there.
enum class ClientAuth : std::uint8_t { none, basic, basic_and_id, post, private_key_jwt };

// Where a client id comes from. Registered ones belong to the issuer that gave them; the others are
// the user's and only their id is stored.
enum class ClientSource : std::uint8_t { configured, metadata_url, registered };

struct Client {
  std::string id;
  std::string secret;  // of a registered client; stored with it
  ClientAuth auth = ClientAuth::none;
  ClientSource source = ClientSource::configured;
  std::string redirect_uri;       // of a registered client: the one it was registered with
  std::int64_t expires_at_s = 0;  // of the secret, since 1970; 0: never
};

struct Tokens {
  std::string access;
  std::string refresh;  // empty: none
  std::string scope;    // granted, separated by spaces; as requested when the server does not say
  // From then on it should be renewed: a little before it really ends. nullopt: unknown, used until
  // it is refused.
  std::optional<EpochMs> stale_at;
  // From then on nothing renews them, and a person has to log in again. nullopt: not known.
  std::optional<EpochMs> login_ends_at;
};

// Where the secrets of credentials are: tokens and the secret of a registered client. Everything
// else is in the file in any case.
enum class SecretsIn : std::uint8_t {
  file,
  keyring,
  file_after_keyring,  // in the file; the keyring may have older ones that it could not remove
  encrypted_file,      // in the file, sealed (auth/sealed.h)
};

// Bound to one MCP server and one issuer: never used for another.
struct Credentials {
  std::string server_url;  // as configured
  std::string issuer;
  std::string resource;  // RFC 8707; empty: none is sent
  std::string token_endpoint;
  std::string revocation_endpoint;  // empty: none
  std::string requested_scope;      // what the tokens were asked with
  std::string wanted_scope;         // what the server asked for later; for the next login
  Client client;
  std::optional<Tokens> tokens;  // nullopt: logged out, or refused for good
  SecretsIn secrets_in = SecretsIn::file;
  std::string sealed;  // for encrypted_file: secrets_json() as seal() has made it
  // Which login this is, and how often it was written since; for is_newer(). 0: not known.
  EpochMs made_at{0};
  std::int64_t turn = 0;
};

// Whether `one` was written after `other`, where both were read from different places: a later
// login, or the same one renewed more often. Clocks of different machines are compared only between
// logins, which persons make.
[[nodiscard]] bool is_newer(const Credentials& one, const Credentials& other);

// A login that another program made for one of our servers.
struct ForeignLogin {
  std::string made_by;  // for messages
  Tokens tokens;
  std::string issuer;  // empty: not said, so that nothing can be renewed
  Client client;       // id empty: not said
};

// The text of the file.
std::string to_json(const Credentials& credentials);
// invalid_argument: not a text of ours. Nothing of the text is repeated. Secrets that are in the
// keyring or sealed are empty: see add_secrets().
Result<Credentials> parse_credentials(std::string_view json);

// The text that the keyring stores or that is sealed.
std::string secrets_json(const Credentials& credentials);
void add_secrets(Credentials& credentials, std::string_view json);
// Leaves what holds when the keyring has lost the secrets or cannot be read: who we are, where that
// needs no secret, and which rights there were.
void forget_secrets(Credentials& credentials);

// {"access_token", "refresh_token"?, "expires_in"?, "expiresAt"? (ms), "scope"?}: the token file of
// the Pi MCP Adapter's first versions. nullopt: no access_token.
std::optional<Tokens> parse_adapter_tokens(std::string_view json);

// Each scope once, those of `first` in front. RFC 6749 section 3.3: separated by spaces.
std::string scope_union(std::string_view first, std::string_view second);
// Every scope of `part` is in `whole`.
[[nodiscard]] bool scope_covers(std::string_view whole, std::string_view part);

}  // namespace pi_mcp::auth
