// What all exchanges with one server behind a url know together. Streamable HTTP (MCP
// basic/transports): from 2025-03-26 to 2025-11-25 with a session that the server may give and
// forget, and a stream for what it says by itself; since 2026-07-28 without. HTTP+SSE (2024-11-05):
// one event stream for everything the server says, and a url, named in its first event, that takes
// our messages. Pure: no I/O, no clock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "http/message.h"
#include "http/url.h"
#include "rpc/message.h"
#include "transport/http/exchange.h"

namespace pi_mcp::transport {

// automatic: Streamable HTTP; HTTP+SSE when the first request is answered with 404, 405, 406 or
// 415, as the reference adapter decides, or with 400 and no JSON-RPC error (MCP basic/transports,
// "Backwards Compatibility").
enum class HttpKind : std::uint8_t { automatic, streamable_http, sse };

struct HttpTimes {
  Milliseconds notice_max{30'000};  // a message that no call waits for
  Milliseconds resume_first{1000};  // before the first try to resume; doubles, up to resume_max
  Milliseconds resume_max{30'000};  // unless the server says otherwise (retry)
  Milliseconds retry_after_max{30'000};  // a longer Retry-After is an error at once
  Milliseconds goodbye_max{2000};        // ending the session

  [[nodiscard]] Milliseconds resume_after(int failures) const;
};

struct HttpSession {
  http::Url url;
  HttpKind kind = HttpKind::automatic;
  HttpTimes times;
  std::size_t message_bytes_max = 0;  // one message, one body, one event
  bool has_credentials = false;       // among the headers of the configuration

  // Begins an exchange for a message of ours, whose text is `body`; `headers` as in
  // Transport::on_headers(). The call that the message cancels: its exchange has to be aborted.
  std::optional<rpc::Id> send(const rpc::Message& message, SharedText body, http::Headers headers);
  // Begun and not run yet.
  std::vector<std::shared_ptr<HttpExchange>> started;
  // The request that ends the session, if there is one.
  std::optional<HttpAsk> goodbye();

  std::size_t waiting_bytes = 0;  // of messages whose exchange has not ended
  std::uint64_t junk = 0;         // events that were not a message and are skipped

  // For exchanges.
  void listen();  // anew, unless the server says nothing by itself
  [[nodiscard]] http::Headers headers(std::string_view accept) const;
  [[nodiscard]] HttpAsk ask_events(const std::string& last_event_id) const;
  [[nodiscard]] Error error(ErrorCode code, const std::string& what) const;

  // Until 2025-11-25.
  std::string id;                // empty: the server has given none
  std::string protocol_version;  // negotiated
  SharedText initialize_params;  // of the handshake, to repeat it
  bool is_settling = false;      // notifications/initialized is on its way, others wait for it
  const HttpExchange* listener = nullptr;  // its stream; those of earlier sessions end
  bool is_opening = false;                 // the stream has not been answered yet
  bool is_silent = false;                  // the server has refused to have such a stream
  bool is_renewing = false;                // others wait for a new session
  std::optional<Error> renewal_error;      // of the last renewal: there is no session now
  int renewals = 0;
  // Since 2026-07-28.
  bool is_stateless = false;  // the newest call was

  // 2024-11-05.
  bool is_older = false;
  bool has_older_stream = false;
  std::string older_url;             // for messages; empty until the server has named it
  std::optional<Error> older_error;  // of the stream, once it is over
};

}  // namespace pi_mcp::transport
