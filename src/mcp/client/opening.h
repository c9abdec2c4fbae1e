// Which protocol a server speaks, and the first requests that find it out: server/discover, and
// initialize of revisions with a handshake. One connection a value. Pure: no I/O, no clock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/shared_text.h"
#include "mcp/client_session.h"
#include "mcp/discovery.h"
#include "mcp/revisions.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

// Why they are tried in this order: docs/decisions/0009-protocol-eras.md, and 0039-era.md where a
// server speaks both.
class Opening {
 public:
  struct Options {
    ClientSession::Options client;
    Protocol protocol = Protocol::automatic;
    // A request that a server does not know does it no harm, as over HTTP; some servers at a pipe
    // end when anything comes before initialize.
    bool may_ask_first = false;
    std::optional<Era> known = std::nullopt;  // what era() was at an earlier connection
    // The answer to initialize has given one. Null: no sessions, and no Next::look.
    std::function<bool()> has_session = nullptr;
  };

  explicit Opening(Options options);

  struct Ask {
    std::string_view method;
    SharedText params;
    bool has_alternative = false;  // when no answer comes, something else is tried
  };
  // The request to send now.
  [[nodiscard]] Ask ask();

  enum class Next : std::uint8_t {
    ask,       // send ask()
    announce,  // send notifications/initialized; then it is done
    ready,     // it is done
    look,      // on_look()
  };
  // Takes the answer to ask(). protocol: the server speaks nothing that we are to speak, or
  // refused; the message says which.
  Result<Next> on_answer(const rpc::Message& answer);
  // There was none. The same error, unless the other protocol is worth a try.
  Result<Next> on_error(const Error& error);

  // Whether the server wants a session of whoever has none.
  Result<Next> on_look(bool wants_session);

  // Those of the revision that ask() asks for, or that was agreed on.
  [[nodiscard]] const RevisionTraits& traits() const { return mcp::traits(revision_); }
  // Meaningful once it is done.
  [[nodiscard]] const ServerDescription& server() const { return server_; }
  // What is worth to be remembered of it; nullopt: nothing, as where there was no choice.
  [[nodiscard]] std::optional<Era> era() const;
  // For every request; empty with a handshake.
  [[nodiscard]] const std::string& envelope() const { return envelope_; }
  // The same with other capabilities than ours, where there is one.
  [[nodiscard]] std::string envelope_of(const std::string& capabilities_json) const;

 private:
  enum class Step : std::uint8_t { discover, initialize };

  Result<Next> on_discovery(const rpc::Message& answer);
  Result<Next> on_refused_discovery(json::Value error);
  Result<Next> on_initialize(const rpc::Message& answer);
  Result<Next> turn_to_initialize(Error why_not);
  Result<Next> turn_to_discovery(Error refusal);
  Result<Next> take(const Discovery& found);
  Next try_handshake();
  [[nodiscard]] Result<Next> take_handshake();
  [[nodiscard]] bool may_choose() const;
  [[nodiscard]] bool has_session() const;
  [[nodiscard]] bool has_tried_handshake() const;
  [[nodiscard]] bool is_handshake_doubtful() const;
  void begin(Step step, Revision revision);

  Options options_;
  ClientSession session_;
  Step step_ = Step::initialize;
  Revision revision_ = newest_by_handshake;
  std::string envelope_;
  bool discovered_again_ = false;   // with the version that the server named
  bool has_asked_ = false;          // server/discover
  bool is_guess_ = false;           // for want of an answer to initialize
  std::optional<Discovery> found_;  // that could be spoken, while initialize is tried
  std::optional<Error> refusal_;    // of initialize, before server/discover was tried
  ServerDescription server_;
};

}  // namespace pi_mcp::mcp
