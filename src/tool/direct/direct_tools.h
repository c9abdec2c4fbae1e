// Which tools of the servers a host shows its model as tools of their own, beside `mcp`:
// directTools or the exposure of the configuration, or MCP_DIRECT_TOOLS. Knows them from the cache,
// with every server stopped.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "json/document.h"
#include "registry/server_registry.h"
#include "render/host_kind.h"

namespace pi_mcp::tool {

// What MCP_DIRECT_TOOLS ("__none__", or "server" and "server/tool" with commas between) says of a
// server; nullopt: nothing.
std::optional<config::Selection> direct_selection(std::string_view variable,
                                                  std::string_view server);

// The tools of all servers that are in use, as tools/list would have them, with the server and
// original name of each and a line about each server, JSON: for a program. Of two tools of one name
// neither is there.
std::string every_tool(const registry::ServerRegistry& registry);

class DirectTools {
 public:
  // `registry` outlives the value.
  DirectTools(const registry::ServerRegistry& registry, render::HostKind host);

  // The result of tools/list, JSON. Reads only the cache of servers that have direct tools.
  // Valid until the next call of a member that is not const.
  std::string_view list_result();

  // The registry has a new configuration.
  void reload();

  // Whether the configuration or a search makes the tool direct, and its name allows it. When two
  // chosen tools have one name, neither is listed.
  [[nodiscard]] bool is_chosen(const catalog::CatalogTool& tool) const;

  // Why no tool of this name can be direct, for people; empty when one can.
  [[nodiscard]] static std::string_view name_fault(std::string_view name);

  // Whether directTools of the server is "search".
  [[nodiscard]] bool waits_for_search(std::string_view server) const;

  // Tools of a server with directTools "search" become direct once a search has shown them.
  void show(std::string_view server, std::string_view tool);

  // True once after list_result() has changed: the host has to be told. Never when
  // freezeDirectTools is set.
  bool needs_notice();

  // Whether `mcp` is among the tools of the host now (disableProxyTool).
  [[nodiscard]] bool offers_mcp() const;

  // How many tools are direct now.
  [[nodiscard]] std::size_t count() const { return selected().size(); }

  // Whether this tool of ours, by its name, may call tools that do not only read. nullopt for any
  // other name.
  [[nodiscard]] std::optional<bool> may_write(json::Value tool) const;

  // The server of a tool that is direct now, whether the host has asked for the list or not, or
  // that was at any time in this session, so that a host that is behind gets an answer that says
  // what has become of the tool. Null: there was none.
  [[nodiscard]] const std::string* server_of(std::string_view tool);

 private:
  struct Rule {
    std::string server;
    config::Selection selection;
    const config::Server* exposed = nullptr;  // its exposure decides, tool by tool
  };
  [[nodiscard]] Rule rule_of(const config::Server& server) const;
  [[nodiscard]] bool is_selected(const Rule& rule, const catalog::CatalogTool& tool) const;
  [[nodiscard]] std::vector<const catalog::CatalogTool*> selected() const;
  // Whether every tool that the configuration makes direct is known (disableProxyTool).
  [[nodiscard]] bool has_all() const;
  void refresh();

  const registry::ServerRegistry& registry_;
  render::HostKind host_;
  std::vector<Rule> rules_;  // of enabled servers that may have direct tools
  std::set<std::pair<std::string, std::string>, std::less<>> shown_;  // server and displayed name
  std::map<std::string, std::string, std::less<>> listed_;            // displayed name, server
  std::string result_;                                                // empty: never listed
  std::string told_;                                                  // what the host knows
  std::uint64_t generation_ = 0;  // of the catalog when `result_` was made
  std::size_t shown_count_ = 0;   // size of `shown_` then
  bool noticed_ = false;          // the host was told that its list is out of date
};

}  // namespace pi_mcp::tool
