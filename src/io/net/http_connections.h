// The connections of one HTTP client: made directly or through a proxy, with TLS where the url says
// so, counted, and kept for reuse.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "http/address_rule.h"
#include "http/parser.h"
#include "http/url.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "io/net/http_client.h"
#include "io/net/resolve.h"
#include "io/net/socket.h"

namespace pi_mcp::io {

class HttpConnections;

// Where a request goes, and who said so.
struct HttpRoute {
  http::Url url;
  std::optional<http::Url> proxy;
  std::shared_ptr<const http::AddressRule> named_under;  // null: the user named the url

  // What may share a connection: one to a url of the user was not checked.
  [[nodiscard]] std::string key() const { return (named_under ? "named " : "") + url.origin(); }
};

// A connection in use, counted for as long as it is.
class PooledConnection {
 public:
  explicit PooledConnection(std::shared_ptr<HttpConnections> connections);
  PooledConnection(const PooledConnection&) = delete;
  PooledConnection& operator=(const PooledConnection&) = delete;
  ~PooledConnection() { end(); }

  // The next request with this HttpRoute::key() may have it within `for_time`; 0: it is closed.
  void give_back(std::string key, Milliseconds for_time);

  std::unique_ptr<Socket> socket;
  bool is_reused = false;

 private:
  void end();
  std::shared_ptr<HttpConnections> connections_;
};

class HttpConnections {
 public:
  HttpConnections(Executor executor, HttpClientOptions options)
      : options_(std::move(options)), freed_(std::move(executor)) {}

  enum class Reuse : std::uint8_t { allowed, never };

  // A connection to the origin of the url; waits while connections_max are in use. Errors are those
  // of HttpClient without the origin.
  static Task<Result<std::unique_ptr<PooledConnection>>> obtain(
      std::shared_ptr<HttpConnections> connections, HttpRoute route, Reuse reuse);

  void drop_idle() { idle_.clear(); }
  [[nodiscard]] std::size_t idle() const { return idle_.size(); }
  [[nodiscard]] const HttpClientOptions& options() const { return options_; }

 private:
  friend class PooledConnection;
  struct Idle {
    std::string key;
    std::unique_ptr<Socket> socket;
    TimePoint until;
  };

  // A connection that works again, or null.
  std::unique_ptr<Socket> take_idle(std::string_view key);
  void keep(Idle unused);

  static Task<Result<std::unique_ptr<Socket>>> connect(HttpConnections* connections,
                                                       HttpRoute route);
  static Task<Result<std::vector<Address>>> allowed_addresses(HttpConnections* connections,
                                                              const HttpRoute* route);
  static Task<void> visit_own_url(HttpConnections* connections, std::string url);
  // One of the user's urls is in this place: its text shows that, or we were connected to it there.
  [[nodiscard]] bool is_own(const http::AddressRule& rule, http::Place place) const;
  [[nodiscard]] bool has_visited(const http::AddressRule& rule) const;

  HttpClientOptions options_;
  std::vector<Idle> idle_;
  std::map<std::string, http::Place>
      places_;  // of urls that the user named: by origin, where they led to
  std::size_t in_use_ = 0;
  Condition freed_;  // in_use_ went down
};

// Reads until the parser has the head of the answer; what came of its body is appended to `body`.
Task<Result<void>> read_http_head(Socket* socket, http::HttpParser* parser, std::string* body);

void add_http_header(std::string& head, std::string_view name, std::string_view value);

// The value of an Authorization header for the user information of a url.
std::string http_basic_credentials(const http::Url& url);

}  // namespace pi_mcp::io
