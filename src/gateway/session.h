// One host's conversation with us: its configuration, environment, catalog and claims on servers.
// Nothing here is global, so that one process can hold many.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/pinned.h"
#include "base/time.h"
#include "catalog/catalog.h"
#include "config/environment.h"
#include "config/settings.h"
#include "gateway/answer.h"
#include "gateway/call_context.h"
#include "gateway/catalog_store.h"
#include "gateway/direct_tools.h"
#include "gateway/host_kind.h"
#include "gateway/manage.h"
#include "gateway/mode_call.h"
#include "gateway/own_resources.h"
#include "gateway/prompts.h"
#include "gateway/server_status.h"
#include "gateway/session_observer.h"
#include "gateway/tool_request.h"
#include "io/task.h"
#include "json/document.h"
#include "servers/pool.h"

namespace pi_mcp::gateway {

class Session : Pinned {
 public:
  struct Options {
    HostKind host = HostKind::mcp;
    ConfigAccess config;  // for mcp_manage
  };
  // `pool` and `catalogs` outlive the session. Outputs that are too long go to the environment's
  // folder for temporary files. Reads no file before it is asked, and starts no server.
  Session(servers::Pool& pool,
          CatalogStore& catalogs,
          config::Settings settings,
          config::Environment environment,
          Options options);
  ~Session();

  // Fills the catalog before anybody asks. First run (no cache file yet): connects every enabled
  // server once. Later runs: only the eager and keep-alive ones. Returns once that is under way;
  // failures are logged and remembered for status(). For long-lived surfaces (serve), which then
  // must close() the session; run() never waits for it.
  io::Task<void> warm_up();

  // Runs one mcp tool request in any mode. Never fails otherwise than by what the answer says.
  // Cancelling the task cancels the server's call.
  io::Task<Answer> run(ToolRequest request, CallContext context);

  // Our own text of an answer, within the limits of a server's results; what is cut goes to a file.
  // Empty where the answer is a server's own result.
  std::string text_of(const Answer& answer, Reader reader);

  // The same without a task for the calls of tools that can do without, see begin_quick_call().
  std::unique_ptr<QuickCall> begin_quick_call(const ToolRequest& request,
                                              const CallContext& context,
                                              QuickCall::Ended ended);

  // A call of mcp_manage.
  Answer manage(json::Value arguments);

  // What the user has to be asked before this request can be done; empty: nothing.
  [[nodiscard]] std::vector<config::TrustRequest> trust_needed(const ToolRequest& request) const;

  [[nodiscard]] std::vector<ServerStatus> status() const;
  [[nodiscard]] const config::Settings& settings() const;
  [[nodiscard]] const catalog::Catalog& catalog() const;

  // The tools that the host shows beside `mcp`.
  [[nodiscard]] DirectTools& direct_tools();
  // The prompts of all servers.
  [[nodiscard]] Prompts& prompts();
  // What a host with a user interface shows people; it may change with the offers and the state.
  [[nodiscard]] OwnResources& resources();
  [[nodiscard]] HostKind host_kind() const;

  // From now on this configuration; calls in flight are not disturbed. See Roster::reload().
  void reload(config::Settings settings);
  // Something of our own for the observers to show.
  void notify(const Notice& notice);

  // From now on this host; null when it has gone. Servers that are started for it are told what it
  // can do, as far as the settings let them (elicitation, sampling), and may ask it.
  void meet_host(std::shared_ptr<servers::HostLink> host);
  void tell_roots_changed();

  // From now on until it is removed, `observer` is told what happens here. There may be several.
  void add_observer(SessionObserver& observer);
  void remove_observer(SessionObserver& observer);

  // What a server wrote to its stderr last, without secrets; nullopt when there is nothing new
  // since it was asked for.
  [[nodiscard]] std::optional<std::string> new_stderr(std::string_view server);

  // Stops warming up, writes what is still unsaved to the cache and gives up the claims on servers.
  io::Task<void> close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pi_mcp::gateway
