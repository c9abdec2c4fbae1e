// Our half toward the host, where we are the server: decides what each message of the host means
// and writes the answers of the handshake. One conversation a value. Pure: no I/O, no clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "json/document.h"
#include "mcp/client_features.h"
#include "mcp/revisions.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {

// What the host said in initialize.
struct HostInfo {
  std::string name;
  std::string version;
  ClientFeatures features;
};

class ServerSession {
 public:
  struct Options {
    std::string name = "pi-mcp";
    std::string title = "pi-mcp";  // sent to hosts whose revision has titles
    std::string version;
    std::string capabilities_json = "{}";  // a complete JSON object
    std::string instructions;              // empty: none
  };

  enum class Phase : std::uint8_t {
    awaiting_initialize,
    awaiting_initialized,  // initialize was answered; requests are served already
    ready,
  };

  // What to do with one message.
  struct Action {
    enum class Kind : std::uint8_t {
      reply,        // send `reply`; the session has dealt with it
      serve,        // a request that the caller answers; unknown_method() for one it does not know
      initialized,  // the handshake is complete
      cancel,       // stop serving the request `cancelled`; it gets no answer
      notice,       // another notification
      answer,       // the host's answer to a request of ours
      ignore,
    };
    Kind kind = Kind::ignore;
    rpc::Outgoing reply;
    rpc::Id cancelled;
  };

  explicit ServerSession(Options options) : options_(std::move(options)) {}

  // ping is answered in every phase; everything else waits for initialize.
  Action on_message(const rpc::Message& message);

  [[nodiscard]] Phase phase() const { return phase_; }
  // Meaningful after initialize.
  [[nodiscard]] Revision revision() const { return revision_; }
  [[nodiscard]] const HostInfo& host() const { return host_; }

 private:
  Action on_request(const rpc::Message& message);
  Action on_notification(const rpc::Message& message);
  Action initialize(const rpc::Message& message);

  Options options_;
  Phase phase_ = Phase::awaiting_initialize;
  Revision revision_ = newest_revision;
  rpc::Id initialize_id_;  // of the request that was answered; it cannot be cancelled
  HostInfo host_;
};

// The failure for a request whose method we do not have.
rpc::Outgoing unknown_method(const rpc::Message& request);

// The JSON text of params._meta.progressToken; empty when the caller wants no progress.
std::string progress_token(json::Value params);

// A notifications/progress for the hop whose token is `token_json`, with everything else as in
// `params` of one that came over another hop (tokens are per hop).
rpc::Outgoing progress_notification(std::string_view token_json, json::Value params);

// The id named by the params of notifications/cancelled; absent when there is none.
rpc::Id cancelled_request(json::Value params);

}  // namespace pi_mcp::mcp
