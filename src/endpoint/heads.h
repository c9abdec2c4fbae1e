// What the head of a request over HTTP says of MCP (2025-11-25 and 2026-07-28,
// basic/transports/streamable-http).
#pragma once

#include <optional>
#include <string_view>

#include "http/request_parser.h"
#include "io/net/http_server.h"
#include "mcp/server/envelope.h"
#include "rpc/outgoing.h"
#include "transport/http_host/http_host.h"

namespace pi_mcp::endpoint {

constexpr std::string_view events_type = "text/event-stream";
constexpr std::string_view json_type = "application/json";
constexpr std::string_view session_header = "Mcp-Session-Id";
constexpr std::string_view version_header = "MCP-Protocol-Version";

// nullopt: there is none, or several, of which nobody knows which one counts.
std::optional<std::string_view> header(const http::RequestHead& head, std::string_view name);

[[nodiscard]] bool has_unknown_version(const http::RequestHead& head);
rpc::Outgoing unknown_version(const rpc::Id& request);
// It names a revision that has no sessions.
[[nodiscard]] bool names_stateless(const http::RequestHead& head);

transport::ClientStreams client_of(const http::RequestHead& head, const mcp::HostInfo& host);

// Why there will be no message of it; nullopt: there may be one.
std::optional<io::HttpReply> refuse_head(const http::RequestHead& head);

}  // namespace pi_mcp::endpoint
