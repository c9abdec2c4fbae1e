// Our half toward a server, where we are the client: the handshake and what it agreed on. One
// connection a value. Pure: no I/O, no clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/shared_text.h"
#include "mcp/revisions.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

struct ServerCapabilities {
  bool tools = false;
  bool tools_list_changed = false;
  bool resources = false;
  bool resources_list_changed = false;
  bool resources_subscribe = false;
  bool prompts = false;
  bool prompts_list_changed = false;
  bool logging = false;
  bool completions = false;
};

// What the server said of itself, in its answer to initialize or server/discover.
struct ServerDescription {
  std::string name;
  std::string title;
  std::string version;
  std::string instructions;
  std::string info_json;                    // all that was said of the above but instructions
  std::string capabilities_json;            // all of them
  Revision revision = newest_by_handshake;  // agreed on
  ServerCapabilities capabilities;

  // "name version"
  [[nodiscard]] std::string label() const { return version.empty() ? name : name + " " + version; }
};

// `info` is an Implementation object; instructions and capabilities are members of `result`.
ServerDescription describe_server(json::Value info, json::Value result);

class ClientSession {
 public:
  struct Options {
    std::string client_name;
    std::string client_version;
    std::string capabilities_json = "{}";  // a complete JSON object: what we can do for the server
    bool tasks = true;                     // calls that become tasks are followed
  };

  enum class Phase : std::uint8_t { fresh, initializing, ready, refused };

  explicit ClientSession(Options options) : options_(std::move(options)) {}

  // The params of the initialize request to send now; asks for our newest revision first.
  SharedText initialize_params();

  enum class Next : std::uint8_t {
    announce,   // send notifications/initialized; the session is ready
    ask_again,  // send initialize once more: the server named a revision that both speak
  };
  // Takes the answer to initialize. protocol: the server refused, speaks no revision of ours, or
  // answered something that is no InitializeResult; the message says which.
  Result<Next> on_answer(const rpc::Message& answer);

  [[nodiscard]] Phase phase() const { return phase_; }
  // Meaningful in Phase::ready.
  [[nodiscard]] const ServerDescription& server() const { return server_; }

 private:
  Result<Next> on_failure(json::Value error);
  Result<Next> on_result(json::Value result);

  Options options_;
  Phase phase_ = Phase::fresh;
  Revision asked_ = newest_by_handshake;
  bool asked_again_ = false;
  ServerDescription server_;
};

// One line for a person about a JSON-RPC error object: its message and code.
std::string error_text(json::Value error);

}  // namespace pi_mcp::mcp
