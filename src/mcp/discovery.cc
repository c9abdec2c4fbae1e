#include "mcp/discovery.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "json/writer.h"
#include "mcp/task_poll.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {
namespace {

bool is_of_envelope(std::string_view member) {
  return member == "resultType" || member == "ttlMs" || member == "cacheScope";
}

std::string without_server_info(json::Value meta) {
  json::Writer out;
  out.begin_object();
  for (const json::Member member : meta.members()) {
    if (!member.key.equals(meta_key::server_info)) {
      out.member_raw(member.name(), member.value.raw());
    }
  }
  return out.end_object().take();
}

}  // namespace

std::string request_envelope(const ClientSession::Options& client, Revision revision) {
  json::Writer info;
  info.begin_object()
      .member("name", client.client_name)
      .member("version", client.client_version)
      .end_object();
  // Our own capability: tasks are followed here, whoever makes the call.
  const Result<json::Document> given = json::Document::parse_view(client.capabilities_json);
  json::Writer capabilities;
  capabilities.begin_object();
  if (given) {
    for (const auto [key, value] : given->root().members()) {
      capabilities.member_raw(key.string_or(""), value.raw());
    }
  }
  if (client.tasks) {
    capabilities.key("extensions").begin_object().member_raw(tasks_extension, "{}").end_object();
  }
  capabilities.end_object();
  json::Writer members;
  members.member(meta_key::protocol_version, name(revision))
      .member_raw(meta_key::client_info, info.text())
      .member_raw(meta_key::client_capabilities, capabilities.text());
  return members.take();
}

std::optional<Discovery> read_discovery(json::Value result) {
  const json::Value versions = result.find("supportedVersions");
  if (!versions.is_array()) {
    return std::nullopt;
  }
  Discovery found;
  for (const json::Value version : versions.elements()) {
    const std::optional<Revision> revision = parse_revision(version.string_or(""));
    if (revision && traits(*revision).has_handshake) {
      found.has_handshake = true;
    } else if (revision) {
      found.revision = std::max(found.revision, revision);
    }
  }
  // Servers that were written before the revision was final have it in the body.
  json::Value info = result.find("_meta").find(meta_key::server_info);
  if (!info.is_object()) {
    info = result.find("serverInfo");
  }
  found.server = describe_server(info, result);
  found.server.revision = found.revision.value_or(newest_by_discovery);
  return found;
}

Result<rpc::Message> without_envelope(rpc::Message answer) {
  const json::Value result = answer.result();
  bool has_any = false;
  json::Writer out;
  out.begin_object();
  for (const json::Member member : result.members()) {
    const std::string name = member.name();
    const bool has_info = name == "_meta" && member.value.find(meta_key::server_info);
    const std::string meta = has_info ? without_server_info(member.value) : std::string();
    has_any = has_any || has_info || is_of_envelope(name);
    if (has_info && meta != "{}") {
      out.member_raw(name, meta);
    } else if (!has_info && !is_of_envelope(name)) {
      out.member_raw(name, member.value.raw());
    }
  }
  if (!has_any) {
    return answer;
  }
  return rpc::Message::parse(
      rpc::result(answer.id(), rpc::Outgoing(out.end_object().take())).flat());
}

ResultType result_type(json::Value result) {
  const json::Value type = result.find("resultType");
  if (!type.exists()) {
    return result.find("inputRequests").is_object() ? ResultType::input_required
                                                    : ResultType::complete;
  }
  if (type.equals("complete")) {
    return ResultType::complete;
  }
  if (type.equals("input_required")) {
    return ResultType::input_required;
  }
  return type.equals("task") ? ResultType::task : ResultType::unknown;
}

}  // namespace pi_mcp::mcp
