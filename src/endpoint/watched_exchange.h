// A request over HTTP that is told about when it is over, for the access log and the metrics.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"
#include "endpoint/shares.h"
#include "io/net/http_server.h"

namespace pi_mcp::endpoint {

// What became of one request. Holds no secret: no header, no query, no body.
struct Served {
  std::string peer;
  std::string principal;  // the name of its token; empty: none
  std::string method;
  std::string path;
  std::string message;  // the method of its message; empty: none, or several
  int status = 0;
  std::size_t bytes = 0;  // of the answer's body
  bool is_gone = false;   // the client did not wait for the end
  Duration taken{};
};

class WatchedExchange final : public io::HttpExchange {
 public:
  using Told = std::function<void(const Served& served)>;

  WatchedExchange(std::shared_ptr<io::HttpExchange> inner, TimePoint began, Told told);
  WatchedExchange(const WatchedExchange&) = delete;
  WatchedExchange& operator=(const WatchedExchange&) = delete;
  ~WatchedExchange() override;

  void note_principal(std::string name) { served_.principal = std::move(name); }
  void note_message(std::string method) { served_.message = std::move(method); }
  // Is one more for as long as its answer is a stream.
  void count_stream(std::shared_ptr<std::size_t> streams) { streams_ = std::move(streams); }
  // What it takes of the share of its principal, for as long as it is there.
  void hold(Shares::Taken share) { share_.emplace(std::move(share)); }

  [[nodiscard]] const http::RequestHead& head() const override { return inner_->head(); }
  [[nodiscard]] const io::HttpPeer& peer() const override { return inner_->peer(); }
  [[nodiscard]] std::string take_body() override { return inner_->take_body(); }
  void reply(io::HttpReply reply) override;
  void begin(int status, http::Headers headers) override;
  void write(SharedText piece) override;
  void end() override;
  [[nodiscard]] std::size_t queued() const override { return inner_->queued(); }
  void when_gone(std::function<void()> gone) override { gone_ = std::move(gone); }

 private:
  void tell();
  void add_page_headers(http::Headers& headers) const;

  std::shared_ptr<io::HttpExchange> inner_;
  TimePoint began_;
  Told told_;
  Served served_;
  std::function<void()> gone_;
  std::optional<Shares::Taken> share_;
  std::shared_ptr<std::size_t> streams_;  // null: not counted
  bool is_stream_ = false;                // and is counted
};

// Of a request's target, without its query.
std::string shown_path(std::string_view target);
// One line of JSON, with its line feed.
std::string access_line(const Served& served, EpochMs now);

}  // namespace pi_mcp::endpoint
