// The files of this machine, for configuration.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/file_source.h"
#include "io/files/file.h"

namespace pi_mcp::cli {

class RealFiles : public config::FileSource {
 public:
  [[nodiscard]] Result<std::optional<std::string>> read(const std::string& path) const override {
    return io::read_file(path);
  }
  [[nodiscard]] Result<std::optional<std::string>> read_regular(
      const std::string& path) const override {
    return io::read_regular_file(path, config::strangers_bytes_max);
  }
  [[nodiscard]] std::string canonical(const std::string& path) const override {
    return io::canonical_path(path);
  }
  [[nodiscard]] bool is_directory(const std::string& path) const override {
    return io::is_directory(path);
  }
  [[nodiscard]] std::vector<std::string> names_in(const std::string& folder) const override {
    constexpr std::size_t names_max = 10'000;  // the folder may be a stranger's
    return io::names_in(folder, names_max);
  }
  [[nodiscard]] bool is_file(const std::string& path) const override { return io::is_file(path); }

  [[nodiscard]] bool is_own(const std::string& path) const override { return io::is_own(path); }
  [[nodiscard]] bool is_on_same_device(const std::string& one,
                                       const std::string& other) const override {
    return io::is_on_same_device(one, other);
  }

  // A file that cannot be read exists, too.
  [[nodiscard]] bool exists(const std::string& path) const {
    const Result<std::optional<std::string>> text = read(path);
    return !text || text->has_value();
  }
};

}  // namespace pi_mcp::cli
