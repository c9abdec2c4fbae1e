// MCP 2026-07-28 as a client speaks it: no handshake and no session; every request says who asks.
// What differs from the revisions before it is here and in the files that this one names: era.h
// (which of the two a server speaks), header_params.h, round_trips.h, task_poll.h. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/document.h"
#include "mcp/client_session.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

constexpr std::string_view modern_revision = "2026-07-28";

// Keys of params._meta (basic/index, "_meta").
namespace meta_key {
constexpr std::string_view protocol_version = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view client_info = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view client_capabilities = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view server_info = "io.modelcontextprotocol/serverInfo";
constexpr std::string_view subscription_id = "io.modelcontextprotocol/subscriptionId";
}  // namespace meta_key

namespace modern_error {
constexpr std::int64_t header_mismatch = -32020;
constexpr std::int64_t missing_capability = -32021;
constexpr std::int64_t unsupported_version = -32022;
}  // namespace modern_error

// The members of params._meta that every request has, without braces: `"key":value,...`.
std::string request_envelope(const ClientSession::Options& client);

// What the answer to server/discover says about a server.
struct Discovery {
  ServerDescription server;
  bool speaks_modern = false;  // lists our modern revision
  bool speaks_legacy = false;  // lists one that has a handshake
};
// nullopt: it is no such answer, as what servers of earlier revisions say to a method they do not
// know may be.
std::optional<Discovery> read_discovery(json::Value result);

// What a result is (basic/index, "Result"): absent means complete.
enum class ResultType : std::uint8_t { complete, input_required, task, unknown };
ResultType result_type(json::Value result);

}  // namespace pi_mcp::mcp
