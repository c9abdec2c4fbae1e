#include "cli/request.h"

#include <optional>

#include "base/text.h"

namespace pi_mcp::cli {
namespace {

Result<gateway::ToolRequest> list_request(const CommandLine& line) {
  gateway::ToolRequest request;
  const std::string server = line.words().empty() ? "" : line.words().front();
  if (!line.has(OptionId::instructions)) {
    request.server = server;
    request.limit = list_limit;
    return request;
  }
  if (server.empty()) {
    return fail(ErrorCode::invalid_argument,
                "--instructions needs a server: pi-mcp list SERVER --instructions");
  }
  request.instructions = server;
  return request;
}

Result<gateway::ToolRequest> search_request(const CommandLine& line) {
  gateway::ToolRequest request;
  request.has_search = true;
  request.search = text::join(line.words(), " ");
  request.server = line.value(OptionId::server).value_or("");
  request.regex = line.has(OptionId::regex);
  request.include_schemas = !line.has(OptionId::no_schemas);
  request.explain = line.has(OptionId::explain);
  const Result<std::optional<std::size_t>> limit = count_option(line, OptionId::limit, 1);
  if (!limit) {
    return fail(limit.error());
  }
  const Result<std::optional<std::size_t>> offset = count_option(line, OptionId::offset, 0);
  if (!offset) {
    return fail(offset.error());
  }
  request.limit = *limit;
  request.offset = offset->value_or(0);
  return request;
}

}  // namespace

Result<gateway::ToolRequest> request_of(const CommandLine& line) {
  switch (line.command()->id) {
    case CommandId::list:
      return list_request(line);
    case CommandId::search:
      return search_request(line);
    default:
      break;
  }
  gateway::ToolRequest request;
  const bool call = line.command()->id == CommandId::call;
  if (call || line.command()->id == CommandId::describe) {
    (call ? request.tool : request.describe) = line.words().front();
    request.server = line.value(OptionId::server).value_or("");
  }
  return request;
}

}  // namespace pi_mcp::cli
