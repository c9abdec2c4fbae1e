// The one door through which configuration reads files; io/ has the real one, tests an in-memory
// one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace pi_mcp::config {

// Of a file that somebody else may have put there, and of all of them in one loading. Such files
// have some kilobytes; who wants to hold up a session, or all that share a process, makes them
// large.
inline constexpr std::size_t strangers_bytes_max = std::size_t{1} << 20U;

class FileSource {
 public:
  FileSource() = default;
  FileSource(const FileSource&) = default;
  FileSource(FileSource&&) = default;
  FileSource& operator=(const FileSource&) = default;
  FileSource& operator=(FileSource&&) = default;
  virtual ~FileSource() = default;
  // The whole file; nullopt when it does not exist; io when it exists and cannot be read.
  [[nodiscard]] virtual Result<std::optional<std::string>> read(const std::string& path) const = 0;
  // The same for a file that somebody else may have put there: io also when it is anything but a
  // regular file or a link to one (a pipe would be waited for, a device read without end), or
  // larger than strangers_bytes_max.
  [[nodiscard]] virtual Result<std::optional<std::string>> read_regular(
      const std::string& path) const = 0;
  // Absolute path with symbolic links resolved; the path itself when it does not exist.
  [[nodiscard]] virtual std::string canonical(const std::string& path) const = 0;
  [[nodiscard]] virtual bool is_directory(const std::string& path) const = 0;
  // Names in a folder, in no order; none when it cannot be read, ten thousand at most.
  [[nodiscard]] virtual std::vector<std::string> names_in(const std::string& folder) const = 0;
  // A regular file, or a link to one. Unlike a reading it is not noted as something to watch.
  [[nodiscard]] virtual bool is_file(const std::string& path) const = 0;
  // It belongs to the user of this process; a link is followed.
  [[nodiscard]] virtual bool is_own(const std::string& path) const = 0;
  [[nodiscard]] virtual bool is_on_same_device(const std::string& one,
                                               const std::string& other) const = 0;
};

// Those of another source, for who answers some questions in another way.
class ForwardedFiles : public FileSource {
 public:
  // `files` outlives it.
  explicit ForwardedFiles(const FileSource& files) : files_(files) {}

  [[nodiscard]] Result<std::optional<std::string>> read(const std::string& path) const override {
    return files_.read(path);
  }
  [[nodiscard]] Result<std::optional<std::string>> read_regular(
      const std::string& path) const override {
    return files_.read_regular(path);
  }
  [[nodiscard]] std::string canonical(const std::string& path) const override {
    return files_.canonical(path);
  }
  [[nodiscard]] bool is_directory(const std::string& path) const override {
    return files_.is_directory(path);
  }
  [[nodiscard]] std::vector<std::string> names_in(const std::string& folder) const override {
    return files_.names_in(folder);
  }
  [[nodiscard]] bool is_file(const std::string& path) const override {
    return files_.is_file(path);
  }
  [[nodiscard]] bool is_own(const std::string& path) const override { return files_.is_own(path); }
  [[nodiscard]] bool is_on_same_device(const std::string& one,
                                       const std::string& other) const override {
    return files_.is_on_same_device(one, other);
  }

 private:
  const FileSource& files_;
};

}  // namespace pi_mcp::config
