// With whom sessions share a server: by what the user has configured, by what it is known to be,
// and by what it was seen to do. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "mcp/types.h"

namespace pi_mcp::servers {

struct KnownServer {
  constexpr KnownServer(std::string_view known,
                        config::Share by,
                        std::string_view reason,
                        std::string_view variables = {})
      : names(known), share(by), why(reason), reads(variables) {}

  // A package or program as command lines name it; globs, with spaces between.
  std::string_view names;
  config::Share share;
  std::string_view why;
  // user: the variables that it reads, globs with spaces between, which then come from the session.
  std::string_view reads;

  [[nodiscard]] bool does_read(std::string_view variable) const;
};

std::span<const KnownServer> known_servers();

// The packages and programs that a command line may start, without versions.
std::vector<std::string> started_by(const std::string& command,
                                    const std::vector<std::string>& args);
// nullptr for one that is in no table.
const KnownServer* find_known(const config::Server& server);

// A tool, not read-only, whose name says that it changes what later calls are about. `tool`: its
// name; empty: none has.
std::string state_tool(const std::vector<mcp::Tool>& tools);

// What was seen of a server, now or at an earlier connection.
struct SeenOfServer {
  bool has_state_tool = false;
  bool has_asked = false;       // by elicitation or sampling, or what one session could not do
  bool asks_roots = false;      // it has asked for roots
  bool keeps_no_state = false;  // by its protocol: 2026-07-28, or HTTP without a session id

  bool operator==(const SeenOfServer&) const = default;
};

// As words with a space between, for the cache, and back.
std::string seen_text(const SeenOfServer& seen);
SeenOfServer read_seen(std::string_view text);

// Why a server has the scope that it has.
enum class ScopeReason : std::uint8_t {
  configured,
  known,
  stateless,
  state_tool,
  has_asked,
  usual
};

struct Scope {
  config::Share share = config::Share::folder;
  ScopeReason reason = ScopeReason::usual;
};

Scope scope_of(const config::Server& server, const SeenOfServer& seen);

}  // namespace pi_mcp::servers
