#include "auth/seal_key.h"

#include <optional>
#include <utility>

#include "auth/sealed.h"
#include "base/digest.h"
#include "io/files/file.h"
#include "io/loop/random.h"

namespace pi_mcp::auth {
namespace {

constexpr const char* key_variable = "PI_MCP_ADAPTER_OAUTH_FILE_KEY";
constexpr std::size_t file_bytes_max = 4096;

tl::unexpected<Error> no_key(const std::string& why) {
  return fail(ErrorCode::unavailable,
              "oauthCredentialStore is \"encrypted-file\", and there is no key for it: " + why +
                  "; unlock the desktop's keyring, which holds one, or name a file in oauthKeyFile "
                  "that is made like this: (umask 077; head -c 32 /dev/urandom | base64 > FILE)");
}

Result<std::string> parsed(std::string_view text, const std::string& where) {
  std::optional<std::string> key = parse_seal_key(text);
  if (!key) {
    return no_key(where + " holds no key, which is 32 random bytes in base64");
  }
  return *std::move(key);
}

}  // namespace

SealKey::SealKey(const Access& access, Keyring keyring)
    : file_(access.key_file),
      keyring_(std::move(keyring)),
      keyring_name_(sha256_hex("key of logins\n" + access.agent_dir)) {
  if (const auto found = access.variables.find(key_variable); found != access.variables.end()) {
    text_ = found->second;
  }
}

io::Task<Result<std::string>> SealKey::get(Missing missing) const {
  if (!text_.empty()) {
    co_return parsed(text_, key_variable);
  }
  if (file_.empty()) {
    co_return co_await of_keyring(missing);
  }
  const Result<std::string> text = io::read_private_file(file_, file_bytes_max);
  co_return text ? parsed(*text, file_) : no_key(text.error().message());
}

// Each server's record has its own lock, so two first logins at once could make two keys: what the
// keyring has in the end is the key.
io::Task<Result<std::string>> SealKey::of_keyring(Missing missing) const {
  Result<std::optional<std::string>> kept = co_await keyring_.find(keyring_name_);
  if (kept && !*kept && missing == Missing::is_made) {
    const Result<void> made = co_await keyring_.keep(keyring_name_, io::random_hex(seal_key_bytes));
    if (!made) {
      co_return no_key("the keyring: " + made.error().message());
    }
    kept = co_await keyring_.find(keyring_name_);
  }
  if (!kept) {
    co_return kept.error().code() == ErrorCode::cancelled
        ? Result<std::string>(fail(kept.error()))
        : no_key("the keyring: " + kept.error().message());
  }
  co_return *kept ? parsed(**kept, "the keyring's entry") : no_key("the keyring has none");
}

}  // namespace pi_mcp::auth
