// mcp({ server }): the names of one server's tools. Offline: starts the server only when nothing is
// known of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/catalog.h"
#include "mcp/types.h"
#include "registry/server_registry.h"
#include "tool/answer.h"
#include "tool/request.h"
#include "tool/text.h"

namespace pi_mcp::tool {

// One page of a server's tools.
struct ListPage {
  std::string lines;  // how they are shown: their size decides how many fit
  std::vector<std::string> names;
  std::vector<ToolDefinition> definitions;  // empty unless they were asked for
  std::vector<std::string> guarded;         // those of the page that need approval
  std::size_t first = 0;
  bool by_name_only = false;
  // A tool on it whose name another server's has too, and its server.
  std::optional<std::pair<std::string, std::string>> namesake;

  [[nodiscard]] std::size_t next() const { return first + names.size(); }
};

struct ListFacts final : Facts {
  std::string server;
  bool is_projects = false;  // a file of the project defines the server
  catalog::Knowledge knowledge = catalog::Knowledge::unknown;
  std::size_t total = 0;
  ListPage page;
  Message unknown;  // why nothing is known of it
  std::vector<mcp::Resource> templates;
  std::vector<std::string> notes;  // which part of its lists was left out, and why
  std::string instructions;

  // Where the next page begins; nullopt: there is none.
  [[nodiscard]] std::optional<std::size_t> next() const;
  [[nodiscard]] Message text() const override;
  void write_details(json::Writer& out) const override;
};

// The page that the request asks for of a configured server's tools, as they are known now.
Answer tool_list(const registry::ServerRegistry& registry,
                 std::string_view server,
                 const ToolRequest& request,
                 const MarksOf& marks_of);

}  // namespace pi_mcp::tool
