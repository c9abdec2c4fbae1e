// Sends requests to one MCP url, with its fixed headers and its credentials.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "base/result.h"
#include "http/url.h"
#include "io/loop/task.h"
#include "io/net/http_client.h"
#include "secrets/secrets.h"
#include "transport/http/attempts.h"
#include "transport/http/http_transport.h"

namespace pi_mcp::transport {

class HttpEndpoint {
 public:
  using Answer = Result<std::unique_ptr<io::HttpResponse>>;

  HttpEndpoint(const io::Executor& executor, HttpTransportOptions options, http::Url url);

  // Sends it until there is an answer that HttpAttempts calls final. Besides what io::HttpClient
  // says: unauthorized; unavailable (the server redirects elsewhere).
  io::Task<Answer> ask(HttpAsk ask);

  // The same text without anything of the configured headers and url in it: servers may repeat
  // what they were sent.
  [[nodiscard]] std::string without_secrets(std::string text) const;

 private:
  io::Task<Result<std::string>> token();
  io::Task<Answer> send(const HttpAsk* ask, http::Url to, std::string token);
  io::Task<Result<bool>> prepare_next(HttpAttempts::Next next,
                                      Answer* answer,
                                      std::optional<std::string>* token);
  io::Task<Result<void>> add_headers(http::Request* request, std::string url);
  void note_secret(const std::string& value);

  HttpTransportOptions options_;
  http::Url url_;
  io::HttpClient client_;
  secrets::Secrets secrets_;
  std::deque<std::string> recent_secrets_;  // tokens and headers that change
};

}  // namespace pi_mcp::transport
