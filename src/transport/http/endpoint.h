// One MCP url and how it is asked: fixed headers, credentials, redirects, servers that are busy.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/url.h"
#include "io/loop/task.h"
#include "io/net/http_client.h"
#include "secrets/secrets.h"
#include "transport/http/http_transport.h"

namespace pi_mcp::transport {

// A request to the endpoint, or to another url of its origin.
struct HttpAsk {
  std::string method;
  std::string url;        // empty: the endpoint's own
  http::Headers headers;  // besides the fixed ones
  std::string body;
  bool may_repeat = false;  // as in io::Request
};

class HttpEndpoint {
 public:
  // invalid_argument: the url.
  static Result<std::unique_ptr<HttpEndpoint>> make(const io::Executor& executor,
                                                    HttpTransportOptions options);
  HttpEndpoint(const io::Executor& executor, HttpTransportOptions options, http::Url url);

  // Sends it, again after 429 or 503 with a Retry-After that is not too long, with new credentials
  // after 401 or 403 where there are any, and where a redirect inside the origin leads. Any other
  // status is the caller's affair. Besides what io::HttpClient says: unauthorized; unavailable (the
  // server is busy, or redirects elsewhere).
  io::Task<Result<std::unique_ptr<io::HttpResponse>>> ask(HttpAsk ask);

  // One sentence on an answer that is no use to us; its body may be empty.
  [[nodiscard]] Error complaint(int status,
                                const std::string& content_type,
                                std::string_view body) const;

  [[nodiscard]] const http::Url& url() const { return url_; }
  [[nodiscard]] const HttpTransportOptions& options() const { return options_; }
  // The same text without anything of the configured headers and url in it: servers may repeat
  // what they were sent.
  [[nodiscard]] std::string without_secrets(std::string text) const;

 private:
  using Answer = Result<std::unique_ptr<io::HttpResponse>>;
  void note_secret(const std::string& value);
  io::Task<Answer> send(HttpAsk ask, std::string token);
  [[nodiscard]] http::Request request_of(const HttpAsk& ask,
                                         const http::Url& to,
                                         const std::string& token) const;
  io::Task<Result<void>> add_headers(http::Request* request, std::string url);
  io::Task<Result<std::string>> token();
  io::Task<Result<void>> wait_while_busy(int status, std::optional<Milliseconds> wait, int times);
  io::Task<Result<bool>> take_refusal(http::Head head, std::string token, int attempt);

  HttpTransportOptions options_;
  http::Url url_;
  io::HttpClient client_;
  secrets::Secrets secrets_;
  std::deque<std::string> recent_secrets_;  // tokens and headers that change
};

// What an answer with this status and body says to people; the body may be empty. Pure.
Error http_complaint(int code, const std::string& content_type, std::string_view body);

}  // namespace pi_mcp::transport
