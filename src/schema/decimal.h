// Numbers of JSON compared exactly, however long: 1.0 equals 1, 10^400 is larger than 10^399, and
// 0.3 is a multiple of 0.1. Nothing is rounded to a double. Pure: no I/O, no clock.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pi_mcp::schema {

// A view of the digits of a JSON number; valid as long as the text it was made from.
class Decimal {
 public:
  // `number` must be a number as JSON writes it. An exponent beyond 10^17 counts as 10^17.
  explicit Decimal(std::string_view number);

  [[nodiscard]] bool is_integer() const { return scale_ >= count(); }

  // Whether this is a whole number of times `divisor`; nullopt when that is too expensive to know
  // (a divisor of zero or of more than 18 significant digits).
  [[nodiscard]] std::optional<bool> is_multiple_of(const Decimal& divisor) const;

  // The same for all spellings of a number.
  [[nodiscard]] std::string normal_form() const;

  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);
  friend bool operator==(const Decimal& a, const Decimal& b) { return (a <=> b) == 0; }

 private:
  void trim();
  [[nodiscard]] bool is_zero() const { return count() == 0; }
  [[nodiscard]] std::int64_t count() const {
    return static_cast<std::int64_t>(whole_.size() + fraction_.size());
  }
  [[nodiscard]] char digit(std::size_t index) const {
    return index < whole_.size() ? whole_[index] : fraction_[index - whole_.size()];
  }
  [[nodiscard]] std::strong_ordering compare_magnitude(const Decimal& other) const;
  [[nodiscard]] std::uint64_t modulo(std::uint64_t divisor) const;

  // The value is 0.DIGITS * 10^scale_ where DIGITS is whole_ then fraction_, without zeros at
  // either end. Zero has no digits, scale 0 and no sign.
  std::string_view whole_;
  std::string_view fraction_;
  std::int64_t scale_ = 0;
  bool negative_ = false;
};

}  // namespace pi_mcp::schema
