#include "auth/token_store.h"

#include <utility>

#include "auth/sealed.h"
#include "base/digest.h"
#include "base/log.h"
#include "config/identity.h"
#include "io/files/file.h"
#include "io/loop/clock.h"

namespace pi_mcp::auth {
namespace {

constexpr std::size_t file_bytes_max = std::size_t{1} << 20U;

// One part of a path, as the adapter has it: a name with a slash would lead somewhere else.
bool is_folder_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
}

// Empty: none. What the adapter has stored is the user's.
std::string adapter_path(const Access& access) {
  if (!is_folder_name(access.server) || !access.principal.empty()) {
    return "";
  }
  const std::string folder =
      access.adapter_dir.empty() ? access.agent_dir + "/mcp-oauth" : access.adapter_dir;
  return folder + "/" + access.server + "/tokens.json";
}

std::string hashed(const std::string& server, const std::string& url) {
  return sha256_hex(server + "\n" + url);
}

// What a record is bound to, so that one of somebody else cannot be put in its place.
std::string context_of(const Access& access) {
  return "login\n" + hashed(access.server, access.url) +
         (access.principal.empty() ? "" : "\n" + access.principal);
}

std::shared_ptr<const Remedy> remedy_of(const Access& access) {
  return access.principal.empty() ? std::make_shared<const Remedy>(Remedy{
                                        .kind = Remedy::Kind::log_in, .subject = access.server})
                                  : nullptr;
}

}  // namespace

std::string logins_dir(const Access& access) {
  return config::own_dir(access.agent_dir, access.principal) + "/mcp-credentials";
}

TokenStore::TokenStore(const Access& access)
    : principal_(access.principal),
      server_(access.server),
      url_(access.url),
      shared_(access.shared),
      path_(logins_dir(access) + "/" + hashed(server_, url_) + ".json"),
      adapter_path_(adapter_path(access)),
      keyring_(access.variables, access.keyring_program),
      keyring_name_(sha256_hex(path_)),
      new_in_keyring_(access.store == LoginStore::keyring && keyring_.has_bus()),
      new_sealed_(access.store == LoginStore::encrypted_file),
      seal_key_(access, keyring_),
      seal_context_(context_of(access)),
      log_in_(remedy_of(access)) {}

io::Task<Result<std::optional<Credentials>>> TokenStore::read() const {
  return shared_ == nullptr ? read_own() : read_shared();
}

io::Task<Result<std::optional<Credentials>>> TokenStore::look() const {
  if (shared_ != nullptr) {
    co_return co_await read_shared();
  }
  co_return record();
}

std::optional<Credentials> TokenStore::remembered() const {
  return shared_ == nullptr ? std::nullopt : shared_->remembered(name());
}

// A login that the operator has made on this machine, and that is newer, is everybody's from now
// on.
io::Task<Result<std::optional<Credentials>>> TokenStore::read_shared() const {
  Result<std::optional<Credentials>> known = co_await shared_->read(name());
  if (!known) {
    co_return known;
  }
  const Result<std::optional<Credentials>> file = record();
  const bool is_seed = file && *file && (*file)->tokens && (!*known || is_newer(**file, **known));
  Result<std::optional<Credentials>> own = std::optional<Credentials>();
  if (is_seed) {
    own = co_await read_own();
  }
  if (!own) {
    log::warning(server_ + ": the login on this machine is not used: " + own.error().message());
  } else if (*own && (*own)->tokens) {
    (*own)->secrets_in = SecretsIn::file;
    if (Result<void> told = co_await shared_->write(name(), **own); !told) {
      co_return fail(std::move(told).error());
    }
    co_return own;
  }
  // Who has logged out leaves no more than when.
  const bool is_login = *known && ((*known)->tokens || !(*known)->issuer.empty());
  co_return is_login ? std::move(known) : std::optional<Credentials>();
}

io::Task<Result<std::optional<Credentials>>> TokenStore::read_own() const {
  Result<std::optional<Credentials>> known = record();
  if (known && *known && (*known)->secrets_in == SecretsIn::encrypted_file) {
    co_return co_await unsealed(**std::move(known));
  }
  if (!known || !*known || (*known)->secrets_in != SecretsIn::keyring) {
    co_return known;
  }
  const Result<std::optional<std::string>> secrets = co_await keyring_.find(keyring_name_);
  if (!secrets && secrets.error().code() == ErrorCode::cancelled) {
    co_return fail(secrets.error());
  }
  if (!secrets) {
    co_return fail(Error(ErrorCode::unavailable,
                         "its tokens are in the keyring, which cannot be read: " +
                             secrets.error().message() + "; unlock the keyring, or log in again")
                       .with(log_in_));
  }
  Credentials credentials = **std::move(known);
  if (*secrets) {
    add_secrets(credentials, **secrets);
  } else {
    log::warning(server_ + ": its tokens are no longer in the keyring");
    forget_secrets(credentials);
  }
  co_return std::optional(std::move(credentials));
}

io::Task<Result<std::optional<Credentials>>> TokenStore::unsealed(Credentials sealed) const {
  const Result<std::string> key = co_await seal_key_.get(SealKey::Missing::is_an_error);
  if (!key && key.error().code() == ErrorCode::cancelled) {
    co_return fail(key.error());
  }
  const Result<std::string> secrets =
      key ? unseal(*key, seal_context_, sealed.sealed) : Result<std::string>(fail(key.error()));
  if (!secrets) {
    co_return fail(Error(ErrorCode::unavailable,
                         "its tokens in " + path_ +
                             " cannot be decrypted: " + secrets.error().message() +
                             "; they are kept: give the right key, or log in again")
                       .with(log_in_));
  }
  sealed_with_ = *key;
  add_secrets(sealed, *secrets);
  co_return std::optional(std::move(sealed));
}

// `credentials` are untouched when it fails.
io::Task<Result<void>> TokenStore::seal_secrets(Credentials* credentials,
                                                SealKey::Missing missing) const {
  Result<std::string> key = sealed_with_;
  if (sealed_with_.empty()) {
    key = co_await seal_key_.get(missing);
  }
  Result<std::string> sealed = key ? seal(*key, seal_context_, secrets_json(*credentials))
                                   : Result<std::string>(fail(std::move(key).error()));
  if (!sealed) {
    co_return fail(std::move(sealed).error());
  }
  credentials->sealed = *std::move(sealed);
  credentials->secrets_in = SecretsIn::encrypted_file;
  co_return Result<void>();
}

io::Task<Result<void>> TokenStore::check() const {
  if (shared_ != nullptr) {
    const Result<std::optional<Credentials>> known = co_await shared_->read(name());
    co_return known || known.error().code() == ErrorCode::protocol ? Result<void>()
                                                                   : fail(known.error());
  }
  if (!new_sealed_) {
    co_return Result<void>();
  }
  const Result<std::string> key = co_await seal_key_.get(SealKey::Missing::is_made);
  co_return key ? Result<void>() : fail(key.error());
}

Result<std::optional<Credentials>> TokenStore::record() const {
  Result<std::optional<std::string>> text = io::read_file(path_, file_bytes_max);
  if (!text) {
    return fail(std::move(text).error());
  }
  if (!*text) {
    return std::optional<Credentials>();
  }
  Result<Credentials> credentials = parse_credentials(**text);
  if (!credentials) {
    log::warning(path_ + " is not used: " + credentials.error().message());
    return std::optional<Credentials>();
  }
  if (credentials->server_url != url_) {
    return std::optional<Credentials>();
  }
  return std::optional(*std::move(credentials));
}

io::Task<Result<void>> TokenStore::write_login(Credentials credentials) const {
  credentials.made_at = io::epoch_now();
  credentials.turn = 0;
  if (shared_ == nullptr) {
    co_return co_await write_own_login(std::move(credentials));
  }
  // One of a machine whose clock is ahead would count as newer; this process may not have seen it.
  Result<std::optional<Credentials>> before = co_await shared_->read(name());
  if (!before) {
    before = shared_->remembered(name());
  }
  if (*before && !is_newer(credentials, **before)) {
    credentials.made_at.value = (*before)->made_at.value + 1;
  }
  co_return co_await shared_->write(name(), std::move(credentials));
}

io::Task<Result<void>> TokenStore::write_own_login(Credentials credentials) const {
  const Result<std::optional<Credentials>> before = record();
  const bool was_in_keyring = before && *before &&
                              ((*before)->secrets_in == SecretsIn::keyring ||
                               (*before)->secrets_in == SecretsIn::file_after_keyring);
  if (new_sealed_) {
    sealed_with_.clear();  // the key of this moment, not of an older login
    Result<void> sealed = co_await seal_secrets(&credentials, SealKey::Missing::is_made);
    if (sealed && was_in_keyring) {
      co_await drop_older();
    }
    co_return sealed ? write_record(credentials) : sealed;
  }
  credentials.secrets_in = new_in_keyring_ ? SecretsIn::keyring : SecretsIn::file;
  if (!new_in_keyring_ && was_in_keyring) {
    const Result<bool> dropped = co_await keyring_.drop(keyring_name_);
    credentials.secrets_in = dropped ? SecretsIn::file : SecretsIn::file_after_keyring;
  }
  co_return co_await write_own(std::move(credentials));
}

io::Task<void> TokenStore::drop_older() const {
  if (const Result<bool> dropped = co_await keyring_.drop(keyring_name_); !dropped) {
    log::warning(server_ +
                 ": older tokens may be left in the keyring: " + dropped.error().message());
  }
}

io::Task<Result<void>> TokenStore::write(Credentials credentials) const {
  ++credentials.turn;
  return shared_ == nullptr ? write_own(std::move(credentials))
                            : write_shared(std::move(credentials));
}

// A file with the same login is brought up to date: programs of this machine that know nothing of
// replicas would redeem a refresh token that has been redeemed.
io::Task<Result<void>> TokenStore::write_shared(Credentials credentials) const {
  credentials.secrets_in = SecretsIn::file;
  Result<void> told = co_await shared_->write(name(), credentials);
  const Result<std::optional<Credentials>> file = record();
  if (told && file && *file && (*file)->made_at == credentials.made_at) {
    credentials.secrets_in = (*file)->secrets_in;
    if (const Result<void> written = co_await write_own(std::move(credentials)); !written) {
      log::warning(server_ + ": " + written.error().message());
    }
  }
  co_return told;
}

io::Task<Result<void>> TokenStore::write_own(Credentials credentials) const {
  const bool was_after_keyring = credentials.secrets_in == SecretsIn::file_after_keyring;
  if (credentials.secrets_in == SecretsIn::encrypted_file) {
    Result<void> sealed = co_await seal_secrets(&credentials, SealKey::Missing::is_made);
    co_return sealed ? write_record(credentials) : sealed;
  }
  if (new_sealed_ && credentials.secrets_in != SecretsIn::keyring) {
    const Result<void> sealed = co_await seal_secrets(&credentials, SealKey::Missing::is_made);
    if (!sealed) {
      log::warning(server_ +
                   ": its tokens stay in a file as they are: " + sealed.error().message());
    } else if (was_after_keyring) {
      co_await drop_older();
    }
  }
  if (credentials.secrets_in == SecretsIn::keyring) {
    const Result<void> kept = co_await keyring_.keep(keyring_name_, secrets_json(credentials));
    if (!kept) {
      log::warning(server_ +
                   ": its tokens are kept in a file, because the keyring cannot store them: " +
                   kept.error().message());
      credentials.secrets_in = SecretsIn::file_after_keyring;
    }
  }
  co_return write_record(credentials);
}

Result<void> TokenStore::write_record(const Credentials& credentials) const {
  return io::write_file(path_, to_json(credentials));
}

io::Task<Result<void>> TokenStore::write_look(Credentials credentials) const {
  if (shared_ != nullptr) {
    co_return co_await write(std::move(credentials));
  }
  co_return write_record(credentials);
}

io::Task<Result<bool>> TokenStore::remove() const {
  bool was_shared = false;
  if (shared_ != nullptr) {
    Result<std::optional<Credentials>> known = co_await read_shared();
    if (!known && known.error().code() != ErrorCode::protocol) {
      co_return fail(std::move(known).error());
    }
    was_shared = known && *known && (*known)->tokens;
    // Kept, so that no replica takes what its own files have for newer.
    Credentials nobody;
    nobody.server_url = url_;
    if (Result<void> told = co_await write_login(std::move(nobody)); !told) {
      co_return fail(std::move(told).error());
    }
  }
  Result<bool> was_own = co_await remove_own();
  co_return was_own ? Result<bool>(*was_own || was_shared) : was_own;
}

io::Task<Result<bool>> TokenStore::remove_own() const {
  const Result<std::optional<Credentials>> known = record();
  const SecretsIn secrets_in = known && *known ? (*known)->secrets_in : SecretsIn::file;
  if (secrets_in == SecretsIn::file_after_keyring) {
    co_await drop_older();
  } else if (secrets_in == SecretsIn::keyring) {
    const Result<bool> dropped = co_await keyring_.drop(keyring_name_);
    if (!dropped) {
      co_return fail(ErrorCode::unavailable,
                     "its tokens are in the keyring, which cannot remove them: " +
                         dropped.error().message() + "; unlock the keyring and log out again");
    }
  }
  co_return remove_files();
}

Result<bool> TokenStore::remove_files() const {
  bool existed = false;
  for (const std::string& path : {path_, adapter_path_}) {
    if (path.empty() || !io::is_file(path)) {
      continue;
    }
    existed = true;
    io::remove_file(path);
    if (io::is_file(path)) {
      return fail(ErrorCode::io, "cannot remove " + path + "; remove it by hand");
    }
  }
  return existed;
}

io::Task<Result<LoginLock>> TokenStore::lock(Milliseconds wait_max) const {
  LoginLock lock;
  if (shared_ != nullptr) {
    Result<std::unique_ptr<SharedLogins::Turn>> turn =
        co_await shared_->take_turn(name(), wait_max);
    if (!turn) {
      co_return fail(std::move(turn).error());
    }
    lock.turn = *std::move(turn);
    if (!io::is_file(path_)) {
      co_return lock;
    }
  }
  Result<io::FileLock> file = co_await io::take_lock(path_ + ".lock", wait_max);
  if (!file) {
    co_return fail(std::move(file).error());
  }
  lock.file = *std::move(file);
  co_return lock;
}

std::optional<Tokens> TokenStore::adapter_tokens() const {
  if (adapter_path_.empty()) {
    return std::nullopt;
  }
  const Result<std::optional<std::string>> text = io::read_file(adapter_path_, file_bytes_max);
  if (!text) {
    log::warning(text.error().message());
    return std::nullopt;
  }
  return *text ? parse_adapter_tokens(**text) : std::nullopt;
}

io::Task<void> remove_logins(Access access) {
  const Keyring keyring(access.variables, access.keyring_program);
  const std::string folder = logins_dir(access);
  for (const std::string& name : io::names_in(folder)) {
    std::string path = folder;
    path.append("/").append(name);
    const Result<std::optional<std::string>> text = io::read_file(path, file_bytes_max);
    const Result<Credentials> login = parse_credentials(text ? text->value_or("") : std::string());
    const bool in_keyring = login && (login->secrets_in == SecretsIn::keyring ||
                                      login->secrets_in == SecretsIn::file_after_keyring);
    if (in_keyring) {
      const Result<bool> dropped = co_await keyring.drop(sha256_hex(path));
      if (!dropped && dropped.error().code() == ErrorCode::cancelled) {
        co_return;
      }
      if (!dropped) {
        log::warning("tokens may be left in the keyring: " + dropped.error().message());
      }
    }
    io::remove_file(path);
  }
}

}  // namespace pi_mcp::auth
