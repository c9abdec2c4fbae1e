#include "endpoint/heads.h"

#include "base/ascii.h"
#include "endpoint/replies.h"
#include "mcp/discovery.h"
#include "mcp/revisions.h"

namespace pi_mcp::endpoint {

std::optional<std::string_view> header(const http::RequestHead& head, std::string_view name) {
  std::optional<std::string_view> found;
  for (const http::Header& each : head.headers) {
    if (ascii::is_same(each.name, name)) {
      if (found) {
        return std::nullopt;  // which one counts, nobody knows
      }
      found = each.value;
    }
  }
  return found;
}

bool has_unknown_version(const http::RequestHead& head) {
  const std::string_view version = head.find(version_header);
  return !version.empty() && !mcp::parse_revision(version);
}

rpc::Outgoing unknown_version(const rpc::Id& request) {
  return rpc::failure(request,
                      mcp::error_code::unsupported_version,
                      "unsupported protocol version in the header MCP-Protocol-Version",
                      R"({"supported":)" + mcp::revisions_json() + "}");
}

bool names_stateless(const http::RequestHead& head) {
  const auto revision = mcp::parse_revision(head.find(version_header));
  return revision && !mcp::traits(*revision).has_handshake;
}

transport::ClientStreams client_of(const http::RequestHead& head, const mcp::HostInfo& host) {
  return {.headers = {},
          .takes_events = accepts(head.find("Accept"), events_type),
          .begins_empty = mcp::traits(host.revision).begins_streams};
}

std::optional<io::HttpReply> refuse_head(const http::RequestHead& head) {
  if (head.method == "OPTIONS") {
    return std::nullopt;
  }
  if (head.method != "POST" && head.method != "GET" && head.method != "DELETE") {
    return refused(405,
                   "only POST, GET and DELETE are known here",
                   {{.name = "Allow", .value = "POST, GET, DELETE"}});
  }
  if (head.method != "POST" && has_unknown_version(head)) {
    return failed(400, unknown_version({}));
  }
  if (head.method == "DELETE") {
    return std::nullopt;
  }
  const std::string_view accept = head.find("Accept");
  if (head.method == "GET") {
    if (names_stateless(head)) {
      return refused(405,
                     "2026-07-28 has POST alone; subscriptions/listen opens a stream",
                     {{.name = "Allow", .value = "POST"}});
    }
    return accepts(accept, events_type)
               ? std::nullopt
               : std::optional(refused(406, "a GET has to accept text/event-stream"));
  }
  if (!ascii::is_same(http::media_type(head.find("Content-Type")), json_type)) {
    return refused(415, "the body has to be application/json");
  }
  if (!accept.empty() && !accepts(accept, json_type)) {
    return refused(406, "a POST has to accept application/json, and should text/event-stream");
  }
  return std::nullopt;
}

}  // namespace pi_mcp::endpoint
