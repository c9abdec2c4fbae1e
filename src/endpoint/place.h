// What a request's target names. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::endpoint {

struct Place {
  enum class Kind : std::uint8_t {
    tool,     // /mcp: the one tool, in front of every server
    server,   // /servers/NAME/mcp: that one as it is
    health,   // /healthz: this process runs
    ready,    // /readyz: it takes new sessions
    metrics,  // /metrics
    sign_in,  // /.well-known/oauth-protected-resource, and the path of an MCP endpoint behind it
  };
  Kind kind = Kind::tool;
  std::string server;              // of Kind::server
  std::vector<std::string> tools;  // ?tools=a,b: only these; empty: all
  bool operator==(const Place&) const = default;

  [[nodiscard]] bool is_mcp() const { return kind == Kind::tool || kind == Kind::server; }
  // The same text for the same place, for keys.
  [[nodiscard]] std::string key() const;
};

// nullopt: there is nothing.
std::optional<Place> place_of(std::string_view target);
// What stands behind that prefix of Kind::sign_in.
std::string_view signed_into(std::string_view target);

}  // namespace pi_mcp::endpoint
