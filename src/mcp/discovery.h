// Revisions without a handshake (2026-07-28) as a client speaks them: server/discover says what the
// server is, and every request says who asks. Which of the two a server speaks: client/opening.h.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/document.h"
#include "mcp/client_session.h"
#include "mcp/revisions.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

// Keys of params._meta (basic/index, "_meta").
namespace meta_key {
constexpr std::string_view protocol_version = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view client_info = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view log_level = "io.modelcontextprotocol/logLevel";
constexpr std::string_view client_capabilities = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view server_info = "io.modelcontextprotocol/serverInfo";
constexpr std::string_view subscription_id = "io.modelcontextprotocol/subscriptionId";
}  // namespace meta_key

namespace error_code {
constexpr std::int64_t header_mismatch = -32020;
constexpr std::int64_t unsupported_version = -32022;
}  // namespace error_code

// The members of params._meta that every request has, without braces: `"key":value,...`.
std::string request_envelope(const ClientSession::Options& client, Revision revision);

// What the answer to server/discover says about a server.
struct Discovery {
  ServerDescription server;
  std::optional<Revision> revision;  // the newest of ours without a handshake that it lists
  bool has_handshake = false;        // it lists one of ours that has one
};
// nullopt: it is not such an answer; servers of earlier revisions may say anything to a method that
// they do not know.
std::optional<Discovery> read_discovery(json::Value result);

// A result as revisions with a handshake have it: without what every result of the others says
// besides its content (resultType, who answers, how long it is good). Everything else as it came.
Result<rpc::Message> without_envelope(rpc::Message answer);

// What a result is (basic/index, "Result"): absent means complete, but for one that asks. Servers
// that are written for 2026-07-28 ask so in older revisions too, which have no type (go-sdk).
enum class ResultType : std::uint8_t { complete, input_required, task, unknown };
ResultType result_type(json::Value result);

}  // namespace pi_mcp::mcp
