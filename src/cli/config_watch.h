// Reads the configuration again when one of its files has changed, or when somebody asks for it
// (SIGHUP), and hands it to whoever lives by it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/config_source.h"
#include "io/files/file_watch.h"
#include "io/loop/paced_work.h"
#include "io/loop/task_group.h"

namespace pi_mcp::cli {

class ConfigWatch {
 public:
  // Editors and programs change files in several steps; this long after the first one all of them
  // are looked at together.
  static constexpr Milliseconds pause{200};
  // A host that has just come wants its first answers sooner than its files watched.
  static constexpr Milliseconds settling{50};

  // `setup` outlives it.
  ConfigWatch(const io::Executor& executor, const Setup& setup);

  // Reads for the first time; later changes are not missed. Warnings go to the log.
  config::Settings load();
  struct Listener {
    std::function<void(config::Settings settings)> take;
    // A warning that is new; the log has it already. Null: the log is enough.
    std::function<void(const std::string& warning)> warn;
  };
  // What the listener uses outlives the time until stop() has returned.
  void start(Listener listener);
  // Tells a host that can hear it now what load() warned of: nobody sees the log of a helper.
  void tell_first_warnings();
  void reload_soon() { reloading_.ask(); }
  // Reads at once, for a change that the session itself asked for.
  void reload_now();
  io::Task<void> stop();

 private:
  ConfigSource::Loaded read();
  void watch_files();
  io::Task<void> watch();
  void warn(const std::vector<std::string>& warnings) const;

  ConfigSource source_;
  io::FileWatch files_;
  Listener listener_;
  std::vector<std::string> first_warnings_;
  std::string unwatched_;  // why files are not watched; said once
  io::PacedWork reloading_;
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::cli
