// A token as a client may send it in the first line, and behind it what an issuer may say are its
// keys, or what somebody may write into settings.http: reading them ends and keeps its limits, and
// nothing that was not signed by a key is taken for it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "access/jwt.h"
#include "access/key_set.h"
#include "access/oauth_rules.h"
#include "json/document.h"
#include "support/jwt_signer.h"

namespace {

using pi_mcp::access::Jwt;
using pi_mcp::access::KeyKind;
using pi_mcp::access::KeySet;
using pi_mcp::access::OAuthRules;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

// Of an issuer whose private keys nobody has: they are new each time.
const KeySet& strange_keys() {
  static const KeySet keys =
      KeySet::parse(pi_mcp::test::key_set_text({pi_mcp::test::SigningKey::rsa().jwk(""),
                                                pi_mcp::test::SigningKey::curve().jwk("")}))
          .value();
  return keys;
}

void check_token(std::string_view token, const KeySet* keys) {
  const auto read = pi_mcp::access::read_jwt(token);
  if (!read) {
    return;
  }
  require(pi_mcp::access::looks_like_jwt(token));
  require(token.size() <= pi_mcp::access::jwt_bytes_max && read->algorithm != nullptr);
  require(!read->issuer.empty() && !read->subject.empty());
  require(read->subject.find_first_of("\n\r\x1b") == std::string::npos);
  require(read->scopes.size() <= 200 && read->audiences.size() <= 200);
  const auto strange = strange_keys().choose(*read);
  require(!strange || !(*strange)->verifies(token));
  const auto key = keys == nullptr ? strange : keys->choose(*read);
  if (keys != nullptr && key && (*key)->verifies(token)) {
    // Whatever is changed in what was signed, it is no longer so.
    std::string changed(token);
    changed.front() = changed.front() == 'e' ? 'f' : 'e';
    require(!(*key)->verifies(changed));
  }
}

void check_rules(const OAuthRules& rules) {
  require(!rules.issuers().empty() && rules.issuers().size() <= OAuthRules::issuers_max);
  for (const char* target : {"/mcp", "/servers/a%22b/mcp", "/servers/a\"b/mcp", "/other", ""}) {
    require(pi_mcp::json::Document::parse(rules.metadata(target)).has_value());
    const std::string challenge = rules.challenge(target);
    require(std::ranges::count(challenge, '"') == (rules.has_scope_for(target) ? 4 : 2));
    require(challenge.find_first_of("\r\n\\") == std::string::npos);
  }
  require(!rules.give({}, {"mcp"}).is_for_us);
  require(rules.give({rules.resource()}, {}).grants.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line_end = std::min(text.find('\n'), text.size());
  const std::string_view rest = text.substr(std::min(line_end + 1, text.size()));
  const pi_mcp::Result<KeySet> keys = KeySet::parse(rest);
  require(!keys || keys->size() <= pi_mcp::access::key_set_keys_max);
  check_token(text.substr(0, line_end), keys ? &*keys : nullptr);
  // As they are inside of a token, where base64 hides them from a fuzzer.
  constexpr std::string_view header = R"({"alg":"RS256"})";
  constexpr std::string_view claims = R"({"iss":"i","sub":"s","exp":4102444800})";
  check_token(pi_mcp::test::forged(header, rest, "signature"), nullptr);
  check_token(pi_mcp::test::forged(rest, claims, "signature"), nullptr);
  if (const auto rules = OAuthRules::read(rest); rules && *rules) {
    check_rules(**rules);
  }
  return 0;
}
