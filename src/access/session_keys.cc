#include "access/session_keys.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/digest.h"
#include "base/text.h"
#include "io/files/file.h"
#include "io/loop/random.h"
#include "io/net/aes_gcm.h"

namespace pi_mcp::access {
namespace {

constexpr std::size_t file_bytes_max = std::size_t{64} << 10U;
constexpr std::size_t overhead_bytes_max = 64;  // of id, nonce and tag

constexpr std::size_t sealed_max(std::size_t bytes_max) {
  return (bytes_max + overhead_bytes_max) * 4 / 3 + 4;
}

// What is authenticated besides the text.
std::string also_of(std::string_view id, std::string_view purpose) {
  return "pi-mcp session 1\n" + std::string(id) + std::string(purpose);
}

tl::unexpected<Error> bad_file(std::string_view path, const std::string& why) {
  return fail(ErrorCode::invalid_argument,
              std::string(path) + " " + why +
                  "; make such a file: (umask 077; head -c 32 /dev/urandom | od -An -v -tx1 | "
                  "tr -d ' \\n' > FILE)");
}

}  // namespace

SessionKeys::SessionKeys(std::vector<Key> keys) : keys_(std::move(keys)) {}

SessionKeys::Key SessionKeys::key_of(std::string bytes) {
  std::string id = sha256("pi-mcp name of a session key\n" + bytes).substr(0, id_bytes);
  return {.bytes = std::move(bytes), .id = std::move(id)};
}

Result<SessionKeys> SessionKeys::parse(std::string_view text, std::string_view path) {
  std::vector<Key> keys;
  std::size_t number = 0;
  for (const std::string_view line : text::split(text, '\n')) {
    ++number;
    const std::string_view digits = text::trim(line.substr(0, line.find('#')));
    if (digits.empty()) {
      continue;
    }
    std::optional<std::string> bytes = ascii::hex_decoded(digits);
    if (!bytes || bytes->size() != io::gcm_key_bytes) {
      return bad_file(path,
                      "has no key in line " + std::to_string(number) +
                          ": a key is 64 hexadecimal digits, one a line");
    }
    if (keys.size() == keys_max) {
      return bad_file(path, "has more than " + std::to_string(keys_max) + " keys");
    }
    keys.push_back(key_of(*std::move(bytes)));
  }
  if (keys.empty()) {
    return bad_file(path, "has no key in it");
  }
  return SessionKeys(std::move(keys));
}

Result<SessionKeys> SessionKeys::read(const std::string& path) {
  const Result<std::string> text = io::read_private_file(path, file_bytes_max);
  return text ? parse(*text, path) : Result<SessionKeys>(fail(text.error()));
}

SessionKeys SessionKeys::in_memory() {
  std::vector<Key> keys;
  keys.push_back(key_of(io::random_bytes(io::gcm_key_bytes)));
  return SessionKeys(std::move(keys));
}

std::string SessionKeys::seal(std::string_view purpose,
                              std::string_view text,
                              std::size_t bytes_max) const {
  const Key& key = keys_.front();
  const std::optional<std::string> sealed =
      text.size() <= bytes_max ? io::gcm_sealed(key.bytes, also_of(key.id, purpose), text)
                               : std::nullopt;
  return sealed ? base64url_encoded(key.id + *sealed) : std::string();
}

std::optional<std::string> SessionKeys::open(std::string_view purpose,
                                             std::string_view sealed,
                                             std::size_t bytes_max) const {
  const std::optional<std::string> bytes =
      sealed.size() <= sealed_max(bytes_max) ? base64url_decoded(sealed) : std::nullopt;
  if (!bytes || bytes->size() < id_bytes) {
    return std::nullopt;
  }
  const std::string_view id = std::string_view(*bytes).substr(0, id_bytes);
  // Two keys may have the same id.
  for (const Key& key : keys_) {
    if (key.id != id) {
      continue;
    }
    if (std::optional<std::string> text =
            io::gcm_opened(key.bytes, also_of(id, purpose), bytes->substr(id_bytes))) {
      return text;
    }
  }
  return std::nullopt;
}

bool SessionKeys::is_by_first(std::string_view sealed) const {
  constexpr std::size_t digits = 4;  // of three bytes, the id and one more
  const std::optional<std::string> bytes = base64url_decoded(sealed.substr(0, digits));
  return bytes && bytes->starts_with(keys_.front().id);
}

}  // namespace pi_mcp::access
