// A word as it is looked up. Pure.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>

namespace pi_mcp::search {

static_assert(std::endian::native == std::endian::little, "WordKey knows where its last byte is");

// Nearly every word is short: up to 15 bytes, which are here as two numbers, filled up with zeros.
// So words are compared and hashed without reading memory anywhere else.
class WordKey {
 public:
  using Packed = std::array<std::uint64_t, 2>;
  static constexpr std::size_t short_max = sizeof(Packed) - 1;

  WordKey() = default;
  // `size`: how many bytes of `packed` are the word; the last of them is not zero.
  WordKey(const Packed& packed, std::size_t size) : packed_(packed), size_(size) {}
  // The text outlives the word.
  explicit WordKey(std::string_view text) : size_(text.size()) {
    if (size_ > short_max || text.ends_with('\0')) {
      packed_ = {std::hash<std::string_view>()(text), ~std::uint64_t{size_}};
      long_ = text.data();
    } else if (size_ > 0) {
      std::memcpy(packed_.data(), text.data(), size_);
    }
  }

  [[nodiscard]] bool is_short() const { return long_ == nullptr; }
  // Valid as long as the word.
  [[nodiscard]] std::string_view text() const {
    return {is_short() ? reinterpret_cast<const char*>(packed_.data()) : long_, size_};
  }
  [[nodiscard]] std::size_t hash() const {
    constexpr std::uint64_t factor = 0xD6E8FEB86659FD93U;  // odd, its bits spread out
    const std::uint64_t hash = (packed_[0] * factor ^ packed_[1]) * factor;
    return hash ^ hash >> 32U;
  }
  // Whether they are the same, if this one is short; else whether they have the same hash and size.
  // By halves: the processor waits when it reads as one what was just written as two.
  [[nodiscard]] bool is_like(const WordKey& other) const {
    return ((packed_[0] ^ other.packed_[0]) | (packed_[1] ^ other.packed_[1])) == 0;
  }

 private:
  // Of one that is not short its hash, and its size inverted: the last byte is none of zeros only,
  // as that of every short one is.
  Packed packed_{};
  std::size_t size_ = 0;
  const char* long_ = nullptr;  // the text of one that is not short
};

}  // namespace pi_mcp::search
