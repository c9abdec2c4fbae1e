// What the user allowed for good, in the file that all sessions share: what another process stores
// or revokes counts from the next call on.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "config/trust/approval_store.h"
#include "io/files/file.h"
#include "tool/consent/trust_file.h"

namespace pi_mcp::tool {

// Calls block for the time the file system takes. A file that cannot be used is logged, and then
// nothing is allowed.
class StoredApprovals {
 public:
  explicit StoredApprovals(std::string_view agent_dir) : file_(agent_dir) {}

  [[nodiscard]] bool has(const std::string& digest);
  // False when it could not be written, which is logged.
  bool store(const config::KeptApproval& approval);

 private:
  void refresh();

  TrustFile file_;
  std::optional<io::FileStamp> stamp_;  // of the file that was read
  std::set<std::string> digests_;
};

}  // namespace pi_mcp::tool
