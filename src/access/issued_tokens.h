// Who comes with a token that an authorization server has issued: its claims by our rules, its
// signature by the keys of its issuer. Fetches nothing: key_fetch.h does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "access/jwt.h"
#include "access/key_cache.h"
#include "access/oauth_rules.h"
#include "access/token_look_up.h"
#include "base/time.h"

namespace pi_mcp::access {

// Whether this is the id of a principal that came by an authorization server's token.
[[nodiscard]] bool is_issued_id(std::string_view id);

class IssuedTokens {
 public:
  // Of tokens that were found good, so that a request pays for no signature again.
  static constexpr std::size_t known_max = 4'096;
  // What a token let in may go on for so long once it has expired: calls and streams that were
  // under way. Nothing new begins.
  static constexpr Milliseconds running_on{10 * 60'000};

  // `asked`: a fetch of keys is due, see keys(); not null.
  IssuedTokens(OAuthRules rules, std::function<void()> asked);

  [[nodiscard]] TokenFound find(std::string_view token, EpochMs now, TimePoint at);
  // Whether a principal that came before may go on.
  [[nodiscard]] bool is_good(const Principal& principal, EpochMs now) const;

  [[nodiscard]] const OAuthRules& rules() const { return rules_; }
  // Who came under other ones may not go on. False, and nothing happens: they are of another
  // address or other issuers.
  bool replace(OAuthRules rules);

  // By issuer. Stays at its place.
  [[nodiscard]] std::map<std::string, KeyCache, std::less<>>& keys() { return keys_; }

 private:
  struct Known {
    std::shared_ptr<const Principal> principal;
    const KeyCache* keys = nullptr;
    std::uint64_t version = 0;  // of the keys that have signed it
  };
  [[nodiscard]] TokenFound ask(KeyCache& keys, TokenFault otherwise, TimePoint at) const;
  [[nodiscard]] const Known* known(const std::string& digest, TimePoint at) const;
  [[nodiscard]] std::shared_ptr<const Principal> principal_of(const Jwt& token,
                                                              OAuthRules::Given given) const;

  OAuthRules rules_;
  std::function<void()> asked_;
  std::uint64_t rules_count_ = 1;
  std::map<std::string, KeyCache, std::less<>> keys_;
  std::unordered_map<std::string, Known> known_;  // by digest
};

}  // namespace pi_mcp::access
