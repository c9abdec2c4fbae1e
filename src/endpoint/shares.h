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
  // Whether one that has `own` may take so many more when all together have `total`.
  [[nodiscard]] bool may_take(std::size_t own, std::size_t total, std::size_t more = 1) const {
    return total + more <= (own + more <= little() ? whole : open_to_all());
  }
};

// Counts what is taken, exactly: sessions, requests, bytes.
class Shares {
  struct Counts {
    using Of = std::map<std::string, std::size_t>;
    Of of;                // by principal; none is 0
    Of::node_type spare;  // so that who comes again and again costs no allocation
    std::size_t total = 0;

    Of::iterator add(const std::string& principal, std::size_t amount) {
      Of::iterator place = of.find(principal);
      if (place == of.end() && spare) {
        spare.key() = principal;
        spare.mapped() = 0;
        place = of.insert(std::move(spare)).position;
      } else if (place == of.end()) {
        place = of.try_emplace(principal, 0).first;
      }
      place->second += amount;
      total += amount;
      return place;
    }
    void remove(Of::iterator place, std::size_t amount) {
      total -= amount;
      place->second -= amount;
      if (place->second == 0) {
        spare = of.extract(place);
      }
    }
  };

 public:
  explicit Shares(std::size_t whole) : rule_{.whole = whole} {}

  // One, given back when it is destroyed, which may be later than the Shares.
  class Taken {
   public:
    Taken(std::shared_ptr<Counts> counts, const std::string& principal)
        : counts_(std::move(counts)), place_(counts_->add(principal, 1)) {}
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    Taken(Taken&& other) noexcept = default;
    Taken& operator=(Taken&& other) = delete;
    ~Taken() {
      if (counts_) {  // it was not moved away
        counts_->remove(place_, 1);
      }
    }

   private:
    std::shared_ptr<Counts> counts_;
    Counts::Of::iterator place_;
  };

  [[nodiscard]] std::size_t total() const { return counts_->total; }
  [[nodiscard]] std::size_t of(const std::string& principal) const {
    const auto found = counts_->of.find(principal);
    return found == counts_->of.end() ? 0 : found->second;
  }
  // With so many more it has more than little, and so takes what is open to all.
  [[nodiscard]] bool has_much(const std::string& principal, std::size_t more = 1) const {
    return of(principal) + more > rule_.little();
  }
  [[nodiscard]] bool may_take(const std::string& principal, std::size_t more = 1) const {
    return rule_.may_take(of(principal), total(), more);
  }
  // Whether it may or not.
  [[nodiscard]] Taken take(const std::string& principal) { return {counts_, principal}; }
  // The same of any amount, until as much is removed.
  void add(const std::string& principal, std::size_t amount) { counts_->add(principal, amount); }
  void remove(const std::string& principal, std::size_t amount) {
    counts_->remove(counts_->of.find(principal), amount);
  }
  [[nodiscard]] const ShareRule& rule() const { return rule_; }

 private:
  ShareRule rule_;
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace pi_mcp::endpoint
