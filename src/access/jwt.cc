#include "access/jwt.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/text.h"
#include "json/document.h"

namespace pi_mcp::access {
namespace {

constexpr std::uint32_t depth_max = 32;
constexpr std::size_t header_members_max = 32;
constexpr std::size_t name_bytes_max = 256;  // of a subject, a client or a key
constexpr std::size_t list_max = 200;        // audiences, scopes
constexpr double seconds_max = 1e11;         // the year 5138
constexpr std::int64_t ms_per_s = 1'000;

constexpr std::array<Algorithm, 6> algorithms = {{
    {.name = "RS256", .kind = KeyKind::rsa, .signature_bytes = 0},
    {.name = "RS384", .kind = KeyKind::rsa, .signature_bytes = 0},
    {.name = "RS512", .kind = KeyKind::rsa, .signature_bytes = 0},
    {.name = "PS256", .kind = KeyKind::rsa, .signature_bytes = 0},
    {.name = "ES256", .kind = KeyKind::p256, .signature_bytes = 64},
    {.name = "ES384", .kind = KeyKind::p384, .signature_bytes = 96},
}};

using Fault = tl::unexpected<TokenFault>;

// Of one part. An empty document: it is no JSON object in base64url.
json::Document object_of(std::string_view part) {
  const std::optional<std::string> text = base64url_decoded(part);
  Result<json::Document> document =
      text ? json::Document::parse(*text, {.depth_max = depth_max, .bytes_max = jwt_bytes_max})
           : Result<json::Document>();
  return document && document->root().is_object() ? *std::move(document) : json::Document();
}

// The library that checks the signature reads the header again. Where a name stands twice the two
// could read it differently.
bool has_each_once(json::Value header) {
  std::set<std::string> names;
  std::size_t count = 0;
  for (const json::Member member : header.members()) {
    ++count;
    names.insert(member.name());
    if (count > header_members_max) {
      return false;
    }
  }
  return names.size() == count;
}

// RFC 9068 section 4, and those who do not follow it. Tokens for other uses name another type
// (RFC 8725 section 3.11).
bool is_access_type(json::Value type) {
  if (!type) {
    return true;
  }
  const std::string name = text::lower(type.string_or("?"));
  return name == "at+jwt" || name == "application/at+jwt" || name == "jwt";
}

// It stands in logs and answers.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= name_bytes_max && text::printable_line(text) == text;
}

std::optional<std::int64_t> seconds_of(json::Value value) {
  const std::optional<double> number = value.as_double();
  return number && std::abs(*number) <= seconds_max
             ? std::optional(static_cast<std::int64_t>(std::floor(*number)))
             : std::nullopt;
}

// A time that may be left out. False: it is there and no time.
bool read_time(json::Value value, std::optional<std::int64_t>& time) {
  time = seconds_of(value);
  return !value || time.has_value();
}

// A string, with spaces between where `is_words`, or an array of strings.
std::vector<std::string> list_of(json::Value value, bool is_words) {
  std::vector<std::string> list;
  const auto add = [&list](std::string_view text) {
    if (list.size() < list_max) {
      list.emplace_back(text);
    }
  };
  if (value.is_string()) {
    const std::string text = value.string_or("");
    if (is_words) {
      std::ranges::for_each(text::words(text), add);
    } else {
      add(text);
    }
  }
  for (const json::Value element : value.elements()) {
    if (element.is_string()) {
      add(element.string_or(""));
    }
  }
  return list;
}

// The first of these that is a string.
std::string first_text(json::Value claims, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const json::Value value = claims.find(name); value.is_string()) {
      return value.string_or("");
    }
  }
  return "";
}

std::optional<TokenFault> read_header(json::Value header, Jwt& token) {
  if (!header || !has_each_once(header)) {
    return TokenFault::malformed;
  }
  token.algorithm = find_algorithm(header.find("alg").string_or(""));
  if (token.algorithm == nullptr) {
    return TokenFault::algorithm;
  }
  if (header.find("crit")) {
    return TokenFault::critical;
  }
  if (!is_access_type(header.find("typ"))) {
    return TokenFault::type;
  }
  const json::Value key_id = header.find("kid");
  token.key_id = key_id.string_or("");
  const bool is_fine = !key_id || is_name(token.key_id);
  return is_fine ? std::nullopt : std::optional(TokenFault::malformed);
}

std::optional<TokenFault> read_claims(json::Value claims, Jwt& token) {
  if (!claims) {
    return TokenFault::malformed;
  }
  // RFC 8705, RFC 9449: whoever stole it could not use it with those who check that.
  if (claims.find("cnf")) {
    return TokenFault::bound;
  }
  token.issuer = claims.find("iss").string_or("");
  token.subject = claims.find("sub").string_or("");
  // RFC 9068; what others call it.
  token.client = first_text(claims, {"client_id", "azp", "cid", "appid"});
  token.audiences = list_of(claims.find("aud"), false);
  const json::Value scope = claims.find("scope");
  token.scopes = list_of(scope ? scope : claims.find("scp"), true);
  const std::optional<std::int64_t> expires = seconds_of(claims.find("exp"));
  token.expires = expires.value_or(0);
  const bool has_all = expires && !token.issuer.empty() && is_name(token.subject) &&
                       (token.client.empty() || is_name(token.client)) &&
                       read_time(claims.find("nbf"), token.not_before) &&
                       read_time(claims.find("iat"), token.issued);
  return has_all ? std::nullopt : std::optional(TokenFault::claims);
}

}  // namespace

std::string_view fault_text(TokenFault fault) {
  switch (fault) {
    case TokenFault::too_long:
      return "the token is longer than 16 KiB";
    case TokenFault::malformed:
      return "the token is no JWT in its compact form";
    case TokenFault::algorithm:
      return "the token is signed by an algorithm that is not taken here";
    case TokenFault::type:
      return "the token is no access token (typ)";
    case TokenFault::critical:
      return "the token wants something to be understood that is not (crit)";
    case TokenFault::bound:
      return "the token is bound to a key of its client (cnf), which is not checked here";
    case TokenFault::claims:
      return "the token lacks iss, sub or exp, or a claim is of a wrong type";
    case TokenFault::issuer:
      return "the token is of an issuer that is not trusted here";
    case TokenFault::audience:
      return "the token is for another audience";
    case TokenFault::expired:
      return "the token has expired";
    case TokenFault::early:
      return "the token is not good yet";
    case TokenFault::key:
      return "the issuer has no key of the name that the token has (kid)";
    case TokenFault::unfit_key:
      return "the issuer has no key for the algorithm of the token";
    case TokenFault::several_keys:
      return "the token names no key (kid), and the issuer has more than one that would fit";
    case TokenFault::signature:
      return "the signature of the token is wrong";
    case TokenFault::scope:
      return "the token has no scope that gives something here";
    case TokenFault::no_keys:
      return "the keys of the issuer cannot be had at the moment";
    case TokenFault::keys_under_way:
      return "the keys of the issuer are being fetched";
  }
  return "";
}

const Algorithm* find_algorithm(std::string_view name) {
  const auto* const found = std::ranges::find(algorithms, name, &Algorithm::name);
  return found == algorithms.end() ? nullptr : found;
}

bool looks_like_jwt(std::string_view token) {
  return std::ranges::count(token, '.') == 2;
}

tl::expected<Jwt, TokenFault> read_jwt(std::string_view token) {
  if (token.size() > jwt_bytes_max) {
    return Fault(TokenFault::too_long);
  }
  const std::vector<std::string_view> parts = text::split(token, '.');
  if (parts.size() != 3) {
    return Fault(TokenFault::malformed);
  }
  Jwt read;
  const json::Document header = object_of(parts[0]);
  if (const auto fault = read_header(header.root(), read)) {
    return Fault(*fault);
  }
  const std::optional<std::string> signature = base64url_decoded(parts[2]);
  const std::size_t wanted = read.algorithm->signature_bytes;
  if (!signature || signature->empty() || (wanted != 0 && signature->size() != wanted)) {
    return Fault(TokenFault::signature);
  }
  const json::Document claims = object_of(parts[1]);
  if (const auto fault = read_claims(claims.root(), read)) {
    return Fault(*fault);
  }
  return read;
}

std::optional<TokenFault> wrong_time(const Jwt& token, EpochMs now) {
  const auto is_over = [now](std::int64_t seconds, Milliseconds later) {
    return seconds * ms_per_s + later.count() <= now.value;
  };
  if (is_over(token.expires, clock_skew)) {
    return TokenFault::expired;
  }
  for (const std::optional<std::int64_t>& begin : {token.not_before, token.issued}) {
    if (begin && !is_over(*begin, -clock_skew)) {
      return TokenFault::early;
    }
  }
  return std::nullopt;
}

}  // namespace pi_mcp::access
