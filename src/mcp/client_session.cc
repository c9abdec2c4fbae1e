#include "mcp/client_session.h"

#include <optional>
#include <utility>

#include "base/text.h"
#include "json/writer.h"
#include "mcp/lists.h"

namespace pi_mcp::mcp {
namespace {

// How much of a server's own words our messages quote; more would hide the rest.
constexpr std::size_t error_units_max = 500;

ServerCapabilities read_capabilities(json::Value capabilities) {
  const json::Value tools = capabilities.find("tools");
  const json::Value resources = capabilities.find("resources");
  const json::Value prompts = capabilities.find("prompts");
  return {
      .tools = tools.is_object(),
      .tools_list_changed = tools.find("listChanged").bool_or(false),
      .resources = resources.is_object(),
      .resources_list_changed = resources.find("listChanged").bool_or(false),
      .resources_subscribe = resources.find("subscribe").bool_or(false),
      .prompts = prompts.is_object(),
      .prompts_list_changed = prompts.find("listChanged").bool_or(false),
      .logging = capabilities.find("logging").is_object(),
      .completions = capabilities.find("completions").is_object(),
  };
}

std::string compact_object(json::Value value) {
  return value.is_object() ? json::compact(value) : "{}";
}

// The newest revision of ours in the `supported` list of an error about versions.
std::optional<Revision> newest_common(json::Value error) {
  std::optional<Revision> newest;
  for (const json::Value entry : error.at({"data", "supported"}).elements()) {
    const std::optional<Revision> revision = parse_handshake_revision(entry.string_or(""));
    if (revision && (!newest || *revision > *newest)) {
      newest = revision;
    }
  }
  return newest;
}

}  // namespace

ServerDescription describe_server(json::Value info, json::Value result) {
  return {
      .name = info.find("name").string_or(""),
      .title = info.find("title").string_or(""),
      .version = info.find("version").string_or(""),
      .instructions = text::cut(result.find("instructions").string_or(""), instructions_units_max),
      .info_json = compact_object(info),
      .capabilities_json = compact_object(result.find("capabilities")),
      .capabilities = read_capabilities(result.find("capabilities")),
  };
}

std::string error_text(json::Value error) {
  std::string text =
      text::cut(text::printable_line(error.find("message").string_or("")), error_units_max);
  if (text.empty()) {
    text = error.is_string() ? text::cut(text::printable_line(error.string_or("")), error_units_max)
                             : "no message";
  }
  const json::Value code = error.find("code");
  return code.is(json::Kind::number) ? text + " (code " + std::string(code.raw()) + ")" : text;
}

SharedText ClientSession::initialize_params() {
  phase_ = Phase::initializing;
  json::Writer writer;
  writer.begin_object()
      .member("protocolVersion", name(asked_))
      .member_raw("capabilities", options_.capabilities_json)
      .key("clientInfo")
      .begin_object()
      .member("name", options_.client_name)
      .member("version", options_.client_version)
      .end_object()
      .end_object();
  return SharedText(writer.take());
}

Result<ClientSession::Next> ClientSession::on_answer(const rpc::Message& answer) {
  Result<Next> next = answer.kind() == rpc::Message::Kind::failure ? on_failure(answer.error())
                                                                   : on_result(answer.result());
  if (!next) {
    phase_ = Phase::refused;
  }
  return next;
}

Result<ClientSession::Next> ClientSession::on_failure(json::Value error) {
  const std::optional<Revision> common = newest_common(error);
  if (common && *common != asked_ && !asked_again_) {
    asked_ = *common;
    asked_again_ = true;
    return Next::ask_again;
  }
  const json::Value supported = error.at({"data", "supported"});
  if (supported.size() > 0 && !common) {
    return fail(ErrorCode::protocol,
                "the server speaks only protocol versions " +
                    text::cut(text::printable(supported.raw()), error_units_max) +
                    ", pi-mcp speaks " + handshake_revisions_text());
  }
  return fail(ErrorCode::protocol, "the server refused: " + error_text(error));
}

Result<ClientSession::Next> ClientSession::on_result(json::Value result) {
  const json::Value version = result.find("protocolVersion");
  if (!version.is_string()) {
    return fail(ErrorCode::protocol,
                "the server's answer has no protocolVersion; is this an MCP server?");
  }
  const Result<Revision> revision = accept_revision(version.string_or(""));
  if (!revision) {
    return fail(revision.error());
  }
  server_ = describe_server(result.find("serverInfo"), result);
  server_.revision = *revision;
  phase_ = Phase::ready;
  return Next::announce;
}

}  // namespace pi_mcp::mcp
