// A host that comes over HTTP: its POSTs and its streams are one link (MCP basic/transports,
// "Streamable HTTP"). What decides who it is and which session it has lies with its owner.
//
// A POST whose answer is the first thing to be said is answered with JSON. Anything else that is
// said before, and a call that takes longer than a second, makes its answer an event stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "http/message.h"
#include "io/loop/condition.h"
#include "io/net/http_server.h"
#include "mcp/methods.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "transport/http_host/event_log.h"
#include "transport/transport.h"

namespace pi_mcp::transport {

// How a client wants to be answered.
struct ClientStreams {
  http::Headers headers;      // of each answer besides the content type
  bool takes_events = true;   // else JSON only
  bool begins_empty = false;  // a stream begins with an event without data (2025-11-25 on)
};

class HttpHost final : public Transport {
 public:
  struct Limits {
    std::size_t posts_max = 1024;         // with requests that have no answer
    std::size_t messages_max = 4096;      // that nobody has received
    Milliseconds slow_after{1'000};       // then the answer becomes a stream
    Milliseconds alive_every{15'000};     // a comment on a stream that says nothing
    Milliseconds come_back_after{2'000};  // what a client is told when its stream is ended
  };
  enum class Kind : std::uint8_t {
    session,   // of revisions with a handshake: a client may come back to a stream
    stateless  // of many clients: whoever closes a stream has cancelled its request
  };

  // A request has its answer; `code` of a failure of ours, else 0.
  using Answered = std::function<void(std::string_view method, std::int64_t code, Duration taken)>;

  HttpHost(const io::Executor& executor, Kind kind, Limits limits, Answered answered = nullptr);
  HttpHost(const HttpHost&) = delete;
  HttpHost& operator=(const HttpHost&) = delete;
  ~HttpHost() override;

  // Takes the message, or batch, of a POST and answers it sooner or later. Replies 503 when there
  // are too many.
  void post(std::shared_ptr<io::HttpExchange> exchange, rpc::Message message, ClientStreams client);
  // GET: the stream for what belongs to no request. It ends the one before.
  void open_stream(std::shared_ptr<io::HttpExchange> exchange, const ClientStreams& client);
  // GET with Last-Event-ID: what was missed of a stream, and the rest of it. False: that is not
  // known (any more), and nothing was answered.
  [[nodiscard]] bool resume(std::shared_ptr<io::HttpExchange> exchange,
                            std::string_view last_event_id,
                            ClientStreams client);

  // While it is held, nobody receives anything; what comes waits.
  void hold(bool is_held);
  // Nothing waits to be received.
  [[nodiscard]] bool is_empty() const { return received_.empty(); }

  // Several times a minute at least.
  void look_at_clock(TimePoint now);
  // Ends every stream whose client can come back; the others go on until they are answered.
  void send_away();
  // Requests without an answer, but for those that stay open for what changes.
  [[nodiscard]] std::size_t under_way() const { return posts_.size() - listens_; }
  // Somebody waits for what changes.
  [[nodiscard]] bool has_stream() const { return stream_.exchange != nullptr || listens_ > 0; }

  io::Task<Result<rpc::Message>> receive() override;
  std::optional<Result<rpc::Message>> receive_now() override;
  void on_arrival(std::function<void()> arrived) override { arrived_ = std::move(arrived); }
  Result<void> send(rpc::Outgoing message) override;
  Result<void> send_during(rpc::Outgoing message, const rpc::Id& request) override;
  [[nodiscard]] bool has_streams() const override { return true; }
  void settle(const rpc::Id& request) override;
  io::Task<Result<void>> drain(std::size_t bytes) override;
  io::Task<void> close() override;
  [[nodiscard]] LinkEnd end() const override;
  [[nodiscard]] LinkCounters counters() const override { return {}; }

 private:
  struct Stream {
    std::shared_ptr<io::HttpExchange> exchange;  // null: nobody reads it
    std::uint64_t number = 0;
    bool is_begun = false;  // as events
    TimePoint said;         // when something was said on it last
    ClientStreams client;
  };
  struct Post {
    Stream stream;
    std::vector<rpc::Id> unanswered;
    std::string method;  // "batch" of several
    TimePoint since;
    // Stays open for what changes, until either side ends it.
    [[nodiscard]] bool is_listening() const { return method == mcp::method::subscriptions_listen; }
  };
  using Posts = std::map<std::uint32_t, Post>;

  [[nodiscard]] Posts::iterator find(const rpc::Id& request);
  [[nodiscard]] const rpc::Id* in_use(const std::vector<rpc::Id>& requests);
  void begin(Stream& stream);
  void say(Stream& stream, rpc::Outgoing message);
  void answer(Posts::iterator post, rpc::Outgoing message);
  void finish(Posts::iterator post);
  void erase(Posts::iterator post);
  void send_away(Stream& stream);
  void attach(Stream& stream, std::shared_ptr<io::HttpExchange> exchange);
  void lost(std::uint32_t number);
  bool refuse_question(const rpc::Outgoing& message);
  void take(rpc::Message message);

  Kind kind_;
  Limits limits_;
  Answered answered_;
  Posts posts_;              // by number
  std::size_t listens_ = 0;  // of posts_
  Stream stream_;
  EventLog log_;
  std::list<rpc::Message> received_;  // an empty deque would be half a KiB
  std::function<void()> arrived_;     // may be null
  std::exception_ptr escaped_;        // of arrived_, for receive()
  io::Condition changed_;
  std::uint32_t last_post_ = 0;
  std::uint64_t first_stream_;  // so that ids of a session that was forgotten are not ours
  bool is_held_ = false;
  bool ended_ = false;
};

}  // namespace pi_mcp::transport
