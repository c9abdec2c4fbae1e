#include "io/net/aes_gcm.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <limits>
#include <memory>

#include "io/net/openssl.h"

namespace pi_mcp::io {
namespace {

struct Free {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, Free>;

// OpenSSL counts bytes in an int.
constexpr auto text_bytes_max =
    static_cast<std::size_t>(std::numeric_limits<int>::max()) - gcm_nonce_bytes - gcm_tag_bytes;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

// In either direction: `tag` is written when it encrypts, else it has to be right. Empty: the tag
// does not fit, or OpenSSL refused.
struct Sealing {
  std::string_view key;
  std::string_view nonce;
  std::string_view also;
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

}  // namespace

std::optional<std::string> gcm_sealed(std::string_view key,
                                      std::string_view also,
                                      std::string_view text) {
  use_openssl_alone();
  std::string nonce(gcm_nonce_bytes, '\0');
  std::string tag(gcm_tag_bytes, '\0');
  if (key.size() != gcm_key_bytes || text.size() > text_bytes_max ||
      RAND_bytes(bytes_of(nonce), static_cast<int>(nonce.size())) != 1) {
    return std::nullopt;
  }
  const std::optional<std::string> hidden =
      run_cipher({.key = key, .nonce = nonce, .also = also, .encrypts = true}, text, tag);
  return hidden ? std::optional(nonce + *hidden + tag) : std::nullopt;
}

std::optional<std::string> gcm_opened(std::string_view key,
                                      std::string_view also,
                                      std::string_view sealed) {
  use_openssl_alone();
  if (key.size() != gcm_key_bytes || sealed.size() < gcm_nonce_bytes + gcm_tag_bytes ||
      sealed.size() > text_bytes_max) {
    return std::nullopt;
  }
  const std::string_view nonce = sealed.substr(0, gcm_nonce_bytes);
  const std::size_t tag_at = sealed.size() - gcm_tag_bytes;
  const std::string_view hidden = sealed.substr(gcm_nonce_bytes, tag_at - gcm_nonce_bytes);
  std::string tag(sealed.substr(tag_at));
  return run_cipher({.key = key, .nonce = nonce, .also = also, .encrypts = false}, hidden, tag);
}

}  // namespace pi_mcp::io
