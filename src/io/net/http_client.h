// HTTP/1.1 for every part that talks to a web server: one request, the head of its answer, then the
// body in pieces, so that streams can be followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pinned.h"
#include "base/result.h"
#include "base/time.h"
#include "http/message.h"
#include "io/loop/task.h"
#include "io/net/resolve.h"

namespace pi_mcp::io {

struct HttpClientOptions {
  // HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY (also in lower case), SSL_CERT_FILE, SSL_CERT_DIR
  // and NODE_EXTRA_CA_CERTS are looked up here; the rest is ignored.
  std::map<std::string, std::string> environment;
  std::string ca_file;  // PEM, absolute path; replaces the system's roots. Empty: system roots
  http::Limits limits;
  std::size_t connections_max = 64;     // open at once; more requests wait for one to be free
  Milliseconds connect_max{15'000};     // name, connection, proxy and TLS together
  Milliseconds write_max{60'000};       // sending one request
  Milliseconds keep_alive_max{60'000};  // an unused connection is not used again after this
  // In the place of resolve(), where a test says what names mean.
  std::function<Task<Result<std::vector<Address>>>(std::string host, std::uint16_t port)> look_up;
};

// One answer under way. Destroying it before its end closes its connection; after its end the
// connection serves the next request.
class HttpResponse : Pinned {
 public:
  virtual ~HttpResponse() = default;

  [[nodiscard]] virtual const http::Head& head() const = 0;
  // The origin of the request; every error of an answer begins with it.
  [[nodiscard]] virtual const std::string& origin() const = 0;

  // Waits for the next bytes of the body; they stay valid until the next call. Empty: the end.
  // unavailable: the connection broke before the end. protocol: broken framing. cancelled.
  virtual Task<Result<std::string_view>> read() = 0;

  // The rest of the body. protocol: it is larger than `bytes_max`.
  Task<Result<std::string>> read_all(std::size_t bytes_max);
};

class HttpConnections;

// Keeps connections for reuse, per origin. Follows no redirects and keeps no cookies. Nothing of
// TLS is set up before the first https request. Errors name the origin and never a path, query,
// header or proxy password: unavailable (name, connection, certificate, or closed before an answer
// came), protocol (not HTTP), timed_out (a phase took longer than its limit), invalid_argument (the
// url), cancelled (the waiting task was cancelled; its connection is closed).
class HttpClient {
 public:
  HttpClient(Executor executor, HttpClientOptions options);
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient();

  // Sends one request; returns when the head of its answer is there, whatever its status. Answers
  // may outlive the client.
  Task<Result<std::unique_ptr<HttpResponse>>> send(http::Request request);

  // send() and the whole body of at most `body_max` bytes, all within `limit`.
  Task<Result<http::Answer>> fetch(http::Request request, Milliseconds limit, std::size_t body_max);

  // Unused connections now kept; for tests and diagnostics.
  [[nodiscard]] std::size_t idle_connections() const;

 private:
  std::shared_ptr<HttpConnections> state_;
};

}  // namespace pi_mcp::io
