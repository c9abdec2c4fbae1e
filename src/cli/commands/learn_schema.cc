#include "cli/commands/learn_schema.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/words/request.h"
#include "json/document.h"

namespace pi_mcp::cli {
namespace {

using tool::Answer;
using tool::ToolRequest;

// The process that runs the call is asked: what it has learnt may not be in the cache, yet or at
// all.
io::Task<LearnedSchema> ask_for_schema(Performer* performer, ToolRequest request) {
  request.mode = tool::Mode::describe;
  Answer described = co_await performer->perform(std::move(request));
  if (described.is_error()) {
    described.mode = tool::Mode::call;
    co_return LearnedSchema{.input_schema = {}, .failure = std::move(described)};
  }
  const std::string text = details_of(described, tool::Reader::shell);
  const Result<json::Document> details = json::Document::parse_view(text);
  const json::Value schema = details ? details->root().at({"tool", "inputSchema"}) : json::Value();
  co_return LearnedSchema{.input_schema = SharedText(std::string(schema.raw())), .failure = {}};
}

std::vector<std::string> servers_to_ask(const Performer& performer,
                                        const LineTool& line,
                                        const ToolRequest& request) {
  std::vector<std::string> servers{request.server};
  if (request.server.empty()) {
    servers = performer.session().catalog().servers_by_prefix(request.subject);
  }
  std::erase_if(servers, [&line](const std::string& server) { return !line.is_enabled(server); });
  return servers;
}

}  // namespace

io::Task<LearnedSchema> learn_schema(Performer* performer, LineTool line, ToolRequest request) {
  LearnedSchema learned;
  const bool is_known = line.knows(request);
  const std::vector<std::string> servers =
      is_known ? std::vector<std::string>() : servers_to_ask(*performer, line, request);
  for (const std::string& server : servers) {
    Answer answer = co_await performer->perform(connect_request(server));
    if (line.knows(request) || performer->stopped()) {
      learned.failure.reset();
      break;
    }
    if (answer.is_error() && !learned.failure) {
      learned.failure = std::move(answer);
    } else if (!answer.is_error() && performer->is_shared()) {
      LearnedSchema asked = co_await ask_for_schema(performer, request);
      if (!asked.failure) {
        co_return asked;
      }
    }
  }
  if (const catalog::CatalogTool* const tool = line.look_up(request).tool) {
    learned.input_schema = tool->input_schema;
  } else if (servers.empty() && performer->is_shared() && !performer->stopped()) {
    learned = co_await ask_for_schema(performer, std::move(request));
  }
  co_return learned;
}

}  // namespace pi_mcp::cli
