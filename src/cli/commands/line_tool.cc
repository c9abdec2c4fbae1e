#include "cli/commands/line_tool.h"

#include <span>
#include <utility>
#include <vector>

#include "base/shell_word.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/unknown_server.h"
#include "cli/words/request.h"
#include "cli/words/tool_arguments.h"
#include "json/document.h"
#include "tool/failures.h"

namespace pi_mcp::cli {

// --tool names one in no spelling of ours, so that no name can mean something else.
Result<CalledTool> LineTool::called() const {
  if (line_.command()->id == CommandId::call && line_.has(OptionId::tool)) {
    return CalledTool{
        .server = {}, .tool = *line_.value(OptionId::tool), .words = 0, .in_brackets = {}};
  }
  return called_tool(line_.words(), names_of(session_));
}

std::optional<Error> LineTool::mistake() const {
  const std::vector<std::string>& words = line_.words();
  if (!line_.is_call_implied()) {
    return std::nullopt;
  }
  const Result<CalledTool> called = called_tool(words, names_of(session_));
  if (!called) {
    return called.error();
  }
  if (called->is_known(names_of(session_))) {
    return std::nullopt;
  }
  if (names_of(session_).is_server(called->tool)) {
    return Error(ErrorCode::invalid_argument,
                 "\"" + called->tool + "\" is a server, not a command; its tools: pi-mcp list " +
                     text::shell_word(called->tool));
  }
  return unknown_command(words.front());
}

Result<tool::ToolRequest> LineTool::request() const {
  Result<tool::ToolRequest> request = request_of(line_);
  const CommandId id = line_.command()->id;
  if (!request || (id != CommandId::call && id != CommandId::describe)) {
    return request;
  }
  const std::vector<std::string>& words = line_.words();
  Result<CalledTool> called = this->called();
  if (!called) {
    return fail(called.error());
  }
  if (std::optional<Error> misspelt = misspelt_server(*called)) {
    return fail(*std::move(misspelt));
  }
  if (id == CommandId::describe && called->words < words.size()) {
    return fail(ErrorCode::invalid_argument,
                "describe takes one tool, but got \"" + words[called->words] + "\". " +
                    see_help(line_.command()));
  }
  request->subject = called->tool;
  if (request->server.empty()) {
    request->server = called->server;
    return request;
  }
  if (std::optional<Error> two = two_servers(*called, request->server)) {
    return fail(*std::move(two));
  }
  return request;
}

// `fiels read_file`: the first word is nothing, and the second a tool of the server that is meant.
std::optional<Error> LineTool::misspelt_server(const CalledTool& called) const {
  const std::vector<std::string>& words = line_.words();
  const ToolNames names = names_of(session_);
  if (called.words != 1 || words.size() < 2 || called.is_known(names)) {
    return std::nullopt;
  }
  const std::string nearest = tool::nearest_server(session_.settings(), words.front());
  return nearest.empty() || !names.is_tool(nearest, words[1])
             ? std::nullopt
             : std::optional(unknown_server(session_.settings(), words.front()));
}

// A server that there is not is named by who looks for it.
std::optional<Error> LineTool::two_servers(const CalledTool& called,
                                           const std::string& server) const {
  const ToolNames names = names_of(session_);
  const CalledTool named = called.server.empty() ? divided_tool(called.tool, names) : called;
  const bool is_its_own = called.server.empty() && names.is_tool(server, called.tool);
  if (named.server.empty() || named.server == server || is_its_own || !names.is_server(server)) {
    return std::nullopt;
  }
  return Error(ErrorCode::not_found,
               "the tool names the server \"" + named.server + "\", but --server says \"" + server +
                   "\": leave --server out, or write \"" + server + "." + named.tool + "\"");
}

bool LineTool::wants_schema() const {
  const std::vector<std::string>& words = line_.words();
  const Result<CalledTool> called = this->called();
  if (!called || called->has_brackets || called->words == words.size()) {
    return called && !called->in_brackets.empty();
  }
  const std::string_view first = text::trim(words[called->words]);
  return !first.starts_with('{') && !first.starts_with('@') && first != "-";
}

Result<std::string> LineTool::arguments(const SharedText& input_schema,
                                        const std::string& stdin_text) const {
  const std::vector<std::string>& words = line_.words();
  const Result<CalledTool> called = this->called();
  if (!called) {
    return fail(called.error());
  }
  const Result<json::Document> document = json::Document::parse(input_schema);
  const json::Value schema = document ? document->root() : json::Value();
  const Result<std::vector<GivenArgument>> given =
      called->has_brackets
          ? arguments_in_brackets(called->in_brackets)
          : given_arguments(std::span(words).subspan(called->words), parameters_of(schema));
  if (!given) {
    return fail(given.error());
  }
  return tool_arguments(*given, schema, [&stdin_text](const std::string& path) {
    return path == "-" ? Result<std::string>(stdin_text) : read_input(path);
  });
}

catalog::Lookup LineTool::look_up(const tool::ToolRequest& request) const {
  return session_.catalog().find(request.subject, request.server, [this](std::string_view server) {
    return is_enabled(server);
  });
}

ToolNames names_of(const gateway::Session& session) {
  const auto is_enabled = [&session](std::string_view server) {
    const config::Server* configured = session.settings().find(server);
    return configured != nullptr && !configured->disabled;
  };
  return {.is_server =
              [&session](const std::string& server) {
                return session.settings().find(server) != nullptr;
              },
          .is_tool =
              [&session, is_enabled](const std::string& server, const std::string& tool) {
                return session.catalog().find(tool, server, is_enabled).kind !=
                       catalog::Lookup::Kind::none;
              }};
}

bool LineTool::is_enabled(std::string_view server) const {
  const config::Server* configured = session_.settings().find(server);
  return configured != nullptr && !configured->disabled;
}

}  // namespace pi_mcp::cli
