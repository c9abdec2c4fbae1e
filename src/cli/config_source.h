// The configuration of a process that lives long: read once, and again when its files change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/real_files.h"
#include "cli/setup.h"
#include "config/settings.h"

namespace pi_mcp::cli {

// The files of this machine. One that can no longer be read or understood counts as it last was:
// somebody is just editing it.
class LastGoodFiles : public RealFiles {
 public:
  // `folder`: the session's.
  explicit LastGoodFiles(std::string folder) : folder_(std::move(folder)) {}

  [[nodiscard]] Result<std::optional<std::string>> read(const std::string& path) const override;
  [[nodiscard]] Result<std::optional<std::string>> read_regular(
      const std::string& path) const override;

  // Before each time that everything is read.
  void begin();
  // Since begin(): every file that was looked for, whether it was there (nullopt: nobody can say),
  // and what is wrong with the broken ones.
  using LookedFor = std::map<std::string, std::optional<bool>>;
  [[nodiscard]] const LookedFor& looked_for() const { return looked_for_; }
  [[nodiscard]] const std::vector<config::Warning>& problems() const { return problems_; }
  // A file of the user is broken and has no older text, because that was too large to be
  // remembered. One of a project, whoever wrote it, changes nothing else.
  [[nodiscard]] bool lost_one() const { return lost_one_; }
  // After everything was read: these could not be understood, so nothing was lost when they still
  // cannot.
  void note_broken(std::set<std::string> paths) { broken_ = std::move(paths); }

 private:
  enum class Said : std::uint8_t { whole, no_name };
  [[nodiscard]] Result<std::optional<std::string>> last_good(
      const std::string& path, Result<std::optional<std::string>> text, Said said) const;

  std::string folder_;

  // Files are read through a const interface, and each read is remembered.
  mutable std::map<std::string, std::optional<std::string>> last_good_;  // nullopt: too large
  mutable LookedFor looked_for_;
  mutable std::vector<config::Warning> problems_;
  mutable bool lost_one_ = false;
  bool again_ = false;            // everything was read before
  std::set<std::string> broken_;  // when it was read before
};

class ConfigSource {
 public:
  // `setup` outlives it.
  explicit ConfigSource(const Setup& setup) : setup_(setup), files_(setup.environment.cwd) {}

  struct Loaded {
    // nullopt: what was loaded before has to stay, see LastGoodFiles::lost_one().
    std::optional<config::Settings> settings;
    std::vector<std::string> news;  // warnings that are new since the last time
  };
  Loaded load();

  // Every file that the last load() looked for, whether it exists or not.
  [[nodiscard]] std::vector<std::string> files() const;
  // Whether one of them is not as it was when load() began.
  [[nodiscard]] bool has_changed() const;

 private:
  const Setup& setup_;
  LastGoodFiles files_;
  std::int64_t began_ns_ = 0;   // the last load(), since the epoch
  std::set<std::string> said_;  // warnings of the last time
};

}  // namespace pi_mcp::cli
