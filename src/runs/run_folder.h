// The folder <agentDir>/mcp-run: one record for each living process of ours that runs servers, and
// how the last run of each server ended. Files 0600, folder 0700.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "io/files/owner_lock.h"
#include "runs/run_record.h"

namespace pi_mcp::runs {

// What another process may read.
class RunFolder {
 public:
  explicit RunFolder(std::string_view agent_dir);

  struct Run {
    std::string id;
    RunRecord record;
  };
  // The runs of every living process. Removes the records of dead ones, after storing what their
  // servers said last as last runs. Costs one look into a folder when nothing runs.
  [[nodiscard]] std::vector<Run> runs(EpochMs now) const;

  // The last stderr of one server of a run; empty when the run is over meanwhile.
  [[nodiscard]] std::string log(const Run& run, const RunServer& server) const;
  // nullopt: none is recorded.
  [[nodiscard]] std::optional<LastRun> last_run(const config::Server& server) const;
  // The newest of any server with this name, for one that is not configured here.
  [[nodiscard]] std::optional<LastRun> newest_run(std::string_view name) const;
  void forget(const config::Server& server) const;
  // Replaces an older one of the same name and identity, also when there is nothing to tell.
  // Also forgets those that are older than last_run_kept_max, and the oldest beyond last_runs_max.
  void save(const LastRun& run) const;

  static constexpr Milliseconds last_run_kept_max = std::chrono::days(7);
  static constexpr std::size_t last_runs_max = 100;

  [[nodiscard]] std::string record_path(std::string_view id) const;
  [[nodiscard]] std::string lock_path(std::string_view id) const;
  [[nodiscard]] std::string log_path(std::string_view id, std::size_t log) const;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] std::string last_path(std::string_view name, std::string_view identity) const;
  void bury(const Run& run, const std::vector<std::string>& names) const;
  void prune() const;

  std::string path_;
};

// What this process writes there.
class OwnRun {
 public:
  // io: the folder or its lock cannot be written; then nobody sees this process.
  static Result<OwnRun> open(RunFolder folder);
  // The same; nullopt: it cannot, and the log says so.
  static std::optional<OwnRun> open_or_tell(RunFolder folder);

  // Both replace what readers see as a whole.
  Result<void> write_log(std::size_t log, std::string_view text);
  Result<void> write(const RunRecord& record, EpochMs now);
  // Removes everything of this run.
  void remove();

 private:
  OwnRun(RunFolder folder, std::string id, io::OwnerLock lock);

  RunFolder folder_;
  std::string id_;
  std::optional<io::OwnerLock> lock_;
  std::size_t logs_ = 0;  // the highest number written
};

}  // namespace pi_mcp::runs
