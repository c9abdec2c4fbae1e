// The tool that a command line names, in whatever spelling, and what it is sent; by what the
// session knows of servers and tools.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/shared_text.h"
#include "catalog/catalog.h"
#include "cli/words/command_line.h"
#include "cli/words/tool_call.h"
#include "gateway/session.h"
#include "tool/request.h"

namespace pi_mcp::cli {

class LineTool {
 public:
  // Both outlive it.
  LineTool(const CommandLine& line, const gateway::Session& session)
      : line_(line), session_(session) {}

  // Without `call`, the first word must name a tool, or a server and then a tool.
  [[nodiscard]] std::optional<Error> mistake() const;
  // What the command line asks for. not_found: it names the tool of one server, and another server.
  [[nodiscard]] Result<tool::ToolRequest> request() const;
  // Whether the types of the arguments are the schema's to say.
  [[nodiscard]] bool wants_schema() const;
  // The JSON object for a tool with this inputSchema (empty: nobody knows it); `stdin_text` stands
  // for "-".
  [[nodiscard]] Result<std::string> arguments(const SharedText& input_schema,
                                              const std::string& stdin_text) const;

  [[nodiscard]] catalog::Lookup look_up(const tool::ToolRequest& request) const;
  [[nodiscard]] bool knows(const tool::ToolRequest& request) const {
    return look_up(request).kind != catalog::Lookup::Kind::none;
  }
  [[nodiscard]] bool is_enabled(std::string_view server) const;

 private:
  [[nodiscard]] Result<CalledTool> called() const;
  [[nodiscard]] std::optional<Error> misspelt_server(const CalledTool& called) const;
  [[nodiscard]] std::optional<Error> two_servers(const CalledTool& called,
                                                 const std::string& server) const;

  const CommandLine& line_;
  const gateway::Session& session_;
};

// What `session` knows; it outlives them.
ToolNames names_of(const gateway::Session& session);

}  // namespace pi_mcp::cli
