#include "mcp/wrong_era.h"

#include <algorithm>
#include <array>

namespace pi_mcp::mcp {
namespace {

struct Words {
  std::string_view part;  // of the text
  Protocol wanted;        // is said in the other protocol only
  bool of_asking;         // also said to those who cannot be asked, in any protocol
};

constexpr std::array known = {
    // "... are not supported in protocol version 2026-07-28 or later": mcp-go 1.2.1,
    // server/errors.go. "elicitation via ... is unavailable on 2026-07-28 connections": FastMCP 4,
    // server/context.py. "this transport context has no back-channel for ...": Python SDK 2.3,
    // mcp/shared/exceptions.py.
    Words{.part = "server-initiated requests", .wanted = Protocol::handshake, .of_asking = false},
    // "Server-to-client requests are not available on ...: '...' cannot be sent while serving a
    // request
    // on that revision": TypeScript SDK 2.4. "... on protocol version 2026-07-28": go-sdk 1.8,
    // mcp/server.go.
    Words{.part = "cannot be sent while serving a request on",
          .wanted = Protocol::handshake,
          .of_asking = false},
    // Of roots/list, the TypeScript SDK 2.4.
    Words{.part = "is not supported by the negotiated protocol version",
          .wanted = Protocol::handshake,
          .of_asking = false},
    // Tools of a session: mcp-go 1.2.1, server/errors.go.
    Words{.part = "session not found", .wanted = Protocol::handshake, .of_asking = false},
    // rmcp 3.1, whose peers have no capabilities without a handshake.
    Words{.part = "Client does not support elicitation",
          .wanted = Protocol::handshake,
          .of_asking = true},
    // A tool that asks by its result: Python SDK 2.3, mcp/server/runner.py.
    Words{.part = "Handler returned an invalid result",
          .wanted = Protocol::discovery,
          .of_asking = false},
};

}  // namespace

std::optional<Protocol> wanted_protocol(std::string_view error, Revision spoken, bool could_ask) {
  const Protocol other = traits(spoken).has_handshake ? Protocol::discovery : Protocol::handshake;
  const auto* const found = std::ranges::find_if(known, [&](const Words& words) {
    return words.wanted == other && (could_ask || !words.of_asking) &&
           error.find(words.part) != std::string_view::npos;
  });
  return found == known.end() ? std::nullopt : std::optional(found->wanted);
}

}  // namespace pi_mcp::mcp
