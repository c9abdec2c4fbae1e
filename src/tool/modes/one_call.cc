#include "tool/modes/one_call.h"

#include "base/text.h"
#include "json/canonical.h"
#include "mcp/own_meta.h"
#include "registry/server_registry.h"
#include "schema/arguments.h"
#include "tool/call_facts.h"
#include "tool/resource_owners.h"
#include "tool/schema_cache.h"
#include "tool/text.h"

namespace pi_mcp::tool {

std::optional<Answer> Call::take_request(const ToolRequest& request) {
  is_direct_ = request.is_direct;
  whole_ = request.whole;
  origin_ = request.origin;
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
  const bool same_schema = json::is_same_value(fresh.schema.view(), target_.schema.view());
  const bool same_annotations =
      json::is_same_value(fresh.annotations.view(), target_.annotations.view());
  allowed_ = allowed_ && same_schema && same_annotations;
  target_ = std::move(fresh);
  return same_schema && same_annotations ? std::nullopt : take_request(request);
}

io::Task<std::optional<Answer>> Call::approve(CallContext context) {
  Result<ApprovalGate::Refusal> refusal =
      co_await parts_.gate->ask(target_, std::string(arguments()), origin_, std::move(context));
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
  return context.options(parts_.registry->deadlines(target_.server), parts_.registry);
}

void Call::tell_asked(const CallContext& context) const {
  if (context.on_asked) {
    context.on_asked((mode_ == Mode::read ? "reading " : "calling ") + target_.name);
  }
}

// No coroutine of its own: every frame on the way of a call costs an allocation.
io::Task<Result<rpc::Message>> Call::ask(servers::Connection& connection,
                                         const CallContext& context) const {
  tell_asked(context);
  return connection.call(std::string(method()), SharedText(params().flat()), options(context));
}

std::unique_ptr<servers::OpenCall> Call::begin(servers::Connection& connection,
                                               const CallContext& context,
                                               servers::Connection::Answered answered) const {
  tell_asked(context);
  return connection.begin_call(method(), params(), options(context), std::move(answered));
}

Answer Call::relay_error(const rpc::Message& answer) const {
  if (answer.is_substitute()) {
    return failed(Error(ErrorCode::protocol, answer.error().find("message").string_or("")));
  }
  const json::Value data = answer.error().find("data");
  std::string text = server_error_text(answer.error());
  if (const std::string line = era_line(*parts_.registry, target_.server, text); !line.empty()) {
    text += "\n" + line;
  }
  Answer refused = answer.error().find("code").as_int() == rpc::error_code::invalid_params
                       ? failed_with_shape(Failure::tool_error, text)
                       : failed(Failure::tool_error, text);
  if (data.raw().size() <= parts_.details_bytes_max) {
    refused.error_data = answer.share(data);
  }
  return refused;
}

// What is said of a failure that the server says nothing of; empty: it does.
std::string Call::reasonless(json::Value result) const {
  const json::Value content = result.find("content");
  const json::Value structured = result.find("structuredContent");
  const bool is_silent =
      (!content || content.is(json::Kind::null) || (content.is_array() && content.size() == 0)) &&
      (!structured || structured.is(json::Kind::null));
  return is_silent ? "Server " + quoted(target_.server) + " gave no reason why " +
                         quoted(target_.name) + " failed."
                   : "";
}

Answer Call::relay(const rpc::Message& answer) const {
  if (answer.kind() == rpc::Message::Kind::failure) {
    return relay_error(answer);
  }
  if (!answer.result().is_object()) {
    return failed(Failure::tool_error, "the server's answer is not a result");
  }
  parts_.owners->note(target_.server, answer.result());
  render::RawObject raw{.raw = answer.share(answer.result()), .root = answer.result()};
  json::Document cleaned;  // holds raw, where that is not the answer
  if (std::optional<std::string> text = mcp::without_own_meta(answer.result())) {
    raw.raw = SharedText(*std::move(text));
    cleaned = json::Document::parse(raw.raw).value_or(json::Document());
    raw.root = cleaned.root();
  }
  const bool is_error = !target_.is_resource() && raw.root.find("isError").bool_or(false);
  std::string note = is_error ? reasonless(raw.root) : "";
  for (const json::Value block : raw.root.find("content").elements()) {
    if (is_error && note.empty()) {
      note = era_line(*parts_.registry, target_.server, block.find("text").string_or(""));
    }
  }
  const render::HostKind host = whole_ ? render::HostKind::mcp : parts_.host;
  render::RelayLimits limits = whole_ ? render::RelayLimits::none() : parts_.limits;
  limits.keeps_structured |= is_direct_;
  render::Relayed relayed =
      target_.is_resource()
          ? render::relay_resource(
                raw,
                mode_ == Mode::read ? render::ResourceAs::resource : render::ResourceAs::text,
                {.host = host, .limits = limits},
                parts_.save_output)
          : render::relay_result(raw, host, limits, parts_.save_output, note);
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
  if (const auto said = users_auth_message(*parts_.registry, target_.server, error)) {
    return failed(Failure::unauthorized, *said);
  }
  return failed(failure_of(error.code()),
                told(error) + login_step(*parts_.registry, target_.server, error));
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

}  // namespace pi_mcp::tool
