// The file of the words that a model has written for tools: <agentDir>/mcp-keywords.json, beside
// the metadata cache. Written under a lock, so that no update of another process is lost.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/keywords.h"
#include "io/files/file.h"

namespace pi_mcp::catalog {

// keyword_tools_max tools with long words have less.
constexpr std::size_t keyword_file_bytes_max = std::size_t{8} << 20U;

// Calls block for the time the file system takes.
class KeywordFile {
 public:
  explicit KeywordFile(std::string_view agent_dir)
      : path_(std::string(agent_dir) + "/mcp-keywords.json") {}

  // Reads the file again if it is another than before, or was never read. True: it was.
  bool refresh();
  // As of the last refresh().
  [[nodiscard]] const Keywords& known() const { return known_; }
  // io, timed_out, invalid_argument: the file could not be written, and is as before.
  Result<void> add(const Keywords& keywords);

 private:
  std::string path_;
  bool is_read_ = false;
  std::optional<io::FileStamp> stamp_;  // of what was read
  Keywords known_;
};

}  // namespace pi_mcp::catalog
