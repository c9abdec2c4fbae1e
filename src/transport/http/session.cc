#include "transport/http/session.h"

#include <algorithm>
#include <utility>

#include "mcp/methods.h"
#include "transport/http/message_exchange.h"
#include "transport/http/stream_exchange.h"

namespace pi_mcp::transport {

Milliseconds HttpTimes::resume_after(int failures) const {
  constexpr int doublings_max = 10;
  return std::min(resume_max, resume_first * (1 << std::min(failures, doublings_max)));
}

std::optional<rpc::Id> HttpSession::send(const rpc::Message& message,
                                         SharedText body,
                                         http::Headers headers) {
  HttpPost post{.body = std::move(body),
                .call = message.kind() == rpc::Message::Kind::request ? message.id() : rpc::Id(),
                .method = message.method(),
                .headers = std::move(headers),
                .params = message.method() == mcp::method::initialize
                              ? SharedText::copy(message.params().raw())
                              : SharedText()};
  std::optional<rpc::Id> cancelled;
  if (post.is_call()) {
    is_stateless = post.is_stateless();
  } else if (post.method == mcp::method::initialized) {
    is_settling = true;
  } else if (post.method == mcp::method::cancelled) {
    cancelled = rpc::Id::from_json(message.params().find("requestId").raw());
  }
  // Nobody waits for the answer to a cancelled call. Its connection is closed; up to 2025-11-25 the
  // server is told as well, because a closed connection alone does not mean that (basic/transports,
  // "Sending Messages").
  if (!cancelled || !is_stateless) {
    waiting_bytes += post.body.size();
    started.push_back(std::make_shared<MessageExchange>(this, std::move(post)));
  }
  return cancelled;
}

void HttpSession::listen() {
  if (!is_silent) {
    started.push_back(std::make_shared<Listening>(this));
    listener = started.back().get();
    is_opening = true;
  }
}

std::optional<HttpAsk> HttpSession::goodbye() {
  if (id.empty()) {
    return std::nullopt;
  }
  HttpAsk ask;
  ask.method = "DELETE";
  ask.headers = headers("application/json, text/event-stream");
  ask.may_repeat = true;
  id.clear();
  return ask;
}

http::Headers HttpSession::headers(std::string_view accept) const {
  http::Headers headers{{.name = "Accept", .value = std::string(accept)}};
  if (!id.empty()) {
    headers.push_back({.name = "Mcp-Session-Id", .value = id});
  }
  if (!protocol_version.empty()) {
    headers.push_back({.name = "MCP-Protocol-Version", .value = protocol_version});
  }
  return headers;
}

HttpAsk HttpSession::ask_events(const std::string& last_event_id) const {
  HttpAsk ask;
  ask.method = "GET";
  ask.headers = headers("text/event-stream");
  if (!last_event_id.empty()) {
    ask.headers.push_back({.name = "Last-Event-ID", .value = last_event_id});
  }
  ask.may_repeat = true;
  return ask;
}

Error HttpSession::error(ErrorCode code, const std::string& what) const {
  return {code, url.origin() + ": " + what};
}

}  // namespace pi_mcp::transport
