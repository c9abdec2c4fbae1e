#include "auth/sealed.h"

#include <vector>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/digest.h"
#include "base/text.h"
#include "io/net/aes_gcm.h"

namespace pi_mcp::auth {
namespace {

constexpr std::string_view version = "v1";
constexpr std::size_t parts_count = 4;
constexpr std::size_t text_bytes_max = std::size_t{1} << 20U;

// Says which key is wanted and nothing about the key itself.
std::string name_of_key(std::string_view key) {
  constexpr std::size_t digits = 16;
  return sha256_hex("pi-mcp name of a key\n" + std::string(key)).substr(0, digits);
}

// What is authenticated besides the text: everything before it, and what it is for.
std::string associated(std::string_view key_name, std::string_view context) {
  return "pi-mcp sealed\n" + std::string(version) + "\n" + std::string(key_name) + "\n" +
         std::string(context);
}

tl::unexpected<Error> broken(std::string_view why) {
  return fail(ErrorCode::invalid_argument, std::string(why));
}

}  // namespace

std::optional<std::string> parse_seal_key(std::string_view text) {
  text = text::trim(text);
  std::optional<std::string> key = ascii::hex_decoded(text);
  if (key && key->size() == seal_key_bytes) {
    return key;
  }
  key = base64_decoded(text);
  return key && key->size() == seal_key_bytes ? key : std::nullopt;
}

Result<std::string> seal(std::string_view key, std::string_view context, std::string_view text) {
  const std::string key_name = name_of_key(key);
  const std::optional<std::string> sealed =
      text.size() <= text_bytes_max ? io::gcm_sealed(key, associated(key_name, context), text)
                                    : std::nullopt;
  if (!sealed) {
    return fail(ErrorCode::io, "the tokens cannot be encrypted; is there memory left?");
  }
  const std::string_view all = *sealed;
  return std::string(version) + "." + key_name + "." +
         base64url_encoded(all.substr(0, io::gcm_nonce_bytes)) + "." +
         base64_encoded(all.substr(io::gcm_nonce_bytes));
}

Result<std::string> unseal(std::string_view key,
                           std::string_view context,
                           std::string_view sealed) {
  const std::vector<std::string_view> parts = text::split(sealed, '.');
  if (parts.size() != parts_count || parts[0] != version) {
    return broken("they are encrypted in a way that this version does not know");
  }
  if (parts[1] != name_of_key(key)) {
    return broken("they are encrypted with another key");
  }
  const std::optional<std::string> nonce = base64url_decoded(parts[2]);
  const std::optional<std::string> hidden = base64_decoded(parts[3]);
  if (key.size() != seal_key_bytes || !nonce || nonce->size() != io::gcm_nonce_bytes || !hidden ||
      hidden->size() < io::gcm_tag_bytes || hidden->size() > text_bytes_max + io::gcm_tag_bytes) {
    return broken("the file is cut off or changed");
  }
  std::optional<std::string> text =
      io::gcm_opened(key, associated(parts[1], context), *nonce + *hidden);
  if (!text) {
    return broken("the file was changed, or belongs to another server");
  }
  return *std::move(text);
}

}  // namespace pi_mcp::auth
