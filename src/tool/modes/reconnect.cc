// mcp({ action: "reconnect", server? }): ends and starts one server, or every enabled one.
#include "base/count_text.h"
#include "tool/answer.h"
#include "tool/call_context.h"
#include "tool/failures.h"
#include "tool/mode_parts.h"
#include "tool/modes/logins.h"

namespace pi_mcp::tool {
namespace {

struct ReconnectFacts final : Facts {
  struct Outcome {
    std::string server;
    std::size_t tools = 0;
    Message error;  // empty: it is connected
  };
  std::vector<Outcome> outcomes;

  [[nodiscard]] Message text() const override {
    Message text;
    for (const Outcome& outcome : outcomes) {
      text += text.empty() ? "" : "\n";
      text += outcome.error.empty() ? "\u2713 " + outcome.server + ": reconnected (" +
                                          text::count_text(outcome.tools, "tool") + ")"
                                    : "\u2717 " + outcome.server + ": " + outcome.error;
    }
    return text.empty() ? Message("No MCP servers configured") : text;
  }
  void write_details(json::Writer& /*out*/) const override {}
};

}  // namespace

io::Task<Answer> run_reconnect(ModeParts* parts, ToolRequest request, CallContext context) {
  registry::ServerRegistry& registry = *parts->registry;
  co_await parts->logins->settle(request.subject);
  if (!request.subject.empty() && registry.find(request.subject) == nullptr) {
    co_return unknown_server(Mode::reconnect, registry, request.subject).take();
  }
  if (!request.subject.empty() && !registry.is_enabled(request.subject)) {
    co_return disabled_server(Mode::reconnect, registry, request.subject).take();
  }
  ReconnectFacts facts;
  Failure failure = Failure::none;
  std::vector<std::string> servers = registry.enabled_servers();
  if (!request.subject.empty()) {
    servers = {request.subject};
  }
  for (const std::string& server : servers) {
    context.phase("reconnecting to " + server);
    const Result<std::shared_ptr<servers::Connection>> connection =
        co_await registry.reopen(server);
    Message error;
    if (!connection) {
      error = connection.error().message() + remedy_step(connection.error().remedy().get());
    }
    facts.outcomes.push_back({.server = server,
                              .tools = registry.catalog().tools(server).size(),
                              .error = std::move(error)});
    failure = connection ? failure : failure_of(connection.error().code());
  }
  Answer answer = answer_of(Mode::reconnect, std::move(facts));
  answer.failure = failure;
  answer.code = failure == Failure::none ? "" : "reconnect_failed";
  co_return answer;
}

}  // namespace pi_mcp::tool
