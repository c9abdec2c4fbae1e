#include "host/methods.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "host/result_writer.h"
#include "json/writer.h"
#include "mcp/methods.h"
#include "mcp/server/server_session.h"
#include "tool/completion.h"
#include "tool/definition.h"
#include "tool/failures.h"
#include "tool/forward.h"
#include "tool/introduction.h"
#include "tool/request.h"
#include "tool/sharing/carried_answer.h"

namespace pi_mcp::host {
namespace {

constexpr std::size_t shown_units_max = 128;  // of a name that we do not have

rpc::Outgoing result(const rpc::Message& request, std::string_view result_json) {
  return rpc::result(request.id(), rpc::Outgoing(std::string(result_json)));
}

rpc::Outgoing list_tools(gateway::Session& session, const rpc::Message& request) {
  return tool::cursor_of(request) ? tool::foreign_cursor(request)
                                  : result(request, session.direct_tools().list_result());
}

// What our extension says of a call; nobody else does.
constexpr std::string_view call_key = "pi-mcp/call";

void read_call_meta(const rpc::Message& message, tool::ToolRequest& request) {
  const json::Value said = message.params().at({"_meta", call_key});
  request.whole = said.find("whole").bool_or(false);
  request.is_of_host = said.find("isOfHost").bool_or(false);
  request.origin = said.find("origin").string_or("");
}

bool is_manage(const gateway::Session& session, const rpc::Message& request) {
  return session.reader() != tool::Reader::model &&
         request.params().find("name").equals(tool::manage_tool_name());
}

rpc::Outgoing unknown_tool(gateway::Session& session, const rpc::Message& request) {
  const json::Value name = request.params().find("name");
  const std::string shown = name.is_string()
                                ? json::quoted(text::cut(name.string_or(""), shown_units_max))
                            : name ? text::cut(std::string(name.raw()), shown_units_max)
                                   : "(no name)";
  const std::string_view next = session.direct_tools().offers_mcp()
                                    ? "\"mcp\" finds and calls every tool"
                                    : "tools/list has them all";
  return rpc::failure(request.id(),
                      rpc::error_code::invalid_params,
                      "unknown tool " + shown + "; " + std::string(next));
}

// A call of a direct tool is the call that `mcp` would make. `message` outlives the request.
// Otherwise the reply that says what is wrong.
tl::expected<tool::ToolRequest, rpc::Outgoing> read_call(gateway::Session& session,
                                                         const rpc::Message& message,
                                                         bool with_details) {
  const json::Value arguments = message.params().find("arguments");
  const json::Value called = message.params().find("name");
  const auto refused = [&](const tool::RequestError& error) {
    return tl::unexpected(
        call_reply(session, message.id(), tool::refused_request(error), with_details));
  };
  if (const std::optional<bool> may_write = session.direct_tools().may_write(called)) {
    auto request = tool::parse_tool_request(message, arguments);
    if (!request) {
      return refused(request.error());
    }
    const json::Value args = arguments.find("args");
    request->args_value = args.is_object() ? args : request->args_value;
    request->may_write = *may_write;
    read_call_meta(message, *request);
    return *std::move(request);
  }
  tool::ToolRequest request;
  request.mode = tool::Mode::call;
  request.is_direct = true;
  request.subject = called.string_or("");
  const std::string* const server = session.direct_tools().server_of(request.subject);
  if (server == nullptr) {
    return tl::unexpected(unknown_tool(session, message));
  }
  if (arguments && !arguments.is_object()) {
    return refused(
        {.code = "invalid_args_type", .message = "The arguments of a tool are a JSON object."});
  }
  request.server = *server;
  if (arguments) {
    request.args = message.share(arguments);
    request.args_value = arguments;
  }
  read_call_meta(message, request);
  return request;
}

io::Task<rpc::Outgoing> call_tool(gateway::Session* session,
                                  rpc::Message message,
                                  tool::CallContext context) {
  const bool with_details = context.wants_details;
  if (is_manage(*session, message)) {
    const tool::Answer answer =
        co_await session->manage(message.params().find("arguments"), std::move(context));
    co_return call_reply(*session, message.id(), answer, with_details);
  }
  auto request = read_call(*session, message, with_details);
  if (!request) {
    co_return std::move(request.error());
  }
  const tool::Answer answer = co_await session->run(*std::move(request), std::move(context));
  co_return call_reply(*session, message.id(), answer, with_details);
}

std::unique_ptr<tool::QuickCall> begin_call(gateway::Session& session,
                                            const rpc::Message& message,
                                            const tool::CallContext& context,
                                            tool::QuickCall::Ended ended) {
  if (is_manage(session, message)) {
    return nullptr;
  }
  const auto request = read_call(session, message, context.wants_details);
  return request ? session.begin_quick_call(*request, context, std::move(ended)) : nullptr;
}

rpc::Outgoing list_prompts(gateway::Session& session, const rpc::Message& request) {
  return tool::cursor_of(request) ? tool::foreign_cursor(request)
                                  : result(request, session.prompts().list_result());
}

io::Task<rpc::Outgoing> get_prompt(gateway::Session* session,
                                   rpc::Message request,
                                   tool::CallContext context) {
  co_return co_await session->prompts().get(&request, std::move(context));
}

rpc::Outgoing list_resources(gateway::Session& session, const rpc::Message& request) {
  return session.resources().list(request);
}

io::Task<rpc::Outgoing> read_resource(gateway::Session* session,
                                      rpc::Message request,
                                      tool::CallContext context) {
  co_return co_await session->resources().read(&request, std::move(context));
}

io::Task<rpc::Outgoing> complete(gateway::Session* session,
                                 rpc::Message request,
                                 tool::CallContext context) {
  co_return co_await tool::complete(session->completion(), &request, std::move(context));
}

namespace method = mcp::method;
using mcp::ServerSession;
using Has = mcp::DeclaredCapabilities;
using enum mcp::UpwardMethod::Since;
using enum mcp::UpwardMethod::By;
using enum mcp::UpwardMethod::In;

// What is called most stands first.
constexpr std::array table = {
    HostMethod{
        .row = {.name = method::tools_call, .may_ask = true, .needs = &Has::tools, .by = server},
        .serve = call_tool,
        .begin = begin_call},
    HostMethod{
        .row = {.name = method::tools_list, .is_cached = true, .needs = &Has::tools, .by = us},
        .answer = list_tools},
    HostMethod{.row = {.name = method::ping,
                       .since = handshake,
                       .in = handshake_only,
                       .by = protocol,
                       .protocol = &ServerSession::ping}},
    HostMethod{.row = {.name = method::initialize,
                       .since = handshake,
                       .in = handshake_only,
                       .by = protocol,
                       .protocol = &ServerSession::initialize}},
    HostMethod{.row = {.name = method::server_discover,
                       .in = discovery_only,
                       .by = protocol,
                       .protocol = &ServerSession::discover}},
    HostMethod{
        .row = {.name = method::subscriptions_listen, .in = discovery_only, .by = listening}},
    HostMethod{.row = {.name = method::logging_set_level,
                       .in = handshake_only,
                       .needs = &Has::logging,
                       .by = protocol,
                       .protocol = &ServerSession::set_log_level}},
    HostMethod{
        .row = {.name = method::prompts_list, .is_cached = true, .needs = &Has::prompts, .by = us},
        .answer = list_prompts},
    HostMethod{
        .row = {.name = method::prompts_get, .may_ask = true, .needs = &Has::prompts, .by = server},
        .serve = get_prompt},
    HostMethod{.row = {.name = method::resources_list,
                       .is_cached = true,
                       .needs = &Has::resources,
                       .by = us},
               .answer = list_resources},
    HostMethod{.row = {.name = method::resources_templates_list,
                       .is_cached = true,
                       .needs = &Has::resources,
                       .by = us},
               .answer = list_resources},
    HostMethod{.row = {.name = method::resources_read,
                       .may_ask = true,
                       .is_cached = true,
                       .needs = &Has::resources,
                       .by = server},
               .serve = read_resource},
    HostMethod{.row = {.name = method::resources_subscribe,
                       .in = handshake_only,
                       .needs = &Has::resources,
                       .by = server},
               .serve = subscribe},
    HostMethod{.row = {.name = method::resources_unsubscribe,
                       .in = handshake_only,
                       .needs = &Has::resources,
                       .by = us},
               .answer = unsubscribe},
    HostMethod{
        .row = {.name = method::completion_complete, .needs = &Has::completions, .by = server},
        .serve = complete},
};

}  // namespace

const HostMethod* find_method(std::string_view name) {
  const auto* const found =
      std::ranges::find(table, name, [](const HostMethod& method) { return method.row.name; });
  return found == table.end() ? nullptr : found;
}

std::string instructions(gateway::Session& session) {
  return session.direct_tools().offers_mcp()
             ? tool::introduction(session.settings(), session.catalog(), session.host_kind())
             : "";
}

io::Task<rpc::Outgoing> subscribe(gateway::Session* session,
                                  rpc::Message request,
                                  tool::CallContext context) {
  co_return co_await session->resources().subscribe(&request, std::move(context));
}

rpc::Outgoing unsubscribe(gateway::Session& session, const rpc::Message& request) {
  return session.resources().unsubscribe(request);
}

namespace {

// Who reads the text of an answer. A model that has direct tools alone cannot follow a step that is
// a call of `mcp`; the commands of the shell it can, or tell the user.
tool::Reader text_reader(gateway::Session& session) {
  const tool::Reader reader = session.reader();
  return reader == tool::Reader::model && !session.direct_tools().offers_mcp() ? tool::Reader::shell
                                                                               : reader;
}

}  // namespace

rpc::Outgoing call_reply(gateway::Session& session,
                         const rpc::Id& id,
                         const tool::Answer& answer,
                         bool with_details) {
  if (session.reader() == tool::Reader::shell) {
    return rpc::result(id,
                       tool::carry_answer(answer, session.text_of(answer, tool::Reader::shell)));
  }
  const std::string text =
      answer.passed.empty() ? session.text_of(answer, text_reader(session)) : std::string();
  return rpc::result(id, call_tool_result(answer, text, with_details));
}

}  // namespace pi_mcp::host
