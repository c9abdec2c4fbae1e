#include "tool/modes/call.h"

#include <optional>

#include "base/text.h"
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
#include "tool/resource_owners.h"
#include "tool/schema_cache.h"
#include "tool/text.h"
#include "tool/url_elicitation.h"

namespace pi_mcp::tool {
namespace {

// One call of a tool that was found.
class Call {
 public:
  // `mode` is call, or read for a resource by its uri.
  Call(const ModeParts& parts, Target&& target, Mode mode = Mode::call)
      : parts_(parts), target_(std::move(target)), mode_(mode) {}

  [[nodiscard]] const Target& target() const { return target_; }
  // Refuses what the request may not call, else checks and repairs the arguments; nullopt: they
  // fit.
  std::optional<Answer> take_request(const ToolRequest& request);
  // The fresh form of the target; its arguments are checked again when its schema has changed.
  std::optional<Answer> retarget(Target fresh, const ToolRequest& request);
  // Whether the user still has to be asked (approveTools) about the tool as it is now.
  [[nodiscard]] bool needs_approval() const {
    return !allowed_ && parts_.gate->must_ask_for(target_);
  }
  // Asks; nullopt: the call may run.
  io::Task<std::optional<Answer>> approve(CallContext context);
  // io: the connection was dead, and the server has seen nothing of the request. Both outlive the
  // task.
  io::Task<Result<rpc::Message>> ask(servers::Connection& connection,
                                     const CallContext& context) const;
  // Begins the call without a task, see servers::Connection.
  [[nodiscard]] std::unique_ptr<servers::OpenCall> begin(
      servers::Connection& connection,
      const CallContext& context,
      servers::Connection::Answered answered) const;
  [[nodiscard]] Answer relay(const rpc::Message& answer) const;
  // The server wants the user to open `pages`, which point into its answer, before it does more.
  [[nodiscard]] io::Task<Answer> show(std::vector<UrlElicitation> pages,
                                      std::shared_ptr<servers::Connection> connection,
                                      CallContext context) const;
  [[nodiscard]] Answer failed(const Error& error) const;

 private:
  std::optional<Answer> take_arguments(const ToolRequest& request);
  [[nodiscard]] rpc::Outgoing params() const;
  [[nodiscard]] std::string_view method() const {
    return target_.is_resource() ? mcp::method::resources_read : mcp::method::tools_call;
  }
  [[nodiscard]] servers::CallOptions options(const CallContext& context) const;
  [[nodiscard]] std::string_view arguments() const {
    return arguments_.empty() ? std::string_view("{}") : arguments_.view();
  }
  // What the server says of the tool; looked up only where it matters.
  [[nodiscard]] std::string_view description() const;
  [[nodiscard]] Answer wants_pages(std::string text,
                                   const std::vector<UrlElicitation>& pages) const;
  [[nodiscard]] Answer failed(Failure failure, const Message& message) const;
  [[nodiscard]] Answer failed_with_shape(Failure failure, const std::string& message) const;
  [[nodiscard]] Answer finish(Reply reply) const;

  const ModeParts& parts_;
  Target target_;
  Mode mode_;
  SharedText arguments_;  // checked and repaired; empty when none were given
  bool allowed_ = false;  // by the user, for target_ and arguments_
};

std::optional<Answer> Call::take_request(const ToolRequest& request) {
  if (request.may_write || parts_.gate->reads_only(target_)) {
    return take_arguments(request);
  }
  return finish(Reply(
      Mode::call,
      Failure::usage,
      "needs_mcp_write",
      quoted(target_.name) + " does not say that it only reads, so mcp does not call it. Use " +
          Message(NextStep{
              .mode = Mode::call, .subject = target_.name, .args = "{...}", .writes = true}) +
          "."));
}

std::optional<Answer> Call::take_arguments(const ToolRequest& request) {
  arguments_ = request.args;
  if (target_.schema.empty()) {
    return std::nullopt;
  }
  json::Value given = request.args_value;
  json::Document document;
  if (!given && !request.args.empty()) {
    auto parsed = json::Document::parse(request.args);
    if (!parsed) {
      return failed_with_shape(Failure::usage, parsed.error().message());
    }
    document = *std::move(parsed);
    given = document.root();
  }
  const schema::Schema& schema = parts_.schemas->compiled(target_.schema);
  Result<SharedText> checked = schema::check_arguments(schema, request.args, given);
  if (!checked) {
    checked = schema::check_arguments(schema, request.args, given, description());
  }
  if (!checked) {
    return failed_with_shape(Failure::usage, checked.error().message());
  }
  arguments_ = *std::move(checked);
  return std::nullopt;
}

std::string_view Call::description() const {
  for (const catalog::CatalogTool& tool : parts_.registry->catalog().tools(target_.server)) {
    if (tool.original == target_.tool && !tool.is_resource()) {
      return tool.description;
    }
  }
  return {};
}

std::optional<Answer> Call::retarget(Target fresh, const ToolRequest& request) {
  const bool same_schema = fresh.schema.view() == target_.schema.view();
  const bool same_annotations = fresh.annotations.view() == target_.annotations.view();
  allowed_ = allowed_ && same_schema && same_annotations;
  target_ = std::move(fresh);
  return same_schema && same_annotations ? std::nullopt : take_request(request);
}

io::Task<std::optional<Answer>> Call::approve(CallContext context) {
  Result<ApprovalGate::Refusal> refusal =
      co_await parts_.gate->ask(target_, std::string(arguments()), std::move(context));
  if (!refusal) {
    co_return failed(refusal.error());
  }
  allowed_ = refusal->code.empty();
  if (allowed_) {
    co_return std::nullopt;
  }
  co_return finish(
      Reply(Mode::call, Failure::unauthorized, refusal->code, std::move(refusal->text)));
}

io::Task<Answer> Call::show(std::vector<UrlElicitation> pages,
                            std::shared_ptr<servers::Connection> connection,
                            CallContext context) const {
  const std::string needs = "Server \"" + target_.server + "\" needs the user to open " +
                            (pages.size() == 1 ? "a page" : "pages") + " in a browser before \"" +
                            target_.name + "\" can run";
  if (const Result<void> checked = co_await check_pages(std::move(connection), pages); !checked) {
    co_return wants_pages(needs + ", which is refused: " + checked.error().message(), {});
  }
  const std::string by_hand = ". Ask the user to do that, then call again:";
  const bool may_ask = parts_.registry->settings().elicitation && context.host;
  if (!may_ask || !can_show(context.host->features(), pages)) {
    co_return wants_pages(needs + by_hand + page_lines(pages), pages);
  }
  context.phase("waiting for the user to open a page for " + target_.name);
  const Result<PagesAnswer> answer = co_await show_pages(context.host, target_.server, pages);
  if (!answer && answer.error().code() == ErrorCode::cancelled) {
    co_return failed(answer.error());
  }
  if (!answer) {
    co_return wants_pages(needs + ", and the user gave no answer (" + answer.error().message() +
                              ")" + by_hand + page_lines(pages),
                          pages);
  }
  co_return wants_pages(
      *answer == PagesAnswer::agreed
          ? needs + ". The user has agreed; call again once the user says that it is done."
          : needs + ", and the user did not agree to it.",
      pages);
}

Answer Call::wants_pages(std::string text, const std::vector<UrlElicitation>& pages) const {
  json::Writer wanted;
  wanted.begin_array();
  for (const UrlElicitation& page : pages) {
    wanted.raw(page.params.raw());
  }
  Reply reply(Mode::call, Failure::unauthorized, "url_elicitation_required", std::move(text));
  return finish(reply.with_json("elicitations", wanted.end_array().take()));
}

rpc::Outgoing Call::params() const {
  if (target_.is_resource()) {
    return rpc::Outgoing(R"({"uri":)" + json::quoted(target_.resource_uri) + "}");
  }
  const bool is_small = arguments_.size() < rpc::Outgoing::shared_bytes_min;
  std::string head;
  head.reserve((is_small ? arguments_.size() : 0) + target_.tool.size() + 32);
  head = R"({"name":)";
  json::append_quoted(head, target_.tool);
  head += R"(,"arguments":)";
  rpc::Outgoing params(std::move(head));
  if (arguments_.empty()) {
    params.add("{}");
  } else {
    params.add(arguments_);
  }
  params.add("}");
  return params;
}

servers::CallOptions Call::options(const CallContext& context) const {
  return context.options(parts_.registry->deadlines(target_.server));
}

// No coroutine of its own: every frame on the way of a call costs an allocation.
io::Task<Result<rpc::Message>> Call::ask(servers::Connection& connection,
                                         const CallContext& context) const {
  return connection.call(std::string(method()), SharedText(params().flat()), options(context));
}

std::unique_ptr<servers::OpenCall> Call::begin(servers::Connection& connection,
                                               const CallContext& context,
                                               servers::Connection::Answered answered) const {
  return connection.begin_call(method(), params(), options(context), std::move(answered));
}

Answer Call::relay(const rpc::Message& answer) const {
  if (answer.kind() == rpc::Message::Kind::failure) {
    const json::Value data = answer.error().find("data");
    const std::string text = server_error_text(answer.error());
    Answer refused = answer.error().find("code").as_int() == rpc::error_code::invalid_params
                         ? failed_with_shape(Failure::tool_error, text)
                         : failed(Failure::tool_error, text);
    if (data.raw().size() <= parts_.details_bytes_max) {
      refused.error_data = answer.share(data);
    }
    return refused;
  }
  if (!answer.result().is_object()) {
    return failed(Failure::tool_error, "the server's answer is not a result");
  }
  parts_.owners->note(target_.server, answer.result());
  const render::RawObject raw{.raw = answer.share(answer.result()), .root = answer.result()};
  render::Relayed relayed =
      target_.is_resource()
          ? render::relay_resource(
                raw,
                mode_ == Mode::read ? render::ResourceAs::resource : render::ResourceAs::text,
                {.host = parts_.host, .limits = parts_.limits},
                parts_.save_output)
          : render::relay_result(raw, parts_.host, parts_.limits, parts_.save_output);
  const bool is_error = !target_.is_resource() && raw.root.find("isError").bool_or(false);
  CallFacts facts;
  facts.server = target_.server;
  facts.tool = mode_ == Mode::read ? "" : target_.tool;
  facts.name = target_.name;
  facts.resource_uri = target_.resource_uri;
  facts.guard_json = std::move(relayed.guard_json);
  if (raw.raw.size() <= parts_.details_bytes_max) {
    facts.raw = raw.raw;
  } else {
    facts.omitted = {.bytes_max = parts_.details_bytes_max,
                     .bytes = raw.raw.size(),
                     .blocks = raw.root.find("content").size(),
                     .is_error = is_error};
  }
  Answer made = answer_of(mode_, std::move(facts));
  made.failure = is_error ? Failure::tool_error : Failure::none;
  made.code = is_error ? "tool_error" : "";
  made.passed = std::move(relayed.result);
  made.meta_slot = relayed.meta_slot;
  return made;
}

// The arguments are not to blame for these, so their shape would mislead.
Answer Call::failed(const Error& error) const {
  if (error.code() == ErrorCode::cancelled) {
    return finish(Reply(mode_,
                        Failure::cancelled,
                        "aborted",
                        "The call of \"" + target_.name + "\" was cancelled."));
  }
  return failed(failure_of(error.code()),
                short_error(error.message()) + login_step(*parts_.registry, target_.server, error));
}

Answer Call::failed(Failure failure, const Message& message) const {
  const bool reads = mode_ == Mode::read;
  return finish(Reply(mode_,
                      failure,
                      reads ? "read_failed" : "call_failed",
                      (reads ? "Failed to read " : "Failed to call tool: ") + target_.name +
                          " (server " + quoted(target_.server) + "): " + message));
}

Answer Call::failed_with_shape(Failure failure, const std::string& message) const {
  return failed(failure, short_error(message) + expected_parameters(target_.schema));
}

Answer Call::finish(Reply reply) const {
  if (mode_ == Mode::read) {
    return reply.with("server", target_.server).with("uri", echoed(target_.resource_uri)).take();
  }
  reply.with("server", target_.server).with("tool", target_.tool);
  return reply.with("canonicalTool", target_.name).take();
}

// Updates the call to the tool as its server lists it now: it may be gone, or want other arguments
// than the cache knew.
tl::expected<void, Answer> take_fresh(const LookupParts& lookup, Call& call) {
  FoundTarget fresh = find_again(*lookup.registry, *lookup.request, call.target());
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
  if (started && !lookup.registry->connected(server)) {
    co_return tl::unexpected(
        call->failed({ErrorCode::unavailable, "the server ended right after its start"}));
  }
  co_return started;
}

// Starts the server. Afterwards the tool may be different from the one the user allowed.
io::Task<std::optional<Answer>> start_and_ask(LookupParts lookup, Call* call) {
  while (!lookup.registry->connected(call->target().server)) {
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
      lookup.registry->connected(call->target().server);
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
  if (!lookup.registry->has_stale_lists(call->target().server)) {
    co_return refused;
  }
  tl::expected<void, Answer> learned = co_await learn_again(lookup, call);
  co_return learned ? call->take_request(*lookup.request)
                    : std::optional<Answer>(std::move(learned.error()));
}

class RunningCall final : public QuickCall {
 public:
  RunningCall(const ModeParts& parts, Target&& target, Ended&& ended)
      : call_(parts, std::move(target)), ended_(std::move(ended)) {}

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
    return call_.show(url_elicitations(**answer_), connection_, context_);
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
      if (answer && !url_elicitations(*answer).empty()) {
        answer_ = std::move(answer);
        return std::nullopt;
      }
      return answer ? call_.relay(*answer) : call_.failed(answer.error());
    } catch (const std::exception& escaped) {
      return call_.failed({ErrorCode::unavailable, io::escaped_text(escaped.what())});
    }
  }

  Call call_;
  std::shared_ptr<servers::Connection> connection_;
  std::unique_ptr<servers::OpenCall> open_;
  CallContext context_;
  Ended ended_;
  std::optional<Result<rpc::Message>> answer_;  // which asks for more
};

}  // namespace

std::unique_ptr<QuickCall> begin_quick_call(const ModeParts* parts,
                                            const ToolRequest& request,
                                            const CallContext& context,
                                            QuickCall::Ended ended) {
  std::optional<FoundTarget> found = find_known({.registry = parts->registry,
                                                 .index = parts->index,
                                                 .request = &request,
                                                 .context = &context});
  if (!found || !*found) {
    return nullptr;
  }
  auto running = std::make_unique<RunningCall>(*parts, **std::move(found), std::move(ended));
  std::shared_ptr<servers::Connection> connection =
      parts->registry->connected(running->target().server);
  return running->begin(std::move(connection), request, context) ? std::move(running) : nullptr;
}

io::Task<Answer> run_call(ModeParts* parts, ToolRequest request, CallContext context) {
  const LookupParts lookup{
      .registry = parts->registry, .index = parts->index, .request = &request, .context = &context};
  std::optional<FoundTarget> found = find_known(lookup);
  if (!found && parts->host == render::HostKind::pi && request.server.empty() &&
      is_pi_tool(request.subject)) {
    co_return pi_tool(request.subject).take();
  }
  if (!found && !names_a_server(lookup)) {
    co_await wait_for_unknown(
        parts, "", context, [&lookup] { return find_known(lookup).has_value(); });
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
  const LookupParts lookup{
      .registry = parts->registry, .index = parts->index, .request = &request, .context = &context};
  Call call(*parts, std::move(target), request.mode);
  std::optional<Answer> refused = call.take_request(request);
  if (refused) {
    refused = co_await reconsider(lookup, &call, *std::move(refused));
  }
  if (!refused && call.needs_approval()) {
    refused = co_await call.approve(context);
  }
  if (refused) {
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
      co_return call.relay(*answer);
    }
    // Repeated only once, and only when no server can have seen it.
    if (again || answer.error().code() != ErrorCode::io) {
      co_return call.failed(answer.error());
    }
  }
}

}  // namespace pi_mcp::tool
