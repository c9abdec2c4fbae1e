// What the user allowed for good, or for a session that its host takes up again, in the file that
// all sessions share: what another process stores or revokes counts from the next call on.
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

  // The host's own name of the session from now on; until then nothing is kept for a session.
  void begin_session(std::string id);

  [[nodiscard]] bool has(const std::string& digest);
  // False when it could not be written, which is logged.
  bool store(const config::KeptApproval& approval);
  // The same for this session alone; false too when the host has not named it.
  bool store_for_session(const config::KeptApproval& approval);

 private:
  void refresh();
  bool update(const TrustFile::Change& change, const config::KeptApproval& approval);

  TrustFile file_;
  std::optional<io::FileStamp> stamp_;  // of the file that was read
  std::set<std::string> digests_;
  std::string session_;
};

}  // namespace pi_mcp::tool
