// One live link to one server: handshake done, calls multiplexed, notifications handed on.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/shared_text.h"
#include "io/loop/task.h"
#include "json/document.h"
#include "mcp/client/actions.h"
#include "mcp/client/subscription.h"
#include "mcp/client_session.h"
#include "mcp/lists.h"
#include "mcp/log_level.h"
#include "mcp/types.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "servers/launch/launch.h"
#include "servers/link/host_link.h"
#include "transport/transport.h"

namespace pi_mcp::servers {

// What a call wants besides its answer. Callbacks run on the loop and must not block; none is made
// after the call has returned.
struct CallOptions {
  Milliseconds quiet_max{60'000};
  Milliseconds total_max{3'600'000};
  // Params of notifications/progress for this call, with the server's own progressToken in them.
  std::function<void(json::Value params)> on_progress;
  // Who answers what the server asks while this call runs; null: nobody. The time that takes does
  // not count as quiet, but in total_max.
  std::shared_ptr<HostLink> host = nullptr;
  const void* session = nullptr;  // whose call it is, see Lease; null: whose its host is
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string meta = {};  // of params._meta of the host's request, see mcp::passed_meta()
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::optional<std::string> declared = {};  // see mcp::Call::declared
  // Why the call is cancelled, once it is, for the server; outlives the call. Null: nobody says.
  const std::string* cancel_reason = nullptr;
};

// What a connection tells its users; called on the loop.
struct ConnectionEvents {
  std::function<void(mcp::Listing)> listing_changed;     // after list_changed was followed up
  std::function<void(mcp::ChangedLists)> lists_changed;  // as the server said; after that
  // notifications/message, and the session whose call it is about; null: that cannot be told.
  std::function<void(json::Value params, const void* session)> log_message;
  // About once a second while it starts: what is done before it can start itself ("installing x
  // with npx"), empty for its own work.
  std::function<void(std::string_view what)> starting;
  std::function<void()> wrote_stderr;  // a child has, also while it starts
  // notifications/elicitation/complete, and whose it is, in the same way
  std::function<void(json::Value params, const void* session)> elicitation_complete;
  // The server asks for something that only a host can give, see mcp::action::Asked.
  std::function<void(const mcp::action::Asked&)> asked;
  // This host has told it its roots; a digest of them.
  std::function<void(const mcp::Host* host, const std::string& roots)> told_roots;
  // notifications/resources/updated, of whatever is watched by anybody
  std::function<void(json::Value params)> resource_updated;
  std::function<void(transport::LinkEnd)> ended;  // once; the link is gone
};

// A call under way that no task waits for. Destroying it before its answer came cancels it.
class OpenCall {
 public:
  OpenCall() = default;
  OpenCall(const OpenCall&) = delete;
  OpenCall& operator=(const OpenCall&) = delete;
  OpenCall(OpenCall&&) = delete;
  OpenCall& operator=(OpenCall&&) = delete;
  virtual ~OpenCall() = default;
};

class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&&) = delete;
  Connection& operator=(Connection&&) = delete;
  virtual ~Connection() = default;

  // Sends one request and waits for its answer: a result or a failure message. `params` is a JSON
  // object or empty; a progressToken is added when on_progress is set. Cancelling the waiting task
  // sends notifications/cancelled and returns cancelled. timed_out does the same. unavailable: the
  // link ended before an answer came; the text says why, with exit status and stderr tail. io: the
  // link proved dead before any byte of the request was written, so that it may be sent again over
  // another connection.
  virtual io::Task<Result<rpc::Message>> call(std::string method,
                                              SharedText params,
                                              CallOptions options) = 0;

  using Answered = std::function<void(Result<rpc::Message>&&)>;
  // call() without a task, which costs a call more than its own work does. `answered` is called
  // once, later and from the loop, with what call() would have returned, and may destroy the call.
  // `params` is a JSON object. Null where that does not do (see LiveConnection); then nothing was
  // sent, and call() says why.
  virtual std::unique_ptr<OpenCall> begin_call(std::string_view method,
                                               const rpc::Outgoing& params,
                                               CallOptions options,
                                               Answered answered) = 0;

  // Reads all lists again; then offer() is fresh and offer_changed was told. Simultaneous callers
  // share one look. Errors as of call(); the old lists stay.
  virtual io::Task<Result<void>> refresh() = 0;

  // Somebody looks for what is in no list of the server. True: `read` is called once, when lists
  // that are on their way have come or could not be read; where none are, they are read again, at
  // most once a minute.
  virtual bool look_for_unknown(std::function<void()> read) = 0;

  // Some list is older than the server said it is good for (2026-07-28, "Caching").
  [[nodiscard]] virtual bool has_stale_lists() const = 0;
  // Somebody looks at what the server offers: stale lists are read again, and nobody waits for
  // that. A call does the same by itself.
  virtual void note_use() = 0;

  // Whether a page that the server names may be put to a person: see io::check_page().
  [[nodiscard]] virtual io::Task<Result<void>> check_page(std::string url) const = 0;

  // See mcp::ClientLink.
  virtual mcp::Watching watch(const std::string& uri, bool by_itself) = 0;
  virtual void unwatch(const std::string& uri) = 0;

  // The roots of its host have changed; the server is told if it was declared that it would be.
  virtual void tell_roots_changed() = 0;

  // From now on `who` wants log messages of this level and above; nullopt: it has nothing to say
  // any more. The server is asked for the most verbose that anybody wants.
  virtual void want_log_level(const void* who, std::optional<mcp::LogLevel> level) = 0;

  [[nodiscard]] virtual bool is_open() const = 0;
  [[nodiscard]] virtual const mcp::Listing& listing() const = 0;
  // What the server said of itself, once the link is open.
  [[nodiscard]] virtual const mcp::ServerDescription& server() const = 0;
  // Grows whenever offer() was read again.
  [[nodiscard]] virtual std::uint64_t listing_revision() const = 0;
  [[nodiscard]] virtual std::string protocol_version() const = 0;  // negotiated revision
  [[nodiscard]] virtual int process_id() const = 0;
  [[nodiscard]] virtual std::size_t calls_in_flight() const = 0;
};

}  // namespace pi_mcp::servers
