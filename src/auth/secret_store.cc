#include "auth/secret_store.h"

#include <algorithm>
#include <utility>

#include "auth/sealed.h"
#include "base/log.h"
#include "io/files/file.h"
#include "json/document.h"
#include "json/edit.h"
#include "json/writer.h"

namespace pi_mcp::auth {
namespace {

constexpr std::size_t file_bytes_max = std::size_t{8} << 20U;
constexpr Milliseconds lock_wait_max{10'000};
constexpr std::int64_t version = 1;
constexpr const char* version_member = "version";
constexpr const char* secrets_member = "secrets";

std::string seal_context(const std::string& name) {
  return "secret\n" + name;
}

// The error is passed on when somebody has cancelled.
Error no_keyring(const std::string& name, const Error& error) {
  return error.code() == ErrorCode::cancelled
             ? error
             : Error(ErrorCode::unavailable,
                     "the keyring cannot be used: " + error.message() +
                         "; unlock it, or store the secret in a file that only you can read")
                   .with({.kind = Remedy::Kind::store_secret_in_file, .subject = name});
}

// "" is a file that does not exist.
Result<json::Document> parsed(std::string text, const std::string& path) {
  Result<json::Document> document = json::Document::parse(text.empty() ? "{}" : std::move(text));
  const bool is_ours = document && document->root().is_object() &&
                       document->root().find(version_member).as_int().value_or(version) == version;
  if (!is_ours) {
    return fail(ErrorCode::invalid_argument,
                path + " is damaged, or of a newer version; correct it, or move it away");
  }
  return document;
}

Result<json::Document> read(const std::string& path) {
  if (!io::is_file(path)) {
    return parsed("", path);
  }
  Result<std::string> text = io::read_private_file(path, file_bytes_max);
  return text ? parsed(*std::move(text), path) : fail(std::move(text).error());
}

}  // namespace

SecretStore::SecretStore(const Access& access)
    : path_(access.agent_dir + "/mcp-secrets.json"),
      keyring_(access.variables, access.keyring_program),
      sealed_(access.store == LoginStore::encrypted_file),
      seal_key_(access, keyring_) {}

Result<std::string> SecretStore::entry(const std::string& name) const {
  const Result<json::Document> document = read(path_);
  if (!document) {
    return fail(document.error());
  }
  return std::string(document->root().at({secrets_member, name}).raw());
}

io::Task<Result<std::optional<std::string>>> SecretStore::find(std::string name) const {
  const Result<std::string> found = entry(name);
  if (!found) {
    co_return fail(found.error());
  }
  if (found->empty()) {
    Result<std::optional<std::string>> secret = co_await keyring_.find(name, Keyring::Kind::named);
    co_return secret ? std::move(secret) : fail(no_keyring(name, secret.error()));
  }
  const Result<json::Document> document = json::Document::parse_view(*found);
  const json::Value stored = document ? document->root() : json::Value();
  if (const json::Value value = stored.find("value"); value.is_string()) {
    co_return value.as_string();
  }
  const Result<std::string> key = co_await seal_key_.get(SealKey::Missing::is_an_error);
  if (!key) {
    co_return fail(key.error());
  }
  Result<std::string> secret =
      unseal(*key, seal_context(name), stored.find("sealed").string_or(""));
  if (!secret) {
    co_return fail(ErrorCode::unavailable,
                   path_ + " has it encrypted: " + secret.error().message());
  }
  co_return std::optional(*std::move(secret));
}

io::Task<Result<std::string>> SecretStore::entry_of(std::string name, std::string secret) const {
  json::Writer out;
  if (!sealed_) {
    co_return out.begin_object().member("value", secret).end_object().take();
  }
  const Result<std::string> key = co_await seal_key_.get(SealKey::Missing::is_made);
  if (!key) {
    co_return fail(key.error());
  }
  const Result<std::string> sealed = seal(*key, seal_context(name), secret);
  co_return sealed ? out.begin_object().member("sealed", *sealed).end_object().take()
                   : Result<std::string>(fail(sealed.error()));
}

Result<bool> SecretStore::write_entry(const std::string& name, const std::string& entry) const {
  if (entry.empty() && !io::is_file(path_)) {
    return false;
  }
  if (const Result<json::Document> usable = read(path_); !usable) {
    return fail(usable.error());  // a secret is not written to a file that others can read
  }
  Result<std::string> changed = std::string();
  const auto change = [&](const std::string& old) -> std::optional<std::string> {
    const Result<json::Document> document = parsed(old, path_);
    if (!document) {
      changed = fail(document.error());
      return std::nullopt;
    }
    const json::MemberPath place = {secrets_member, name};
    changed = entry.empty() ? json::remove_member(old, place)
                            : json::set_member(old, {version_member}, std::to_string(version));
    if (changed && !entry.empty()) {
      changed = json::set_member(*changed, place, entry);
    }
    return changed ? std::optional(*changed) : std::nullopt;
  };
  const Result<void> written = io::update_file(path_, change, lock_wait_max);
  if (!written) {
    return fail(written.error());
  }
  if (!changed && changed.error().code() == ErrorCode::not_found) {
    return false;
  }
  return changed ? Result<bool>(true) : fail(changed.error());
}

io::Task<Result<void>> SecretStore::keep(std::string name,
                                         std::string secret,
                                         SecretPlace place) const {
  if (place == SecretPlace::keyring) {
    Result<void> kept = co_await keyring_.keep(name, std::move(secret), Keyring::Kind::named);
    if (!kept) {
      co_return fail(no_keyring(name, kept.error()));
    }
    const Result<bool> moved = write_entry(name, "");  // what the file has would be found first
    co_return moved ? kept : fail(moved.error());
  }
  const Result<std::string> entry = co_await entry_of(name, std::move(secret));
  const Result<bool> written = entry ? write_entry(name, *entry) : fail(entry.error());
  if (!written) {
    co_return fail(written.error());
  }
  if (keyring_.has_bus()) {
    if (const auto dropped = co_await keyring_.drop(name, Keyring::Kind::named); !dropped) {
      log::warning(name +
                   ": an older value may be left in the keyring: " + dropped.error().message());
    }
  }
  co_return Result<void>();
}

io::Task<Result<bool>> SecretStore::remove(std::string name) const {
  const Result<bool> removed = write_entry(name, "");
  if (!removed || (*removed && !keyring_.has_bus())) {
    co_return removed;
  }
  const Result<bool> dropped = co_await keyring_.drop(name, Keyring::Kind::named);
  if (!dropped && *removed) {
    log::warning(name +
                 ": an older value may be left in the keyring: " + dropped.error().message());
    co_return removed;
  }
  co_return dropped ? Result<bool>(*removed || *dropped) : dropped;
}

Result<std::vector<std::string>> SecretStore::names_in_file() const {
  const Result<json::Document> document = read(path_);
  if (!document) {
    return fail(document.error());
  }
  std::vector<std::string> names;
  for (const json::Member member : document->root().find(secrets_member).members()) {
    names.push_back(member.name());
  }
  std::ranges::sort(names);
  return names;
}

io::Task<Result<std::vector<std::string>>> SecretStore::names_in_keyring() const {
  Result<std::vector<std::string>> names = co_await keyring_.names();
  if (names) {
    std::ranges::sort(*names);
  }
  co_return names;
}

}  // namespace pi_mcp::auth
