// Files for what is too long to show. A conversation refers to them by path, also one that goes on
// in another process, so they are kept for a day.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/time.h"

namespace pi_mcp::io {

// All sessions of a user have one folder, <base>/pi-mcp-output-user-<uid>, 0700, files 0600. It is
// made at the first write. Where somebody else has taken its name, each session makes its own.
class TempFiles {
 public:
  static constexpr Milliseconds kept_for = std::chrono::hours(24);
  static constexpr Milliseconds sweep_pause = std::chrono::hours(1);
  // All files of the user below one base together; the oldest go before that, an eighth at once.
  static constexpr std::uint64_t kept_bytes_max = std::uint64_t{512} << 20U;

  // `base` is the folder for temporary files of whoever the files are for.
  explicit TempFiles(std::string base, std::uint64_t bytes_max = kept_bytes_max)
      : base_(std::move(base)), bytes_max_(bytes_max) {}

  // Path of a new file "output-<random>.<extension>" with these bytes. io: the system's reason, or
  // there are too many; nothing is left of a file that could not be written whole.
  Result<std::string> write(std::string_view extension, std::string_view bytes, EpochMs now);

  // Removes what is older than a day, and the oldest of what is more than the limit, whichever
  // session it is from. Touches nothing but our own kind of file, and only the user's.
  void sweep(EpochMs now) { sweep(now, 0); }

 private:
  void sweep(EpochMs now, std::uint64_t wanted);
  Result<void> make_folder();

  std::string base_;
  std::uint64_t bytes_max_;
  std::string folder_;            // empty until the first write
  std::uint64_t kept_bytes_ = 0;  // after the last sweep, and what was written since
  std::optional<EpochMs> swept_;
};

}  // namespace pi_mcp::io
