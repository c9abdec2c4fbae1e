#include "schema/decimal.h"

#include <algorithm>
#include <charconv>

namespace pi_mcp::schema {
namespace {

// Far beyond any real number, and small enough that sums of two of them cannot overflow.
constexpr std::int64_t exponent_max = 100'000'000'000'000'000;

__extension__ using Wide = unsigned __int128;

std::int64_t parse_exponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  text.remove_prefix(negative || text.starts_with('+') ? 1 : 0);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) {
    value = exponent_max;
  }
  value = std::min(value, exponent_max);
  return negative ? -value : value;
}

std::uint64_t multiply_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t divisor) {
  return static_cast<std::uint64_t>(Wide{a} * b % divisor);
}

std::uint64_t power_of_ten_modulo(std::int64_t exponent, std::uint64_t divisor) {
  std::uint64_t result = 1 % divisor;
  std::uint64_t base = 10 % divisor;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) {
      result = multiply_modulo(result, base, divisor);
    }
    base = multiply_modulo(base, base, divisor);
  }
  return result;
}

}  // namespace

Decimal::Decimal(std::string_view number) {
  negative_ = number.starts_with('-');
  number.remove_prefix(negative_ ? 1 : 0);
  const std::size_t exponent = number.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    scale_ = parse_exponent(number.substr(exponent + 1));
    number = number.substr(0, exponent);
  }
  const std::size_t point = number.find('.');
  whole_ = number.substr(0, point);
  fraction_ = point == std::string_view::npos ? std::string_view() : number.substr(point + 1);
  trim();
}

void Decimal::trim() {
  whole_.remove_prefix(std::min(whole_.find_first_not_of('0'), whole_.size()));
  scale_ += static_cast<std::int64_t>(whole_.size());
  fraction_ = fraction_.substr(0, fraction_.find_last_not_of('0') + 1);
  if (fraction_.empty()) {
    whole_ = whole_.substr(0, whole_.find_last_not_of('0') + 1);
  }
  if (whole_.empty()) {
    const std::size_t zeros = std::min(fraction_.find_first_not_of('0'), fraction_.size());
    fraction_.remove_prefix(zeros);
    scale_ -= static_cast<std::int64_t>(zeros);
  }
  if (is_zero()) {
    scale_ = 0;
    negative_ = false;
  }
}

std::strong_ordering Decimal::compare_magnitude(const Decimal& other) const {
  if (is_zero() || other.is_zero()) {
    return other.is_zero() <=> is_zero();
  }
  if (scale_ != other.scale_) {
    return scale_ <=> other.scale_;
  }
  const auto shorter = static_cast<std::size_t>(std::min(count(), other.count()));
  for (std::size_t i = 0; i < shorter; ++i) {
    if (digit(i) != other.digit(i)) {
      return digit(i) <=> other.digit(i);
    }
  }
  return count() <=> other.count();
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  if (a.negative_ != b.negative_) {
    return b.negative_ <=> a.negative_;
  }
  return a.negative_ ? b.compare_magnitude(a) : a.compare_magnitude(b);
}

std::uint64_t Decimal::modulo(std::uint64_t divisor) const {
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count()); ++i) {
    const auto next = static_cast<std::uint64_t>(digit(i) - '0');
    rest = static_cast<std::uint64_t>((Wide{rest} * 10 + next) % divisor);
  }
  return rest;
}

std::optional<bool> Decimal::is_multiple_of(const Decimal& divisor) const {
  constexpr std::int64_t divisor_digits_max = 18;
  if (divisor.count() > divisor_digits_max) {
    return std::nullopt;
  }
  std::uint64_t digits = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(divisor.count()); ++i) {
    digits = digits * 10 + static_cast<std::uint64_t>(divisor.digit(i) - '0');
  }
  if (digits == 0) {
    return std::nullopt;
  }
  if (is_zero()) {
    return true;
  }
  const std::int64_t exponent = (scale_ - count()) - (divisor.scale_ - divisor.count());
  if (exponent < 0) {
    return false;  // our digits do not end in zero, so ten never divides them
  }
  return multiply_modulo(modulo(digits), power_of_ten_modulo(exponent, digits), digits) == 0;
}

std::string Decimal::normal_form() const {
  return std::string(negative_ ? "-" : "").append(whole_).append(fraction_) + "e" +
         std::to_string(scale_);
}

}  // namespace pi_mcp::schema
