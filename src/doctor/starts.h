// Starts servers to see whether they work: several at once, each within a bounded time, and ends
// them again. What they list goes into the cache, as after `connect`.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/pinned.h"
#include "base/time.h"
#include "config/environment.h"
#include "config/settings.h"
#include "doctor/facts.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "registry/catalog_store.h"
#include "registry/server_registry.h"
#include "registry/session_observer.h"
#include "servers/launch/connector.h"
#include "servers/pool.h"

namespace pi_mcp::doctor {

// For the answer to `initialize`, and for all of it, installation included.
struct StartTimes {
  Milliseconds answer_max{30'000};
  Milliseconds whole_max{120'000};
};

class Starts : Pinned {
 public:
  // `changed` is called when activity() or is_done() may have changed.
  Starts(const io::Executor& executor,
         config::Settings settings,
         config::Environment environment,
         StartTimes times,
         std::function<void()> changed);

  void begin(const std::vector<std::string>& servers);
  [[nodiscard]] bool is_done() const { return waiting_.empty() && running_.empty(); }
  // How many are done, and what the first of the others does: "2/5: starting github".
  [[nodiscard]] std::string activity() const;
  // Of those that are done.
  [[nodiscard]] const std::map<std::string, StartFacts>& results() const { return results_; }
  // Gives up what is not done and ends every server. Must have returned before destruction.
  io::Task<void> close();

 private:
  void fill();
  io::Task<void> start(std::string server);
  void finish(const std::string& server, StartFacts facts);

  StartTimes times_;
  std::function<void()> changed_;
  servers::Connector connector_;
  servers::Pool pool_;
  registry::CatalogStore catalogs_;
  registry::SessionObserver observer_;
  registry::ServerRegistry registry_;
  std::vector<std::string> waiting_;            // the next one is the last
  std::map<std::string, std::string> running_;  // server, and what it does
  std::map<std::string, StartFacts> results_;
  std::size_t wanted_ = 0;
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::doctor
