#include "endpoint/watched_exchange.h"

#include <chrono>

#include "endpoint/replies.h"
#include "io/loop/clock.h"
#include "json/writer.h"

namespace pi_mcp::endpoint {
namespace {

// A line of the log fits into a pipe at once.
constexpr std::size_t path_bytes_max = 256;

}  // namespace

std::string shown_path(std::string_view target) {
  return std::string(target.substr(0, target.find('?')).substr(0, path_bytes_max));
}

WatchedExchange::WatchedExchange(std::shared_ptr<io::HttpExchange> inner,
                                 TimePoint began,
                                 Told told)
    : inner_(std::move(inner)), began_(began), told_(std::move(told)) {
  served_.peer = inner_->peer().address;
  served_.method = inner_->head().method;
  served_.path = shown_path(inner_->head().target);
  inner_->when_gone([this] {
    served_.is_gone = true;
    tell();
    if (const auto gone = std::exchange(gone_, nullptr)) {
      gone();
    }
  });
}

WatchedExchange::~WatchedExchange() {
  inner_->when_gone(nullptr);
  tell();
}

void WatchedExchange::reply(io::HttpReply reply) {
  served_.status = reply.status;
  served_.bytes = reply.body.size();
  for (const SharedText& piece : reply.more) {
    served_.bytes += piece.size();
  }
  add_page_headers(reply.headers);
  inner_->reply(std::move(reply));
  tell();
}

void WatchedExchange::begin(int status, http::Headers headers) {
  served_.status = status;
  add_page_headers(headers);
  if (streams_ && told_ && !std::exchange(is_stream_, true)) {
    ++*streams_;
  }
  inner_->begin(status, std::move(headers));
}

void WatchedExchange::write(SharedText piece) {
  served_.bytes += piece.size();
  inner_->write(std::move(piece));
}

void WatchedExchange::end() {
  inner_->end();
  tell();
}

void WatchedExchange::add_page_headers(http::Headers& headers) const {
  for (http::Header& header : page_headers(inner_->head())) {
    headers.push_back(std::move(header));
  }
}

// Once.
void WatchedExchange::tell() {
  if (const auto told = std::exchange(told_, nullptr)) {
    if (std::exchange(is_stream_, false)) {
      --*streams_;
    }
    served_.taken = io::now() - began_;
    told(served_);
  }
}

std::string access_line(const Served& served, EpochMs now) {
  const auto taken = std::chrono::duration_cast<std::chrono::microseconds>(served.taken);
  json::Writer line;
  line.begin_object()
      .member("ms", now.value)
      .member("peer", served.peer)
      .member("token", served.principal)
      .member("method", served.method)
      .member("path", served.path);
  if (!served.message.empty()) {
    line.member("message", served.message);
  }
  line.member("status", served.status)
      .member("bytes", served.bytes)
      .member("took_us", taken.count());
  if (served.is_gone) {
    line.member("gone", true);
  }
  return line.end_object().take() + "\n";
}

}  // namespace pi_mcp::endpoint
