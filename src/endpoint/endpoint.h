// What hosts reach over HTTP: /mcp, /servers/NAME/mcp, and what operators ask. Decides about each
// request by its head, then by its message; sessions do the rest (sessions.h).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "access/gate.h"
#include "base/shared_text.h"
#include "endpoint/metrics.h"
#include "endpoint/place.h"
#include "endpoint/rates.h"
#include "endpoint/rooms.h"
#include "endpoint/routing.h"
#include "endpoint/sessions.h"
#include "endpoint/shares.h"
#include "endpoint/watched_exchange.h"
#include "http/message.h"
#include "http/request_parser.h"
#include "io/net/http_server.h"
#include "rpc/message.h"

namespace pi_mcp::endpoint {

class Endpoint final : public io::HttpHandler {
 public:
  struct Observers {
    std::function<void(const Served& served)> served;  // null: nobody keeps a log
    std::function<Metrics::Gauges()> gauges;
  };
  // All outlive it. `routing`: null where there is one replica.
  Endpoint(const access::Gate& gate,
           access::TokenLookUp& tokens,
           Sessions& sessions,
           Routing* routing,
           Observers observers);

  Admitted admit(const http::RequestHead& head, const io::HttpPeer& peer) override;
  std::optional<io::HttpReply> take_room(io::HttpRoom room,
                                         const io::HttpAccount& account,
                                         std::size_t bytes) override {
    return rooms_.take(room, account, bytes);
  }
  void give_room(io::HttpRoom room, const io::HttpAccount& account, std::size_t bytes) override {
    rooms_.give(room, account, bytes);
  }
  void note_refused(const http::RequestHead& head,
                    const io::HttpPeer& peer,
                    const io::HttpAccount& account,
                    const io::HttpReply& reply) override;
  void serve(std::shared_ptr<io::HttpExchange> exchange) override;

  [[nodiscard]] Metrics& metrics() { return metrics_; }
  // Outlives it.
  void limit(Rates& rates) { rates_ = &rates; }
  // Calls and streams at the same time, each of which has a connection, of all principals; for
  // tests, before the first request.
  void allow_requests(std::size_t whole) { requests_ = Shares(whole); }
  void allow_bytes(Rooms::Bytes whole) { rooms_ = Rooms(whole); }
  // Keys that tokens are checked by have come, or will not: who waited for them is looked at again.
  void look_again();
  // From now on nobody new is served.
  void drain();

 private:
  struct Request {
    std::shared_ptr<WatchedExchange> exchange;
    PrincipalPtr principal;
    Place place;
    bool is_forwarded = false;  // by another replica
    // Once it was taken from the exchange.
    // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
    SharedText body = {};
  };
  [[nodiscard]] access::Gate::Admitted who_comes(const http::RequestHead& head,
                                                 const io::HttpPeer& peer) const;
  void serve(std::shared_ptr<WatchedExchange> exchange, const Place& place);
  [[nodiscard]] io::HttpReply no_room(const access::Principal& principal) const;
  std::optional<io::HttpReply> refuse_rate(const access::Principal& principal,
                                           const rpc::Message& message);
  std::optional<io::HttpReply> refuse_call(const access::Principal& principal);
  void serve(Request request);
  void serve_here(Request request);
  bool route(const Request& request);
  bool route_call(const Request& request, const rpc::Message& message);
  [[nodiscard]] bool may_wait(const http::RequestHead& head) const;
  void tell(const Served& served);
  void post(Request request);
  void post_stateless(Request request, rpc::Message message);
  void post_initialize(Request request, rpc::Message message);
  void post_in_session(Request request, rpc::Message message);
  void get(Request request);
  void end_session(const Request& request);

  const access::Gate& gate_;
  access::TokenLookUp& tokens_;
  Sessions& sessions_;
  Routing* routing_;
  Rates* rates_ = nullptr;  // null: nobody has a limit
  Observers observers_;
  Metrics metrics_;
  // Open; an exchange may outlive this.
  std::shared_ptr<std::size_t> streams_ = std::make_shared<std::size_t>(0);
  Shares requests_{io::HttpServerLimits().connections_max};
  Rooms rooms_{Rooms::Bytes()};
  struct Waiting {
    std::shared_ptr<WatchedExchange> exchange;
    Place place;
  };
  // For keys, each as long as one fetch of them may take (access/key_fetch.h); bodies are here.
  std::vector<Waiting> waiting_;
  bool is_draining_ = false;
};

}  // namespace pi_mcp::endpoint
