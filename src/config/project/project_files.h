// What files of a project may cost before anybody has trusted it: they are read at every start of a
// session, in the one thread of the process that sessions share.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "config/file_source.h"

namespace pi_mcp::config {

// Nobody's project has as much; who wants to hold up sessions writes more.
inline constexpr std::size_t project_servers_max = 256;
inline constexpr std::size_t project_entry_bytes_max = std::size_t{64} << 10U;  // or of `settings`
inline constexpr std::size_t project_folders_max = 64;  // from the working directory to the root

// The files of one loading. Those that somebody else may have put there (read_regular()) are read
// once each, and have strangers_bytes_max together: io for what is more.
class ProjectFiles : public ForwardedFiles {
 public:
  using ForwardedFiles::ForwardedFiles;

  [[nodiscard]] Result<std::optional<std::string>> read_regular(
      const std::string& path) const override;

 private:
  // Files are read through a const interface.
  mutable std::map<std::string, Result<std::optional<std::string>>> seen_;
  mutable std::size_t taken_ = 0;      // bytes of those that count
  mutable std::size_t looked_at_ = 0;  // and of those that do not
};

}  // namespace pi_mcp::config
