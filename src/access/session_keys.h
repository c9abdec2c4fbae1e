// Keys that seal what a client keeps for us: session ids and the state of a request. Whoever has
// the same keys opens what another process has sealed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pi_mcp::access {

class SessionKeys {
 public:
  static constexpr std::size_t keys_max = 16;
  static constexpr std::size_t text_bytes_max = std::size_t{16} << 10U;

  // --session-key FILE: 64 hexadecimal digits a line, "#" begins a comment. The first key seals,
  // all open. io: it cannot be read, or others may. invalid_argument: a line is no key, there is
  // none, or too many; a key is never repeated.
  static Result<SessionKeys> read(const std::string& path);
  // The same of a text; `path` is what errors name.
  static Result<SessionKeys> parse(std::string_view text, std::string_view path);
  // One that ends with the process.
  static SessionKeys in_memory();

  // Letters, digits, "-" and "_" alone, 40 characters and 4 for every 3 bytes of `text`; another
  // each time. `purpose` is not in it and has to be the same to open it. Empty, which nothing
  // opens: the text is longer than `bytes_max`, or OpenSSL has no memory.
  [[nodiscard]] std::string seal(std::string_view purpose,
                                 std::string_view text,
                                 std::size_t bytes_max = text_bytes_max) const;
  // nullopt: it was not sealed so by one of these keys.
  [[nodiscard]] std::optional<std::string> open(std::string_view purpose,
                                                std::string_view sealed,
                                                std::size_t bytes_max = text_bytes_max) const;
  // Whether the key that seals now has sealed it, of what open() has opened.
  [[nodiscard]] bool is_by_first(std::string_view sealed) const;

 private:
  static constexpr std::size_t id_bytes = 2;
  struct Key {
    std::string bytes;
    std::string id;  // says which of the keys it was
  };
  explicit SessionKeys(std::vector<Key> keys);
  static Key key_of(std::string bytes);

  std::vector<Key> keys_;  // never empty
};

}  // namespace pi_mcp::access
