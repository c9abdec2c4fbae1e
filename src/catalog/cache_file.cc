#include "catalog/cache_file.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"

namespace pi_mcp::catalog {

CacheFile::CacheFile(std::string_view agent_dir, Milliseconds lock_wait_max)
    : path_(std::string(agent_dir) + "/mcp-cache.json"), lock_wait_max_(lock_wait_max) {}

bool CacheFile::exists() {
  load();
  return exists_;
}

bool CacheFile::refresh() {
  if (!loaded_ || io::stamp_of(path_) == stamp_) {
    return false;
  }
  loaded_ = false;
  snapshot_.reset();
  return true;
}

bool CacheFile::may_have(std::string_view server, EntryPart part) {
  return snapshot().may_have(server, part);
}

std::string_view CacheFile::hash_of(std::string_view server) {
  return snapshot().hash_of(server);
}

std::optional<CacheEntry> CacheFile::find(std::string_view server,
                                          std::string_view hash,
                                          EpochMs now,
                                          std::string_view declared,
                                          EntryPart part) {
  return snapshot().find(server, hash, now, declared, part);
}

const CacheSnapshot& CacheFile::snapshot() {
  load();
  if (!snapshot_) {
    snapshot_ = CacheSnapshot::parse(SharedText(std::exchange(text_, {})));
  }
  return *snapshot_;
}

void CacheFile::put(std::string server, CacheEntry entry) {
  std::erase_if(unsaved_, [&server](const NamedEntry& named) { return named.server == server; });
  unsaved_.push_back({.server = std::move(server), .entry = std::move(entry)});
}

bool CacheFile::flush() {
  if (unsaved_.empty()) {
    return true;
  }
  const bool saved =
      update([this](const std::string& old_text) { return with_entries(old_text, unsaved_); });
  if (saved) {
    unsaved_.clear();
  }
  return saved;
}

bool CacheFile::create() {
  return exists() || update([](const std::string& old_text) { return with_entries(old_text, {}); });
}

void CacheFile::mark(const std::vector<NamedIdentity>& identities) {
  (void)update([&identities](const std::string& old_text) {
    return with_adapter_hashes(old_text, identities);
  });
  (void)refresh();
}

void CacheFile::load() {
  if (std::exchange(loaded_, true)) {
    return;
  }
  stamp_ = io::stamp_of(path_);  // before reading: a change in between is seen later
  Result<std::optional<std::string>> text = io::read_file(path_, cache_file_bytes_max);
  if (!text) {
    exists_ = true;
    warn("the tool cache cannot be used: " + text.error().message());
    return;
  }
  exists_ = text->has_value();
  text_ = std::move(*text).value_or("");
}

bool CacheFile::update(const std::function<CacheUpdate(const std::string& old_text)>& change) {
  // Set below when the file must stay as it is although it lacks our entries.
  std::string refusal;
  const auto checked = [&](const std::string& old_text) -> std::optional<std::string> {
    CacheUpdate update = change(old_text);
    switch (update.outcome) {
      case CacheUpdate::Outcome::unchanged:
        return std::nullopt;
      case CacheUpdate::Outcome::newer_version:
        refusal = path_ + " belongs to a newer version of a program that shares it";
        return std::nullopt;
      case CacheUpdate::Outcome::changed:
        break;
    }
    if (update.text.size() > cache_file_bytes_max) {
      refusal = path_ + " would grow beyond " + text::size_text(cache_file_bytes_max) +
                "; delete it to start anew";
      return std::nullopt;
    }
    return std::move(update.text);
  };
  io::WriteOptions options;
  options.durability = io::Durability::cache;
  const Result<void> written = io::update_file(path_, checked, lock_wait_max_, options);
  if (!written || !refusal.empty()) {
    warn("the tool cache was not saved: " + (written ? refusal : written.error().message()));
    return false;
  }
  return true;
}

void CacheFile::warn(std::string text) {
  // Once for each problem, however often the session comes back to it.
  if (text != last_warning_) {
    log::warning(text);
    last_warning_ = std::move(text);
  }
}

}  // namespace pi_mcp::catalog
