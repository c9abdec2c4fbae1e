// A lock that processes take in turns, and tasks of one process too. Waiting for it does not stop
// the loop.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "io/files/fd.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

// Held while it lives; the system gives it up when the process ends, however that happens.
class FileLock {
 public:
  // nullopt: somebody holds it. The file is made (0600), with its folder (0700), and stays:
  // removing it would let two processes lock two different files.
  static Result<std::optional<FileLock>> try_take(const std::string& path);
  // The same for a file in a folder that is open.
  static Result<std::optional<FileLock>> try_take_in(const Fd& folder, const std::string& name);
  // The same for a program without a loop; it blocks. timed_out: somebody held it all the time.
  static Result<FileLock> wait_in(const Fd& folder, const std::string& name, Milliseconds limit);

  // Why try_take_in() would fail, as its error says it; nothing is made or taken. Empty: it would
  // not, or somebody holds it.
  static std::string obstacle_in(const Fd& folder, const std::string& name);

  // A child that has this descriptor holds the lock too.
  [[nodiscard]] int number() const { return file_.get(); }

 private:
  explicit FileLock(Fd file) : file_(std::move(file)) {}
  static Result<std::optional<FileLock>> lock(Fd file, const std::string& name);
  Fd file_;
};

// timed_out: somebody held it all the time. cancelled.
Task<Result<FileLock>> take_lock(std::string path, Milliseconds wait_max);

}  // namespace pi_mcp::io
