// A server behind a url: Streamable HTTP (MCP 2025-03-26 and later), or HTTP+SSE (2024-11-05) when
// that is all it speaks.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "io/loop/task.h"
#include "io/net/http_client.h"
#include "secrets/secrets.h"
#include "transport/credentials.h"
#include "transport/http/session.h"
#include "transport/transport.h"

namespace pi_mcp::transport {

// A request before it is sent, for whoever adds headers to it.
struct UnsignedRequest {
  std::string method;
  std::string url;  // without user information
  std::string body;
};

struct HttpTransportOptions {
  std::string name;  // of the server, for messages
  std::string url;
  http::Headers headers;     // sent with every request to the url's origin; secret
  secrets::Secrets secrets;  // more that no message may have in it
  HttpKind kind = HttpKind::automatic;
  io::HttpClientOptions client;
  std::shared_ptr<Credentials> credentials;  // may be null
  // Asked for more headers of each request; they take the place of others of the same name, those
  // of `credentials` included, and are secret. Its errors are those of the request. May be empty.
  std::function<io::Task<Result<http::Headers>>(UnsignedRequest)> request_headers;
  std::size_t message_bytes_max = std::size_t{256} << 20U;  // one message, one body, one event
  HttpTimes times;
};

// No connection is made before the first message. A request that fails is the failure of its call
// only; the link itself does not end before close(). close() must have returned before destruction.
// No message of an error or the log contains the path of the url or a header's value.
// invalid_argument: the url.
Result<std::unique_ptr<Transport>> make_http_transport(const io::Executor& executor,
                                                       HttpTransportOptions options);

}  // namespace pi_mcp::transport
