// Files for what is too long to show: private to the user, in one folder a session, removed with
// it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace pi_mcp::io {

// The folder is made at the first write: <base>/pi-mcp-output-<pid>-<random>, 0700, files 0600.
// Folders of processes that ended without cleaning up are removed then, too.
class TempFiles {
 public:
  // `base` is the folder for temporary files of whoever the files are for.
  explicit TempFiles(std::string base) : base_(std::move(base)) {}
  TempFiles(const TempFiles&) = delete;
  TempFiles& operator=(const TempFiles&) = delete;
  // Removes the folder and everything in it.
  ~TempFiles();

  // Path of a new file "output-<n>.<extension>" with these bytes. io: the system's reason, or the
  // limits below; nothing is left of a file that could not be written whole.
  Result<std::string> write(std::string_view extension, std::string_view bytes);

  static constexpr std::size_t files_max = 10'000;
  static constexpr std::size_t bytes_max = std::size_t{2} << 30U;

 private:
  Result<void> make_folder();

  std::string base_;
  std::string folder_;  // empty until the first write
  std::size_t files_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace pi_mcp::io
