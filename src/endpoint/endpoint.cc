#include "endpoint/endpoint.h"

#include <charconv>
#include <chrono>
#include <utility>

#include "access/rate.h"
#include "endpoint/heads.h"
#include "endpoint/messages.h"
#include "endpoint/replies.h"
#include "host/methods.h"
#include "io/loop/clock.h"
#include "mcp/discovery.h"
#include "mcp/header_params.h"
#include "mcp/methods.h"
#include "mcp/server/batches.h"
#include "mcp/server/envelope.h"

namespace pi_mcp::endpoint {
namespace {

constexpr std::size_t method_bytes_max = 64;  // in the access log
// Of requests of which it is not known yet whether they may come.
constexpr std::size_t waiting_max = 64;
constexpr std::size_t waiting_body_max = std::size_t{256} << 10U;

constexpr std::string_view nothing_here =
    "there is nothing here; MCP is at /mcp and /servers/NAME/mcp";
constexpr std::string_view no_session = "there is no such session; begin one with initialize";
constexpr std::string_view busy = "there is too much work under way; try again";
constexpr std::string_view much_open =
    "you have so many requests and streams open that the rest is kept for others; end some, then "
    "try again";
constexpr std::string_view much_begun =
    "you have so many calls under way that the rest is kept for others; try again when some have "
    "ended";
constexpr std::string_view many_sessions =
    "you have so many sessions with work under way that the rest is kept for others; end some, "
    "then try again";
constexpr std::string_view draining = "this server is about to stop; try again";

io::HttpReply over_rate(const Rates::Over& over) {
  const std::string seconds =
      std::to_string(std::chrono::ceil<std::chrono::seconds>(over.wait).count());
  return refused(429,
                 "the limit of your requests, " + access::rate_text(over.rate) +
                     ", is reached; try again in " + seconds +
                     " s, or ask whoever runs this server for a higher one",
                 retry_after(seconds));
}

access::Peer peer_of(const io::HttpPeer& peer) {
  return {.is_unix = peer.is_unix, .is_here = peer.is_here, .user = peer.user};
}

// What all have done together is for the user, and for a token that has nothing else.
bool has(const access::Principal& principal, const Place& place) {
  const bool is_user = principal.name.empty();
  return place.kind == Place::Kind::metrics ? is_user || principal.metrics_alone
                                            : !principal.metrics_alone;
}

}  // namespace

access::Gate::Admitted Endpoint::who_comes(const http::RequestHead& head,
                                           const io::HttpPeer& peer) const {
  return gate_.admit(head, peer_of(peer), io::epoch_now(), tokens_);
}

Endpoint::Endpoint(const access::Gate& gate,
                   access::TokenLookUp& tokens,
                   Sessions& sessions,
                   Routing* routing,
                   Observers observers)
    : gate_(gate),
      tokens_(tokens),
      sessions_(sessions),
      routing_(routing),
      observers_(std::move(observers)) {}

// Where sessions_ has no room.
io::HttpReply Endpoint::no_room(const access::Principal& principal) const {
  if (is_draining_) {
    return refused(503, draining, retry_after());
  }
  return sessions_.has_much(principal) ? refused(429, many_sessions, retry_after())
                                       : refused(503, busy, retry_after());
}

void Endpoint::tell(const Served& served) {
  metrics_.count_request(served.status, served.taken);
  if (observers_.served) {
    observers_.served(served);
  }
}

std::optional<io::HttpReply> Endpoint::refuse_call(const access::Principal& principal) {
  switch (sessions_.may_call(principal)) {
    case Sessions::MayCall::yes:
      return std::nullopt;
    case Sessions::MayCall::has_much:
      return refused(429, much_begun, retry_after());
    case Sessions::MayCall::busy:
      break;
  }
  return refused(503, busy, retry_after());
}

// Where it is served, so that what is passed on counts once.
std::optional<io::HttpReply> Endpoint::refuse_rate(const access::Principal& principal,
                                                   const rpc::Message& message) {
  const std::size_t requests = rates_ != nullptr ? requests_in(message) : 0;
  const auto over = requests > 0 ? rates_->count(principal, requests, io::now()) : std::nullopt;
  if (!over) {
    return std::nullopt;
  }
  metrics_.count_over_rate();
  return over_rate(*over);
}

io::HttpHandler::Admitted Endpoint::admit(const http::RequestHead& head, const io::HttpPeer& peer) {
  const std::optional<Place> place = place_of(head.target);
  if (place && (place->kind == Place::Kind::health || place->kind == Place::Kind::ready)) {
    return rooms_.strangers();
  }
  io::HttpAccount account = rooms_.strangers();
  std::optional<io::HttpReply> refusal;
  // Where one signs in is for those who have no token yet.
  const bool is_for_all = place && place->kind == Place::Kind::sign_in &&
                          !tokens_.metadata(signed_into(head.target)).empty();
  if (head.method == "OPTIONS" || is_for_all) {
    if (const auto refused_place = gate_.check_place(head, peer_of(peer))) {
      refusal = refused(refused_place->status, refused_place->error);
    }
  } else if (const auto admitted = who_comes(head, peer); !admitted) {
    if (admitted.error().may_wait && place && place->is_mcp() && may_wait(head)) {
      return account;
    }
    refusal = refused(admitted.error().status, admitted.error().error, admitted.error().headers);
  } else if (!place || place->kind == Place::Kind::sign_in) {
    refusal = refused(404, nothing_here);
  } else {
    account = Rooms::account_of(*admitted);
    refusal = place->is_mcp() ? refuse_head(head) : std::nullopt;
  }
  if (refusal) {
    return tl::unexpected(*std::move(refusal));
  }
  return account;
}

void Endpoint::note_refused(const http::RequestHead& head,
                            const io::HttpPeer& peer,
                            const io::HttpAccount& account,
                            const io::HttpReply& reply) {
  const bool has_name = account != nullptr && account != rooms_.strangers();
  const auto admitted = has_name ? who_comes(head, peer) : access::Gate::Admitted();
  tell({.peer = peer.address,
        .principal = admitted && *admitted ? (*admitted)->name : "",
        .method = head.method,
        .path = shown_path(head.target),
        .message = "",
        .status = reply.status,
        .bytes = reply.body.size()});
}

void Endpoint::serve(std::shared_ptr<io::HttpExchange> exchange) {
  const std::optional<Place> place = place_of(exchange->head().target);
  if (place && place->kind == Place::Kind::health) {
    return exchange->reply(plain(200, "ok\n"));
  }
  if (place && place->kind == Place::Kind::ready) {
    return exchange->reply(is_draining_ ? plain(503, "draining\n") : plain(200, "ready\n"));
  }
  auto watched = std::make_shared<WatchedExchange>(
      std::move(exchange), io::now(), [this](const Served& served) { tell(served); });
  watched->count_stream(streams_);
  if (watched->head().method == "OPTIONS") {
    return watched->reply(preflight(watched->head()));
  }
  if (!place) {
    return watched->reply(refused(404, "there is nothing here"));
  }
  if (place->kind == Place::Kind::sign_in) {
    return watched->reply({.status = 200,
                           .headers = {{.name = "Content-Type", .value = std::string(json_type)}},
                           .body = tokens_.metadata(signed_into(watched->head().target))});
  }
  serve(std::move(watched), *place);
}

void Endpoint::serve(std::shared_ptr<WatchedExchange> exchange, const Place& place) {
  const auto admitted = who_comes(exchange->head(), exchange->peer());
  if (admitted) {
    exchange->note_principal((*admitted)->name);
    if (!requests_.may_take((*admitted)->id)) {
      return exchange->reply(requests_.has_much((*admitted)->id)
                                 ? refused(429, much_open, retry_after())
                                 : refused(503, busy, retry_after()));
    }
    exchange->hold(requests_.take((*admitted)->id));
    return serve({.exchange = std::move(exchange), .principal = *admitted, .place = place});
  }
  const access::Refusal& refusal = admitted.error();
  if (refusal.may_wait && !is_draining_ && waiting_.size() < waiting_max) {
    waiting_.push_back({.exchange = std::move(exchange), .place = place});
    return;
  }
  exchange->reply(refused(refusal.status, refusal.error, refusal.headers));
}

// What it could say of a request with a body that is large, or of unknown size, is not worth
// keeping that for somebody who is not known yet.
bool Endpoint::may_wait(const http::RequestHead& head) const {
  const std::string_view length = head.find("Content-Length");
  std::size_t bytes = 0;
  const char* const begin = length.data();
  const bool is_small = std::from_chars(begin, begin + length.size(), bytes).ec == std::errc() &&
                        bytes <= waiting_body_max;
  const bool has_none = length.empty() && head.find("Transfer-Encoding").empty();
  return waiting_.size() < waiting_max && (is_small || has_none) && !refuse_head(head);
}

void Endpoint::look_again() {
  for (Waiting& each : std::exchange(waiting_, {})) {
    serve(std::move(each.exchange), each.place);
  }
}

void Endpoint::drain() {
  is_draining_ = true;
  look_again();
}

void Endpoint::serve(Request request) {
  if (!has(*request.principal, request.place)) {
    return request.exchange->reply(refused(404, nothing_here));
  }
  if (request.place.kind == Place::Kind::metrics) {
    Metrics::Gauges gauges = observers_.gauges();
    gauges.streams = *streams_;
    gauges.waiting = waiting_.size();
    io::HttpReply reply = plain(200, metrics_.text(gauges));
    reply.headers = {{.name = "Content-Type", .value = "text/plain; version=0.0.4; charset=utf-8"}};
    return request.exchange->reply(std::move(reply));
  }
  if (!sessions_.exists(*request.principal, request.place)) {
    const access::Refusal refusal =
        access::Gate::refuse_place(*request.principal, request.exchange->head().target, tokens_);
    return request.exchange->reply(refused(refusal.status, refusal.error, refusal.headers));
  }
  if (routing_ != nullptr) {
    const replicas::Origin origin = routing_->origin_of(request.exchange->head());
    if (origin == replicas::Origin::forged) {
      return request.exchange->reply(
          refused(400, "this request says that a replica has passed it on, which is not so"));
    }
    request.is_forwarded = origin == replicas::Origin::replica;
    if (route(request)) {
      return;
    }
  }
  serve_here(std::move(request));
}

// Whether another replica may have the session, which then is found out.
bool Endpoint::route(const Request& request) {
  const auto id = header(request.exchange->head(), session_header);
  const std::optional<std::string> nonce =
      id && routing_->has_owners()
          ? sessions_.nonce_elsewhere(*id, *request.principal, request.place)
          : std::nullopt;
  if (!nonce) {
    return false;
  }
  Request held = request;
  held.body = SharedText(request.exchange->take_body());
  routing_->of_session({.exchange = held.exchange,
                        .body = held.body,
                        .is_forwarded = held.is_forwarded,
                        .serve_here =
                            [this, held] {
                              serve_here(held);
                            }},
                       *nonce);
  return true;
}

// Whether the call that this goes on with waits at another replica.
bool Endpoint::route_call(const Request& request, const rpc::Message& message) {
  const std::string url =
      sessions_.place_of_state(message.params().find("requestState").string_or(""));
  if (url.empty() || request.is_forwarded) {
    return false;
  }
  Request held = request;
  held.is_forwarded = true;  // where it waits nowhere, it is answered here
  routing_->of_call({.exchange = held.exchange,
                     .body = held.body,
                     .is_forwarded = false,
                     .serve_here =
                         [this, held] {
                           serve_here(held);
                         }},
                    url);
  return true;
}

void Endpoint::serve_here(Request request) {
  const std::string& method = request.exchange->head().method;
  if (method == "POST") {
    post(std::move(request));
  } else if (method == "GET") {
    get(std::move(request));
  } else {
    end_session(request);
  }
}

void Endpoint::post(Request request) {
  if (request.body.empty()) {
    request.body = SharedText(request.exchange->take_body());
  }
  Result<rpc::Message> message = rpc::Message::parse_any(request.body);
  if (!message) {
    return request.exchange->reply(
        failed(400, rpc::answer_to_unreadable(request.body.view(), message.error())));
  }
  using Kind = rpc::Message::Kind;
  const bool is_request = message->kind() == Kind::request;
  request.exchange->note_message(message->method().substr(0, method_bytes_max));
  const bool has_session = header(request.exchange->head(), session_header).has_value();
  const bool is_stateless = is_request && mcp::has_envelope(message->params());
  if (is_stateless && routing_ != nullptr && route_call(request, *message)) {
    return;
  }
  if (auto refusal = refuse_rate(*request.principal, *message)) {
    return request.exchange->reply(*std::move(refusal));
  }
  if (is_stateless) {
    return post_stateless(std::move(request), *std::move(message));
  }
  if (has_unknown_version(request.exchange->head())) {
    return request.exchange->reply(
        failed(400, unknown_version(is_request ? message->id() : rpc::Id())));
  }
  if (names_stateless(request.exchange->head())) {
    return request.exchange->reply(
        is_request ? failed(400, mcp::version_missing(message->id()))
                   : io::HttpReply{.status = 202, .headers = {}, .body = "", .more = {}});
  }
  if (is_request && message->method() == mcp::method::initialize) {
    return post_initialize(std::move(request), *std::move(message));
  }
  if (!has_session) {
    const rpc::Id id = is_request ? message->id() : rpc::Id();
    return request.exchange->reply(
        failed(400,
               rpc::failure(id,
                            rpc::error_code::invalid_request,
                            "the header Mcp-Session-Id is missing; begin with initialize, or say "
                            "in params._meta who asks (2026-07-28)")));
  }
  post_in_session(std::move(request), *std::move(message));
}

// The order of the checks decides what a client is told (2026-07-28, basic/transports/
// streamable-http).
void Endpoint::post_stateless(Request request, rpc::Message message) {
  const http::RequestHead& head = request.exchange->head();
  const auto envelope = mcp::read_envelope(message);
  const std::string said =
      message.params().at({"_meta", mcp::meta_key::protocol_version}).string_or("");
  const auto mismatch = [&](std::string_view why) {
    request.exchange->reply(
        failed(400, rpc::failure(message.id(), mcp::error_code::header_mismatch, why)));
  };
  if (const auto version = header(head, version_header); version && *version != said) {
    return mismatch("the header MCP-Protocol-Version says something else than the body");
  }
  if (!envelope) {
    return request.exchange->reply(failed(400, envelope.error()));
  }
  const host::HostMethod* const method = request.place.kind == Place::Kind::server
                                             ? host::find_through_method(message.method())
                                             : host::find_method(message.method());
  if (method != nullptr && method->row.in != mcp::UpwardMethod::In::handshake_only) {
    const auto wrong =
        mcp::header_mismatch(mcp::request_headers(envelope->host.revision, message, {}),
                             [&head](std::string_view name) { return header(head, name); });
    if (wrong) {
      return mismatch(*wrong);
    }
  }
  LiveSession* const session =
      is_draining_ ? nullptr
                   : sessions_.stateless(request.principal, request.place, envelope->host.features);
  if (session == nullptr) {
    return request.exchange->reply(no_room(*request.principal));
  }
  if (const auto wrong = wrong_parameter(head, message, request.place, session->session())) {
    return mismatch(*wrong);
  }
  if (auto refusal = refuse_call(*request.principal)) {
    return request.exchange->reply(*std::move(refusal));
  }
  session->note_use(io::now(), true);
  transport::ClientStreams client = client_of(head, envelope->host);
  session->link().post(std::move(request.exchange), std::move(message), std::move(client));
}

void Endpoint::post_initialize(Request request, rpc::Message message) {
  const json::Value params = message.params();
  const mcp::HostInfo host =
      mcp::read_host(params.find("clientInfo"),
                     params.find("capabilities"),
                     mcp::answer_revision(params.find("protocolVersion").string_or("")));
  const Sessions::Begun begun =
      is_draining_ ? Sessions::Begun() : sessions_.begin(request.principal, request.place, host);
  if (begun.session == nullptr) {
    return request.exchange->reply(no_room(*request.principal));
  }
  transport::ClientStreams client = client_of(request.exchange->head(), host);
  client.headers.push_back({.name = std::string(session_header), .value = begun.id});
  begun.session->note_use(io::now(), leaves_something(message, request.place));
  begun.session->link().post(std::move(request.exchange), std::move(message), std::move(client));
}

void Endpoint::post_in_session(Request request, rpc::Message message) {
  const http::RequestHead& head = request.exchange->head();
  const auto found =
      sessions_.find(header(head, session_header).value_or(""), request.principal, request.place);
  if (!found) {
    return request.exchange->reply(refused(404, no_session));
  }
  if (found->session == nullptr) {
    return request.exchange->reply(no_room(*request.principal));
  }
  if (message.kind() == rpc::Message::Kind::batch) {
    const std::size_t size = message.root().size();
    if (!mcp::traits(found->host.revision).has_batches || size == 0 ||
        size > mcp::batch_messages_max) {
      return request.exchange->reply(
          refused(400, "a batch of messages, which is not supported; send one message a request"));
    }
  }
  // Answers and notifications help calls to end.
  const bool is_call =
      message.kind() == rpc::Message::Kind::request || message.kind() == rpc::Message::Kind::batch;
  if (auto refusal = is_call ? refuse_call(*request.principal) : std::nullopt) {
    return request.exchange->reply(*std::move(refusal));
  }
  found->session->note_use(io::now(), leaves_something(message, request.place));
  transport::ClientStreams client = client_of(head, found->host);
  found->session->link().post(std::move(request.exchange), std::move(message), std::move(client));
}

void Endpoint::get(Request request) {
  const http::RequestHead& head = request.exchange->head();
  const auto id = header(head, session_header);
  if (!id) {
    return request.exchange->reply(
        refused(400, "the header Mcp-Session-Id is missing; begin with initialize"));
  }
  const auto found = sessions_.find(*id, request.principal, request.place);
  if (!found) {
    return request.exchange->reply(refused(404, no_session));
  }
  if (found->session == nullptr || is_draining_) {
    return request.exchange->reply(no_room(*request.principal));
  }
  found->session->note_use(io::now(), false);
  transport::HttpHost& link = found->session->link();
  const transport::ClientStreams client = client_of(head, found->host);
  const auto last = header(head, "Last-Event-ID");
  if (!last || last->empty()) {
    link.open_stream(std::move(request.exchange), client);
  } else if (!link.resume(request.exchange, *last, client)) {
    request.exchange->reply(
        refused(400, "what followed this event is no longer known; the call has to be made again"));
  }
}

void Endpoint::end_session(const Request& request) {
  const auto id = header(request.exchange->head(), session_header);
  if (!id) {
    const bool is_stateless = names_stateless(request.exchange->head());
    return request.exchange->reply(
        is_stateless
            ? refused(405, "2026-07-28 has no sessions", {{.name = "Allow", .value = "POST"}})
            : refused(400, "the header Mcp-Session-Id is missing"));
  }
  const bool ended = sessions_.end(*id, request.principal, request.place);
  request.exchange->reply(ended ? plain(200, "") : refused(404, no_session));
}

}  // namespace pi_mcp::endpoint
