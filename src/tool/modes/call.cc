#include "tool/modes/call.h"

#include <optional>

#include "base/text.h"
#include "io/loop/clock.h"
#include "io/loop/task_group.h"
#include "mcp/methods.h"
#include "registry/search_index.h"
#include "registry/server_registry.h"
#include "schema/arguments.h"
#include "tool/answer.h"
#include "tool/call_facts.h"
#include "tool/consent/approval_gate.h"
#include "tool/failures.h"
#include "tool/first_use.h"
#include "tool/lookup.h"
#include "tool/modes/one_call.h"
#include "tool/resource_owners.h"
#include "tool/schema_cache.h"
#include "tool/text.h"
#include "tool/url_elicitation.h"

namespace pi_mcp::tool {
namespace {

// Updates the call to the tool as its server lists it now: it may be gone, or want other arguments
// than the cache knew.
tl::expected<void, Answer> take_fresh(const LookupParts& lookup, Call& call) {
  FoundTarget fresh = find_again(*lookup.mode->registry, *lookup.request, call.target());
  if (!fresh) {
    return tl::unexpected(std::move(fresh.error()));
  }
  std::optional<Answer> refused = call.retarget(*std::move(fresh), *lookup.request);
  if (refused) {
    return tl::unexpected(*std::move(refused));
  }
  return {};
}

io::Task<tl::expected<void, Answer>> start_server(LookupParts lookup, Call* call) {
  const std::string server = call->target().server;
  tl::expected<void, Answer> started = co_await start_for_call(lookup, server);
  if (started) {
    started = take_fresh(lookup, *call);
  }
  if (started && !lookup.mode->registry->connected(server)) {
    co_return tl::unexpected(
        call->failed({ErrorCode::unavailable, "the server ended right after its start"}));
  }
  co_return started;
}

// Starts the server. Afterwards the tool may be different from the one the user allowed.
io::Task<std::optional<Answer>> start_and_ask(LookupParts lookup, Call* call) {
  while (!lookup.mode->registry->connected(call->target().server)) {
    tl::expected<void, Answer> started = co_await start_server(lookup, call);
    if (!started) {
      co_return std::move(started.error());
    }
    if (call->needs_approval()) {
      if (std::optional<Answer> refused = co_await call->approve(*lookup.context)) {
        co_return refused;
      }
    }
  }
  co_return std::nullopt;
}

// For arguments that do not fit a schema that may be out of date: asks the server for the new one.
io::Task<tl::expected<void, Answer>> learn_again(LookupParts lookup, Call* call) {
  const std::shared_ptr<servers::Connection> connection =
      lookup.mode->registry->connected(call->target().server);
  if (!connection) {
    co_return co_await start_server(lookup, call);
  }
  const Result<void> read = co_await connection->refresh();
  if (!read && read.error().code() == ErrorCode::cancelled) {
    co_return tl::unexpected(call->failed(read.error()));
  }
  co_return take_fresh(lookup, *call);
}

// `refused` because of the arguments. nullopt: they fit what the tool takes now.
io::Task<std::optional<Answer>> reconsider(LookupParts lookup, Call* call, Answer refused) {
  if (!lookup.mode->registry->has_stale_lists(call->target().server)) {
    co_return refused;
  }
  tl::expected<void, Answer> learned = co_await learn_again(lookup, call);
  co_return learned ? call->take_request(*lookup.request)
                    : std::optional<Answer>(std::move(learned.error()));
}

// The server does not have the tool that it has listed: it is a newer one, and perhaps cannot tell.
// Nothing was done, and nothing else is called for it: what is there now is said.
io::Task<Answer> unknown_to_server(LookupParts lookup,
                                   const Call* call,
                                   const rpc::Message* answer) {
  const std::string& server = call->target().server;
  co_await wait_for_lists(
      lookup.mode->registry, {server}, [] { return false; }, io::now() + lookup.mode->first_wait);
  const bool is_listed =
      find_again(*lookup.mode->registry, *lookup.request, call->target()).has_value();
  co_return is_listed ? call->relay(*answer) : not_found(lookup, server);
}

class RunningCall final : public QuickCall {
 public:
  RunningCall(const ModeParts& parts, Target&& target, Ended&& ended)
      : parts_(parts), call_(parts, std::move(target)), ended_(std::move(ended)) {}

  // False: it needs a task.
  bool begin(std::shared_ptr<servers::Connection> connection,
             const ToolRequest& request,
             const CallContext& context) {
    if (!connection || call_.take_request(request) || call_.needs_approval()) {
      return false;
    }
    connection_ = std::move(connection);
    open_ = call_.begin(*connection_, context, [this](Result<rpc::Message>&& answer) {
      on_answer(std::move(answer));
    });
    context_.host = context.host;
    context_.on_phase = context.on_phase;
    return open_ != nullptr;
  }

  [[nodiscard]] const Target& target() const { return call_.target(); }

  io::Task<Answer> finish() override {
    if (auto pages = url_elicitations(**answer_); !pages.empty()) {
      return call_.show(std::move(pages), connection_, context_);
    }
    request_.subject = call_.target().name;
    return unknown_to_server(
        {.mode = &parts_, .request = &request_, .context = &context_}, &call_, &**answer_);
  }

 private:
  // Ends the call last, since that may destroy this.
  void on_answer(Result<rpc::Message>&& answer) {
    const Ended ended = std::move(ended_);
    ended(result_of(std::move(answer)));
  }

  // nullopt: it needs a task. Memory may end here, and the host must hear of that too.
  std::optional<Answer> result_of(Result<rpc::Message>&& answer) {
    try {
      if (answer && (!url_elicitations(*answer).empty() || call_.is_unknown(*answer))) {
        answer_ = std::move(answer);
        return std::nullopt;
      }
      return answer ? call_.relay(*answer) : call_.failed(answer.error());
    } catch (const std::exception& escaped) {
      return call_.failed({ErrorCode::unavailable, io::escaped_text(escaped.what())});
    }
  }

  const ModeParts& parts_;
  Call call_;
  std::shared_ptr<servers::Connection> connection_;
  std::unique_ptr<servers::OpenCall> open_;
  CallContext context_;
  ToolRequest request_;  // for finish(); what was asked for is in call_
  Ended ended_;
  std::optional<Result<rpc::Message>> answer_;  // which asks for more
};

// Why the server is not called at all.
io::Task<std::optional<Answer>> refusal(LookupParts lookup, Call* call) {
  std::optional<Answer> refused = call->take_request(*lookup.request);
  if (refused) {
    refused = co_await reconsider(lookup, call, *std::move(refused));
  }
  if (!refused && call->needs_approval()) {
    refused = co_await call->approve(*lookup.context);
  }
  co_return refused;
}

}  // namespace

std::unique_ptr<QuickCall> begin_quick_call(const ModeParts* parts,
                                            const ToolRequest& request,
                                            const CallContext& context,
                                            QuickCall::Ended ended) {
  std::optional<FoundTarget> found =
      find_known({.mode = parts, .request = &request, .context = &context});
  if (!found || !*found) {
    return nullptr;
  }
  auto running = std::make_unique<RunningCall>(*parts, **std::move(found), std::move(ended));
  std::shared_ptr<servers::Connection> connection =
      parts->registry->connected(running->target().server);
  return running->begin(std::move(connection), request, context) ? std::move(running) : nullptr;
}

io::Task<Answer> run_call(ModeParts* parts, ToolRequest request, CallContext context) {
  const LookupParts lookup{.mode = parts, .request = &request, .context = &context};
  std::optional<FoundTarget> found = find_known(lookup);
  if (!found && request.is_of_host && request.server.empty()) {
    co_return host_tool(request.subject).take();
  }
  if (!found && likely_servers(*parts->registry, request).empty()) {
    const auto known = [&lookup] {
      return find_known(lookup).has_value();
    };
    const TimePoint deadline = io::now() + parts->first_wait;
    co_await wait_for_lists(parts->registry, {}, known, deadline);
    if (!known()) {
      co_await wait_for_unknown(parts, "", context, known, deadline);
    }
    found = find_known(lookup);
  }
  if (!found) {
    found = co_await find_by_starting(lookup);
  }
  if (!*found) {
    co_return std::move(found->error());
  }
  co_return co_await call_target(parts, std::move(request), std::move(context), **std::move(found));
}

io::Task<Answer> call_target(ModeParts* parts,
                             ToolRequest request,
                             CallContext context,
                             Target target) {
  const registry::ServerRegistry& registry = *parts->registry;
  const LookupParts lookup{.mode = parts, .request = &request, .context = &context};
  Call call(*parts, std::move(target), request.mode);
  if (std::optional<Answer> refused = co_await refusal(lookup, &call)) {
    co_return *std::move(refused);
  }
  for (bool again = false;; again = true) {
    std::shared_ptr<servers::Connection> connection = registry.connected(call.target().server);
    if (!connection) {
      if (std::optional<Answer> hindered = co_await start_and_ask(lookup, &call)) {
        co_return *std::move(hindered);
      }
      connection = registry.connected(call.target().server);
    }
    const Result<rpc::Message> answer = co_await call.ask(*connection, context);
    if (answer) {
      if (auto pages = url_elicitations(*answer); !pages.empty()) {
        co_return co_await call.show(std::move(pages), std::move(connection), std::move(context));
      }
      if (call.is_unknown(*answer)) {
        co_return co_await unknown_to_server(lookup, &call, &*answer);
      }
      co_return call.relay(*answer);
    }
    // Repeated only once, and only when no server can have seen it.
    if (again || answer.error().code() != ErrorCode::io) {
      co_return call.failed(answer.error());
    }
  }
}

}  // namespace pi_mcp::tool
