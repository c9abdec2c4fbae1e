// The metadata cache on disk: read when first asked, written under a lock so that no update of
// another process is lost. Nothing here is ever an error for the user's call: what goes wrong is
// logged, and the cache then knows less.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "catalog/cache.h"
#include "io/files/file.h"

namespace pi_mcp::catalog {

// A write takes milliseconds; whoever holds the lock longer than this hangs.
constexpr Milliseconds cache_lock_wait_max{2'000};
// A cache larger than this is neither read nor written.
constexpr std::size_t cache_file_bytes_max = std::size_t{64} << 20U;

// One per session. Calls block for the time the file system takes.
class CacheFile {
 public:
  // The file is <agent_dir>/mcp-cache.json; folders are made when it is written.
  explicit CacheFile(std::string_view agent_dir, Milliseconds lock_wait_max = cache_lock_wait_max);

  [[nodiscard]] const std::string& path() const { return path_; }

  // False before the first run. A file that cannot be read, or is not a cache, exists.
  [[nodiscard]] bool exists();
  // Forgets what was read of the file if it has changed since. True then.
  bool refresh();
  // As CacheSnapshot, of the file as it was when first asked after that.
  [[nodiscard]] bool may_have(std::string_view server, EntryPart part);
  [[nodiscard]] std::string_view hash_of(std::string_view server);
  [[nodiscard]] std::optional<CacheEntry> find(std::string_view server,
                                               std::string_view hash,
                                               EpochMs now,
                                               std::string_view declared = {},
                                               EntryPart part = EntryPart::all);

  // Remembers an entry for the next flush(); a later one of the same server takes its place.
  void put(std::string server, CacheEntry entry);
  [[nodiscard]] bool has_unsaved() const { return !unsaved_.empty(); }
  // Writes what was put since the last time, in one update of the file. False when that failed: it
  // is logged, and the entries are tried again by the next flush().
  bool flush();
  // Lets programs that know only the adapter's hash find these entries. See with_adapter_hashes().
  void mark(const std::vector<NamedIdentity>& identities);
  // Writes a cache without entries when there is no file, so that the next run is not the first.
  bool create();

 private:
  void load();
  const CacheSnapshot& snapshot();
  bool update(const std::function<CacheUpdate(const std::string& old_text)>& change);
  void warn(std::string text);

  std::string path_;
  Milliseconds lock_wait_max_;
  bool loaded_ = false;
  bool exists_ = false;
  std::optional<io::FileStamp> stamp_;  // of the file that was read
  std::optional<CacheSnapshot> snapshot_;
  std::string text_;  // as read, until the snapshot is made of it
  std::vector<NamedEntry> unsaved_;
  std::string last_warning_;
};

}  // namespace pi_mcp::catalog
