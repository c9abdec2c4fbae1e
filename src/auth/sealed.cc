#include "auth/sealed.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "base/base64.h"
#include "base/digest.h"
#include "base/text.h"
#include "io/net/openssl.h"

namespace pi_mcp::auth {
namespace {

constexpr std::string_view version = "v1";
constexpr std::size_t nonce_bytes = 12;  // what GCM is made for
constexpr std::size_t tag_bytes = 16;
constexpr std::size_t parts_count = 4;
constexpr std::size_t text_bytes_max = std::size_t{1} << 20U;

struct Free {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, Free>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

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

// AES-256-GCM in either direction: `tag` is written when it encrypts, else it has to be right.
// Empty: the key, the nonce or the tag does not fit, or OpenSSL refused.
struct Sealing {
  std::string_view key;
  std::string_view nonce;
  std::string_view also;  // authenticated, too
  bool encrypts;
};
std::optional<std::string> run_cipher(const Sealing& how, std::string_view text, std::string& tag) {
  const int encrypts = how.encrypts ? 1 : 0;
  const auto size = [](std::string_view part) {
    return static_cast<int>(part.size());
  };
  const Cipher cipher(EVP_CIPHER_CTX_new());
  EVP_CIPHER_CTX* const context = cipher.get();
  std::string out(text.size(), '\0');
  int length = 0;
  const bool done =
      context != nullptr &&
      EVP_CipherInit_ex(
          context, EVP_aes_256_gcm(), nullptr, bytes_of(how.key), bytes_of(how.nonce), encrypts) ==
          1 &&
      EVP_CipherUpdate(context, nullptr, &length, bytes_of(how.also), size(how.also)) == 1 &&
      EVP_CipherUpdate(context, bytes_of(out), &length, bytes_of(text), size(text)) == 1 &&
      (how.encrypts ||
       EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, size(tag), tag.data()) == 1) &&
      EVP_CipherFinal_ex(context, bytes_of(out) + length, &length) == 1 &&
      (!how.encrypts ||
       EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, size(tag), tag.data()) == 1);
  if (!done) {
    OPENSSL_cleanse(out.data(), out.size());  // not authenticated, so not to be used
    return std::nullopt;
  }
  return out;
}

tl::unexpected<Error> broken(std::string_view why) {
  return fail(ErrorCode::invalid_argument, std::string(why));
}

}  // namespace

std::optional<std::string> parse_seal_key(std::string_view text) {
  text = text::trim(text);
  constexpr std::string_view digits = "0123456789abcdef";
  const std::string lower = text::lower(text);
  if (lower.size() == 2 * seal_key_bytes && lower.find_first_not_of(digits) == std::string::npos) {
    std::string key;
    for (std::size_t i = 0; i < lower.size(); i += 2) {
      key += static_cast<char>((digits.find(lower[i]) << 4U) | digits.find(lower[i + 1]));
    }
    return key;
  }
  std::optional<std::string> key = base64_decoded(text);
  return key && key->size() == seal_key_bytes ? key : std::nullopt;
}

Result<std::string> seal(std::string_view key, std::string_view context, std::string_view text) {
  std::string nonce(nonce_bytes, '\0');
  std::string tag(tag_bytes, '\0');
  const std::string key_name = name_of_key(key);
  const std::string also = associated(key_name, context);
  io::use_openssl_alone();
  const bool fits = key.size() == seal_key_bytes && text.size() <= text_bytes_max &&
                    RAND_bytes(bytes_of(nonce), static_cast<int>(nonce.size())) == 1;
  const std::optional<std::string> out =
      fits ? run_cipher({.key = key, .nonce = nonce, .also = also, .encrypts = true}, text, tag)
           : std::nullopt;
  if (!out) {
    return fail(ErrorCode::io, "the tokens cannot be encrypted; is there memory left?");
  }
  return std::string(version) + "." + key_name + "." + base64url_encoded(nonce) + "." +
         base64_encoded(*out + tag);
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
  std::string url_safe = text::replace_all(text::replace_all(parts[2], "-", "+"), "_", "/");
  const std::optional<std::string> nonce = base64_decoded(url_safe);
  const std::optional<std::string> whole = base64_decoded(parts[3]);
  if (key.size() != seal_key_bytes || !nonce || nonce->size() != nonce_bytes || !whole ||
      whole->size() < tag_bytes || whole->size() > text_bytes_max + tag_bytes) {
    return broken("the file is cut off or changed");
  }
  const std::string_view hidden = std::string_view(*whole).substr(0, whole->size() - tag_bytes);
  std::string tag = whole->substr(hidden.size());
  const std::string also = associated(parts[1], context);
  io::use_openssl_alone();
  std::optional<std::string> text =
      run_cipher({.key = key, .nonce = *nonce, .also = also, .encrypts = false}, hidden, tag);
  if (!text) {
    return broken("the file was changed, or belongs to another server");
  }
  return *std::move(text);
}

}  // namespace pi_mcp::auth
