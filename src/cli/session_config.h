// The configuration of one host's session: read, watched, and changed as the host's user wants.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/pinned.h"
#include "cli/config_watch.h"
#include "cli/setup.h"
#include "config/settings.h"
#include "gateway/session.h"
#include "io/loop/task.h"
#include "tool/modes/manage.h"

namespace pi_mcp::cli {

class SessionConfig : Pinned {
 public:
  SessionConfig(const io::Executor& executor, const Setup& setup)
      : setup_(setup), watch_(executor, setup_) {}

  // Once, before the session is there.
  config::Settings load() { return watch_.load(); }
  // What the session may do to it; refers to this object.
  tool::ConfigAccess access();
  // From now on changes reach the session, which outlives the time until stop() has returned.
  void start(gateway::Session* session);
  void tell_first_warnings() { watch_.tell_first_warnings(); }
  void reload_soon() { watch_.reload_soon(); }
  io::Task<void> stop() { return watch_.stop(); }

 private:
  std::function<void(std::string config)> take_configuration();
  void take_hosts_yes();
  Result<void> take_trust(tool::TrustTerm term, const std::vector<config::TrustRequest>& requests);
  Result<std::string> edit(const tool::KeyChange& change);
  Result<std::string> add(const tool::NewServer& server);
  void try_out(const std::string& name, const std::string& entry_json);
  void take_registered();
  io::Task<Result<tool::SetupOutcome>> set_up(bool undo, tool::CallContext context);
  [[nodiscard]] std::string users_file() const;
  [[nodiscard]] std::string shown(const std::string& path) const;

  Setup setup_;
  std::string registered_;                    // servers of other extensions, JSON; empty: none
  std::map<std::string, std::string> tried_;  // servers that are being tried: name, entry
  ConfigWatch watch_;
  gateway::Session* session_ = nullptr;
};

}  // namespace pi_mcp::cli
