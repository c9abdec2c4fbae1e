// Reads the configuration of a session again when one of its files has changed, or when somebody
// asks for it (SIGHUP), and hands it to the session, which changes only what is different.
#pragma once

#include <string>
#include <vector>

#include "cli/config_source.h"
#include "gateway/session.h"
#include "io/files/file_watch.h"
#include "io/loop/paced_work.h"
#include "io/loop/task_group.h"

namespace pi_mcp::cli {

class ConfigWatch {
 public:
  // Editors and programs change files in several steps; this long after the first one all of them
  // are looked at together.
  static constexpr Milliseconds pause{200};

  // `setup` outlives it.
  ConfigWatch(const io::Executor& executor, const Setup& setup);

  // Reads for the first time; later changes are not missed. Warnings go to the log.
  config::Settings load();
  // `session` outlives the time until stop() has returned.
  void start(gateway::Session* session);
  // Tells a host that can hear it now what load() warned of: nobody sees the log of a helper.
  void tell_first_warnings();
  void reload_soon() { reloading_.ask(); }
  // Reads at once, for a change that the session itself asked for.
  void reload_now();
  io::Task<void> stop();

 private:
  ConfigSource::Loaded load_and_watch();
  io::Task<void> watch();

  ConfigSource source_;
  io::FileWatch files_;
  gateway::Session* session_ = nullptr;
  std::vector<std::string> first_warnings_;
  std::string unwatched_;  // why files are not watched; said once
  io::PacedWork reloading_;
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::cli
