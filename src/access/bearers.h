// All bearer tokens: those of the token file and, where the configuration names authorization
// servers, theirs.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "access/issued_tokens.h"
#include "access/token_file.h"
#include "access/token_look_up.h"
#include "io/loop/clock.h"

namespace pi_mcp::access {

class Bearers final : public TokenLookUp {
 public:
  // `issued`: may be null. Both outlive it.
  Bearers(TokenFile& file, IssuedTokens* issued) : file_(file), issued_(issued) {}

  [[nodiscard]] TokenFound find(std::string_view bearer, EpochMs now) override {
    return issued_ != nullptr && looks_like_jwt(bearer) ? issued_->find(bearer, now, io::now())
                                                        : file_.find(bearer, now);
  }
  [[nodiscard]] bool is_good(const Principal& principal, EpochMs now) {
    return principal.rules == 0 ? file_.is_good(principal, now)
                                : issued_ != nullptr && issued_->is_good(principal, now);
  }

  [[nodiscard]] std::string challenge(std::string_view target) const override {
    return issued_ != nullptr ? issued_->rules().challenge(target) : std::string();
  }
  [[nodiscard]] std::string challenge_for_more(const Principal& principal,
                                               std::string_view target) const override {
    const bool can_help =
        issued_ != nullptr && principal.rules != 0 && issued_->rules().has_scope_for(target);
    return can_help ? issued_->rules().challenge(target) : std::string();
  }
  [[nodiscard]] std::string metadata(std::string_view target) const override {
    return issued_ != nullptr ? issued_->rules().metadata(target) : std::string();
  }

 private:
  TokenFile& file_;
  IssuedTokens* issued_;
};

}  // namespace pi_mcp::access
