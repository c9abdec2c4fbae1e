// How much of what there is one principal may take, so that something is left for all others
// (docs/decisions/0078-what-a-principal-has.md). Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace pi_mcp::endpoint {

// A quarter of the whole is kept for those who have little; little is a 64th, 4 at least.
struct ShareRule {
  std::size_t whole = 0;

  [[nodiscard]] std::size_t open_to_all() const { return whole - whole / 4; }
  [[nodiscard]] std::size_t little() const { return std::max<std::size_t>(whole / 64, 4); }
  // Whether one that has `own` may take one more when all together have `total`.
  [[nodiscard]] bool may_take(std::size_t own, std::size_t total) const {
    return total < (own < little() ? whole : open_to_all());
  }
};

// Counts what is taken, exactly.
class Shares {
  struct Counts {
    std::map<std::string, std::size_t> of;  // by principal; none is 0
    std::size_t total = 0;
  };

 public:
  explicit Shares(std::size_t whole) : rule_{.whole = whole} {}

  // Is given back when it is destroyed, which may be later than the Shares.
  class Taken {
   public:
    Taken(std::shared_ptr<Counts> counts, const std::string& principal)
        : counts_(std::move(counts)), place_(counts_->of.try_emplace(principal, 0).first) {
      ++place_->second;
      ++counts_->total;
    }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    Taken(Taken&& other) noexcept = default;
    Taken& operator=(Taken&& other) = delete;
    ~Taken() {
      if (counts_) {  // it was not moved away
        --counts_->total;
        if (--place_->second == 0) {
          counts_->of.erase(place_);
        }
      }
    }

   private:
    std::shared_ptr<Counts> counts_;
    std::map<std::string, std::size_t>::iterator place_;
  };

  [[nodiscard]] std::size_t total() const { return counts_->total; }
  [[nodiscard]] std::size_t of(const std::string& principal) const {
    const auto found = counts_->of.find(principal);
    return found == counts_->of.end() ? 0 : found->second;
  }
  // It has more than little, and so takes what is open to all.
  [[nodiscard]] bool has_much(const std::string& principal) const {
    return of(principal) >= rule_.little();
  }
  [[nodiscard]] bool may_take(const std::string& principal) const {
    return rule_.may_take(of(principal), total());
  }
  // Whether it may or not.
  [[nodiscard]] Taken take(const std::string& principal) { return {counts_, principal}; }
  [[nodiscard]] const ShareRule& rule() const { return rule_; }

 private:
  ShareRule rule_;
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace pi_mcp::endpoint
