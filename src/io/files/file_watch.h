// Tells when files change, also files that do not exist yet and files behind symbolic links.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "io/loop/stream.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

// Folders are watched, not files: editors replace a file by renaming a new one over it, and a file
// may be made later.
class FileWatch {
 public:
  explicit FileWatch(Executor executor);

  // From now on these files (absolute paths) instead of those before. io: the system
  // cannot watch (so many); wait() then tells of those that it watches, or waits for ever.
  Result<void> watch(const std::vector<std::string>& paths);

  // Waits until one of the files may have changed, appeared or gone since the last wait().
  // cancelled: the waiting task was cancelled.
  Task<Result<void>> wait();

 private:
  using Names = std::set<std::string, std::less<>>;

  Result<void> open();
  // Takes what the kernel has to tell; whether any of it is about our files.
  bool take_events();
  [[nodiscard]] bool concerns_us(int folder, std::uint32_t what, std::string_view name) const;

  Executor executor_;
  std::unique_ptr<ReadStream> events_;  // where the kernel tells; null when it does not
  std::map<int, Names> folders_;        // by the kernel's number: names of interest in the folder
};

// Where a path is decided: the folders that are looked into on the way, symbolic links followed,
// with the names that matter there. The last one may lack its name. `real_folders` are those that
// were found to be no links, so that of many paths below one folder each is looked at once.
std::vector<std::pair<std::string, std::string>> places_of(
    const std::string& path, std::unordered_set<std::string>& real_folders);

}  // namespace pi_mcp::io
