// A FileSource in memory, for tests and fuzzers.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/file_source.h"

namespace pi_mcp::config {

class MemoryFiles : public FileSource {
 public:
  MemoryFiles& add(std::string path, std::string text) {
    files_[std::move(path)] = std::move(text);
    return *this;
  }
  MemoryFiles& add_directory(std::string path) {
    directories_.insert(std::move(path));
    return *this;
  }
  // Reading `path` then fails, though it exists.
  MemoryFiles& add_unreadable(std::string path) {
    unreadable_.insert(std::move(path));
    return *this;
  }
  // A pipe: reading it as a regular file fails.
  MemoryFiles& add_pipe(std::string path) {
    special_.insert(std::move(path));
    return *this;
  }
  // Of somebody else.
  MemoryFiles& add_foreign(std::string path) {
    foreign_.insert(std::move(path));
    return *this;
  }
  // What lies below it is on another device.
  MemoryFiles& add_mount(std::string path) {
    mounts_.insert(std::move(path));
    return *this;
  }
  // `path` then stands for `target`.
  MemoryFiles& add_link(std::string path, std::string target) {
    links_[std::move(path)] = std::move(target);
    return *this;
  }

  [[nodiscard]] Result<std::optional<std::string>> read(const std::string& path) const override {
    const std::string target = canonical(path);
    if (unreadable_.contains(target)) {
      return fail(ErrorCode::io, "cannot read " + path + ": permission denied");
    }
    const auto found = files_.find(target);
    return found == files_.end() ? std::nullopt : std::optional(found->second);
  }

  [[nodiscard]] Result<std::optional<std::string>> read_regular(
      const std::string& path) const override {
    if (special_.contains(canonical(path))) {
      return fail(ErrorCode::io, path + " is not a regular file");
    }
    return read(path);
  }

  // The longest linked prefix is replaced once.
  [[nodiscard]] std::string canonical(const std::string& path) const override {
    for (auto link = links_.rbegin(); link != links_.rend(); ++link) {
      if (path == link->first || path.starts_with(link->first + "/")) {
        return link->second + path.substr(link->first.size());
      }
    }
    return path;
  }

  [[nodiscard]] std::vector<std::string> names_in(const std::string& folder) const override {
    const std::string start = canonical(folder) + "/";
    std::set<std::string> names;
    for (auto file = files_.lower_bound(start); file != files_.end(); ++file) {
      if (!file->first.starts_with(start)) {
        break;
      }
      names.insert(
          file->first.substr(start.size(), file->first.find('/', start.size()) - start.size()));
    }
    return {names.begin(), names.end()};
  }

  [[nodiscard]] bool is_file(const std::string& path) const override {
    return files_.contains(canonical(path));
  }

  [[nodiscard]] bool is_own(const std::string& path) const override {
    return !foreign_.contains(canonical(path));
  }

  [[nodiscard]] bool is_on_same_device(const std::string& one,
                                       const std::string& other) const override {
    return std::ranges::all_of(mounts_, [&](const std::string& mount) {
      return one.starts_with(mount) == other.starts_with(mount);
    });
  }

  // Added directories, and whatever a file lies in.
  [[nodiscard]] bool is_directory(const std::string& path) const override {
    const std::string target = canonical(path);
    const auto next = files_.lower_bound(target + "/");
    return directories_.contains(target) ||
           (next != files_.end() && next->first.starts_with(target + "/"));
  }

 private:
  std::map<std::string, std::string> files_;
  std::map<std::string, std::string> links_;
  std::set<std::string> directories_;
  std::set<std::string> unreadable_;
  std::set<std::string> special_;
  std::set<std::string> foreign_;
  std::set<std::string> mounts_;
};

}  // namespace pi_mcp::config
