// Equality of JSON values as JSON Schema defines it: numbers by value, strings after decoding,
// objects without regard to order. Pure: no I/O, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "json/document.h"

namespace pi_mcp::schema {

// Counts down while work is done; shared by everything one request may cost.
class WorkBudget {
 public:
  explicit WorkBudget(std::uint64_t steps) : left_(steps) {}

  // False from the moment when more was asked for than there was.
  bool spend(std::uint64_t steps) {
    left_ = steps > left_ ? 0 : left_ - steps;
    return left_ != 0;
  }
  [[nodiscard]] bool is_spent() const { return left_ == 0; }

 private:
  std::uint64_t left_;
};

// False also when the budget ends before the answer is known. An absent value equals nothing.
bool equal(json::Value a, json::Value b, WorkBudget& budget);

// The positions of the first two equal elements found in an array; nullopt when there are none or
// the budget ends first.
std::optional<std::pair<std::size_t, std::size_t>> find_duplicate(json::Value array,
                                                                  WorkBudget& budget);

}  // namespace pi_mcp::schema
