// The configuration in effect of one session. A newer one replaces it as a whole; users of a server
// of the older one keep that alive.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/pinned.h"
#include "catalog/catalog.h"
#include "config/environment.h"
#include "config/settings.h"

namespace pi_mcp::registry {

// With whom a session shares servers.
struct SharingOptions {
  // Sessions of others may be in this process: servers are started so that they can be shared. Else
  // they get everything as this session has it.
  bool with_others = false;
  // Sessions with the same scope count as one, also one after the other; empty: a session of its
  // own.
  std::string scope;
  // Its claims outlive it, for a command that may come next, by the idleTimeout of each server.
  bool claims_rest = false;
};

class Configuration : Pinned {
 public:
  // Keeps alive the settings that the server is part of.
  using ServerPtr = std::shared_ptr<const config::Server>;

  Configuration(config::Settings settings, config::Environment environment);

  [[nodiscard]] const config::Settings& settings() const { return *settings_; }
  [[nodiscard]] const config::Environment& environment() const { return *environment_; }
  [[nodiscard]] const SharingOptions& sharing() const { return sharing_; }
  // Before anything is started.
  void share(SharingOptions sharing) { sharing_ = std::move(sharing); }

  // Null when no such server is configured. Valid until the configuration is replaced.
  [[nodiscard]] const config::Server* find(std::string_view server) const;
  // Configured and not disabled.
  [[nodiscard]] bool is_enabled(std::string_view server) const;
  [[nodiscard]] catalog::Catalog::ServerFilter enabled_filter() const;
  [[nodiscard]] std::vector<std::string> enabled_servers() const;

 protected:
  [[nodiscard]] std::shared_ptr<const config::Settings> shared_settings() const {
    return settings_;
  }
  [[nodiscard]] const std::shared_ptr<const config::Environment>& shared_environment() const {
    return environment_;
  }
  // In configuration order.
  [[nodiscard]] std::vector<ServerPtr> servers() const;
  void replace(config::Settings settings);
  // Takes only the warnings of `same`; the rest does not differ.
  void replace_words(config::Settings same);

 private:
  void index();

  std::shared_ptr<config::Settings> settings_;
  std::shared_ptr<const config::Environment> environment_;
  SharingOptions sharing_;
  std::map<std::string_view, const config::Server*> by_name_;  // the first one of a name
};

}  // namespace pi_mcp::registry
