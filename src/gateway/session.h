// One host's conversation with us: its configuration, environment, catalog and leases of servers.
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
#include "io/loop/task.h"
#include "json/document.h"
#include "mcp/log_level.h"
#include "registry/catalog_store.h"
#include "registry/registry_entry.h"
#include "registry/session_observer.h"
#include "render/host_kind.h"
#include "servers/pool.h"
#include "servers/server_status.h"
#include "tool/answer.h"
#include "tool/call_context.h"
#include "tool/completion.h"
#include "tool/direct/direct_tools.h"
#include "tool/first_use.h"
#include "tool/modes/call.h"
#include "tool/modes/manage.h"
#include "tool/own_resources.h"
#include "tool/prompts.h"
#include "tool/request.h"
#include "tool/resources.h"
#include "tool/through.h"

namespace pi_mcp::gateway {

class Session : Pinned {
 public:
  struct Options {
    render::HostKind host = render::HostKind::mcp;
    bool is_shell = false;      // texts are read in a terminal, not by a model
    tool::ConfigAccess config;  // for mcp_manage
    Milliseconds first_wait = tool::first_answer_wait;
    registry::SharingOptions sharing = {};
    // The host sees this server as it is, and nothing of ours. The configuration need have no
    // other.
    std::optional<tool::ThroughOptions> through = std::nullopt;
  };
  // `pool` and `catalogs` outlive the session. Outputs that are too long go to the environment's
  // folder for temporary files. Reads no file before it is asked, and starts no server.
  Session(servers::Pool& pool,
          registry::CatalogStore& catalogs,
          config::Settings settings,
          config::Environment environment,
          Options options);
  ~Session();

  // Fills the catalog before anybody asks. First run (no cache file yet): connects every enabled
  // server once. Later runs: only the eager and keep-alive ones. Returns once that is under way;
  // failures are logged and remembered for status(). For long-lived surfaces (serve), which then
  // must close() the session; run() never waits for it.
  io::Task<void> warm_up();

  // Runs one mcp tool request in any mode. A failure is an answer, too.
  // Cancelling the task cancels the server's call.
  io::Task<tool::Answer> run(tool::ToolRequest request, tool::CallContext context);

  // Our own text of an answer, within the limits of a server's results; what is cut goes to a file.
  // Empty where the answer is a server's own result.
  std::string text_of(const tool::Answer& answer, tool::Reader reader);

  // Runs a call without a task where that is possible, see begin_quick_call().
  std::unique_ptr<tool::QuickCall> begin_quick_call(const tool::ToolRequest& request,
                                                    const tool::CallContext& context,
                                                    tool::QuickCall::Ended ended);

  // A call of mcp_manage; what `arguments` point into outlives the task.
  io::Task<tool::Answer> manage(json::Value arguments, tool::CallContext context);

  // What the user has to be asked before this request can be done; empty: nothing.
  [[nodiscard]] std::vector<config::TrustRequest> trust_needed(
      const tool::ToolRequest& request) const;

  [[nodiscard]] std::vector<servers::ServerStatus> status(
      const registry::EntryFilter& wanted = {}) const;
  [[nodiscard]] const config::Settings& settings() const;
  [[nodiscard]] const catalog::Catalog& catalog() const;

  // See SharedCatalog::read_again().
  void read_again(std::string_view server);

  // The tools that the host shows beside `mcp`.
  [[nodiscard]] tool::DirectTools& direct_tools();
  // The prompts of all servers.
  [[nodiscard]] tool::Prompts& prompts();
  // The resources of all servers, and for Pi ours.
  [[nodiscard]] tool::Resources& resources();
  // Ours; they may change with the listings and the state.
  [[nodiscard]] tool::OwnResources& own_resources();
  [[nodiscard]] tool::CompletionParts completion();
  // See Options::through; null: the host sees the `mcp` tool.
  [[nodiscard]] tool::Through* through();
  [[nodiscard]] render::HostKind host_kind() const;
  // Who reads our own texts.
  [[nodiscard]] tool::Reader reader() const;

  // From now on this configuration; calls in flight are not disturbed. See
  // ServerRegistry::reload().
  void reload(config::Settings settings);
  // Something of our own for the observers to show.
  void notify(const registry::Notice& notice);

  // From now on this host; null when it has gone. Servers that are started for it are told what it
  // can do, as far as the settings let them (elicitation, sampling), and may ask it.
  void meet_host(std::shared_ptr<servers::HostLink> host);
  void tell_roots_changed();
  // The host wants log messages of servers from this level on.
  void want_log_level(mcp::LogLevel level);

  // From now on until it is removed, `observer` is told what happens here. There may be several.
  void add_observer(registry::SessionObserver& observer);
  void remove_observer(registry::SessionObserver& observer);

  // What a server wrote to its stderr last, without secrets; nullopt when there is nothing new
  // since it was asked for.
  [[nodiscard]] std::optional<std::string> new_stderr(std::string_view server);

  // Stops warming up, writes what is still unsaved to the cache and gives up the leases of servers.
  io::Task<void> close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pi_mcp::gateway
