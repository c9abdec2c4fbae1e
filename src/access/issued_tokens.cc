#include "access/issued_tokens.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/digest.h"
#include "json/writer.h"

namespace pi_mcp::access {
namespace {

constexpr std::string_view id_prefix = "jwt-";
constexpr std::size_t id_digits = 32;
constexpr std::int64_t ms_per_s = 1'000;

TokenFound refused(TokenFault fault) {
  return {.what = TokenFound::What::refused, .principal = nullptr, .fault = fault};
}

TokenFound waiting(TokenFault fault) {
  return {.what = TokenFound::What::waiting, .principal = nullptr, .fault = fault};
}

void write_texts(json::Writer& out, const std::vector<std::string>& texts) {
  out.begin_array();
  for (const std::string& text : texts) {
    out.string(text);
  }
  out.end_array();
}

// A session is for who opened it, and for what could be done then: another token of the same person
// with fewer scopes must not go on in it.
std::string id_of(const Jwt& token, const std::vector<Grant>& grants) {
  json::Writer out;
  out.begin_array().string(token.issuer).string(token.subject).string(token.client);
  for (const Grant& grant : grants) {
    write_texts(out, grant.servers);
    write_texts(out, grant.tools);
  }
  out.end_array();
  return std::string(id_prefix) + sha256_hex(out.text()).substr(0, id_digits);
}

// Whoever registers another client, or asks for fewer scopes, may not do more by that.
std::string person_of(const Jwt& token) {
  json::Writer out;
  out.begin_array().string(token.issuer).string(token.subject).end_array();
  return "person-" + sha256_hex(out.text()).substr(0, id_digits);
}

}  // namespace

bool is_issued_id(std::string_view id) {
  return id.size() == id_prefix.size() + id_digits && id.starts_with(id_prefix) &&
         std::ranges::all_of(id.substr(id_prefix.size()), ascii::is_hex_digit);
}

IssuedTokens::IssuedTokens(OAuthRules rules, std::function<void()> asked)
    : rules_(std::move(rules)), asked_(std::move(asked)) {
  for (const std::string& issuer : rules_.issuers()) {
    keys_.try_emplace(issuer);
  }
}

bool IssuedTokens::replace(OAuthRules rules) {
  if (rules.resource() != rules_.resource() || rules.issuers() != rules_.issuers()) {
    return false;
  }
  if (rules == rules_) {
    return true;
  }
  rules_ = std::move(rules);
  ++rules_count_;
  known_.clear();
  return true;
}

TokenFound IssuedTokens::ask(KeyCache& keys, TokenFault otherwise, TimePoint at) const {
  if (keys.ask(at)) {
    asked_();
    return waiting(TokenFault::keys_under_way);
  }
  const bool is_unknown = otherwise == TokenFault::no_keys || keys.has_failed();
  return is_unknown ? waiting(TokenFault::no_keys) : refused(otherwise);
}

const IssuedTokens::Known* IssuedTokens::known(const std::string& digest, TimePoint at) const {
  const auto found = known_.find(digest);
  const bool counts = found != known_.end() && found->second.keys->keys(at) != nullptr &&
                      found->second.keys->version() == found->second.version;
  return counts ? &found->second : nullptr;
}

std::shared_ptr<const Principal> IssuedTokens::principal_of(const Jwt& token,
                                                            OAuthRules::Given given) const {
  std::string id = id_of(token, given.grants);
  return std::make_shared<const Principal>(Principal{
      // No name of a token file's token has a space.
      .name = token.subject + " at " + token.issuer,
      .id = std::move(id),
      .servers = {},
      .tools = {},
      .expires = EpochMs{token.expires * ms_per_s + clock_skew.count()},
      .grants = std::move(given.grants),
      .rules = rules_count_,
      .rate = given.rate,
      .person = person_of(token)});
}

TokenFound IssuedTokens::find(std::string_view token, EpochMs now, TimePoint at) {
  if (token.size() > jwt_bytes_max) {
    return refused(TokenFault::too_long);
  }
  const std::string digest = sha256(token);
  if (const Known* const before = known(digest, at)) {
    return before->principal->is_expired(now)
               ? refused(TokenFault::expired)
               : TokenFound{.what = TokenFound::What::good, .principal = before->principal};
  }
  const tl::expected<Jwt, TokenFault> read = read_jwt(token);
  if (!read) {
    return refused(read.error());
  }
  const auto issuer = keys_.find(read->issuer);
  if (issuer == keys_.end()) {
    return refused(TokenFault::issuer);
  }
  OAuthRules::Given given = rules_.give(read->audiences, read->scopes);
  if (!given.is_for_us) {
    return refused(TokenFault::audience);
  }
  if (const auto fault = wrong_time(*read, now)) {
    return refused(*fault);
  }
  KeyCache& cache = issuer->second;
  const KeySet* const keys = cache.keys(at);
  if (keys == nullptr) {
    return ask(cache, TokenFault::no_keys, at);
  }
  const auto key = keys->choose(*read);
  if (!key) {
    return key.error() == TokenFault::key ? ask(cache, key.error(), at) : refused(key.error());
  }
  if (!(*key)->verifies(token)) {
    return refused(TokenFault::signature);
  }
  if (given.grants.empty()) {
    return refused(TokenFault::scope);
  }
  if (known_.size() >= known_max) {
    known_.clear();
  }
  auto principal = principal_of(*read, std::move(given));
  known_.insert_or_assign(
      digest, Known{.principal = principal, .keys = &cache, .version = cache.version()});
  return {.what = TokenFound::What::good, .principal = std::move(principal)};
}

bool IssuedTokens::is_good(const Principal& principal, EpochMs now) const {
  return principal.rules == rules_count_ &&
         !principal.is_expired(EpochMs{now.value - running_on.count()});
}

}  // namespace pi_mcp::access
