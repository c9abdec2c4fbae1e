// One MCP link, whole messages in both directions. Implementations: a child's stdio, our own stdio,
// a Unix socket, HTTP, an in-memory pair for tests.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "base/pinned.h"
#include "base/result.h"
#include "http/message.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::transport {

// Why a link ended, for people.
struct LinkEnd {
  std::string reason;       // "exited with status 1", "killed by SIGKILL", "closed its output"
  std::string stderr_tail;  // last lines of a child's stderr, printable; empty when there is none
  bool is_remote = false;   // has no child, so nothing more can be known from here
  // The last lines on a child's stdout that were no messages, printable: a JVM says there why it
  // ends.
  std::string stdout_tail = {};  // NOLINT(readability-redundant-member-init): may be left out
};

// What a start that failed may be due to, a sentence for people; empty: nothing is known.
struct StartAdvice {
  std::string text;
  std::optional<Remedy> remedy;
};

struct LinkCounters {
  std::uint64_t junk_lines = 0;       // lines that were not JSON-RPC messages, skipped
  std::uint64_t oversized_lines = 0;  // dropped; their call fails by the id that could be read
};

// All members are called from the loop's thread. One receive() at a time; send() may be called
// while it waits. After close() or the end of the link every member still answers.
class Transport : Pinned {
 public:
  virtual ~Transport() = default;

  // The next message. unavailable: the link ended (end() says why). cancelled: close() was called
  // or the waiting task was cancelled. Junk is skipped and counted. A message that is too large or
  // broken but names the call it answers arrives as a failure response with that id.
  virtual boost::asio::awaitable<Result<rpc::Message>> receive() = 0;

  // A message that is here already, as receive() would have given it, without the cost of waiting.
  // Nothing: receive() waits for the next one.
  virtual std::optional<Result<rpc::Message>> receive_now() { return std::nullopt; }

  // Hands over one message without line feed; never waits. It is written at once when the other
  // side has room, else queued. io: the link is closed or broken, for good, and no byte of the
  // message was written. unavailable: the queue would exceed its limit because the other side does
  // not read.
  virtual Result<void> send(rpc::Outgoing message) = 0;

  // The same for a message that belongs to a request of the other side which has no answer yet; it
  // goes on the stream of that where requests have streams.
  virtual Result<void> send_during(rpc::Outgoing message, const rpc::Id& /*request*/) {
    return send(std::move(message));
  }
  // Each request has a stream, so that questions are to say during which they are asked.
  [[nodiscard]] virtual bool has_streams() const { return false; }

  // This request of the other side gets no answer.
  virtual void settle(const rpc::Id& /*request*/) {}

  // Waits until at most `bytes` are queued, so that a producer can slow down. unavailable: link
  // ended.
  virtual boost::asio::awaitable<Result<void>> drain(std::size_t bytes) = 0;

  // Ends the link in the order that its specification asks for, each step with its own limit, and
  // returns when nothing of it is left. For a child: close stdin, wait, SIGTERM to its process
  // group, wait, SIGKILL, reap (MCP basic/lifecycle, "Shutdown"). May be called more than once.
  virtual boost::asio::awaitable<void> close() = 0;

  // Told about a call whose request or answer failed by itself while the link goes on; where calls
  // cannot fail so, it is never called. Set once, before the first send().
  // NOLINTNEXTLINE(performance-unnecessary-value-param): overrides keep it
  virtual void on_call_failure(std::function<void(const rpc::Id&, Error)> /*handler*/) {}

  // Told that a part of the answer to a call has come; without an id, a part of a message that all
  // answers come after. Messages that come whole are not parts. Set once, before the first send().
  // NOLINTNEXTLINE(performance-unnecessary-value-param): overrides keep it
  virtual void on_answer_part(std::function<void(const rpc::Id&)> /*handler*/) {}

  // What a request says in headers beside its body, on links that have headers. With any, the
  // server keeps no session for us and the link is stateless (MCP 2026-07-28): cancelling a call
  // closes its stream and nothing broken off is resumed. Set once, before the first send().
  using Headers = std::function<http::Headers(const rpc::Message& request)>;
  // NOLINTNEXTLINE(performance-unnecessary-value-param): overrides keep it
  virtual void on_headers(Headers /*headers*/) {}

  // The server has given this link a session and keeps state under its id.
  [[nodiscard]] virtual bool has_session() const { return false; }
  // It wants one of whoever has none: so it keeps state in older revisions.
  virtual boost::asio::awaitable<bool> wants_session() { co_return false; }

  // Meaningful once the link has ended; before that the stderr so far.
  [[nodiscard]] virtual LinkEnd end() const = 0;
  [[nodiscard]] virtual LinkCounters counters() const = 0;
  // `wrote` is called whenever end().stderr_tail has grown, until the link is closed.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): overrides keep it
  virtual void on_stderr(std::function<void()> /*wrote*/) {}
  // Process id of a child, 0 when there is none.
  [[nodiscard]] virtual int process_id() const { return 0; }

  // What is done before the child can be the server itself, for people: "installing x with npx".
  // Empty: nothing, or no longer. Looks at files.
  [[nodiscard]] virtual std::string preparation() { return {}; }
  // What a start that failed may be due to besides what end() says. Looks at files.
  [[nodiscard]] virtual StartAdvice start_advice() const { return {}; }
  // A number that changes as long as the child and its descendants visibly work. Reads a few files
  // of /proc for each of them.
  [[nodiscard]] virtual std::uint64_t work() const { return 0; }

  // `arrived` is called when a message has come while nothing waits before it: receive_now() can
  // take it without waking who waits in receive(). What is not taken then receive() gives, as it
  // does an exception of `arrived`. Links on which that would save nothing never call it. Null ends
  // it.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): overrides keep it
  virtual void on_arrival(std::function<void()> /*arrived*/) {}
};

}  // namespace pi_mcp::transport
