#include "transport/http/stream_exchange.h"

#include <algorithm>
#include <utility>

#include "http/url.h"
#include "transport/http/session.h"

namespace pi_mcp::transport {

HttpNext Listening::go_on() {
  if (!is_current()) {
    return end();
  }
  if (session_->is_renewing) {
    return HttpHold();
  }
  began_ = now_;
  return session_->ask_events(last_event_id_);
}

HttpNext Listening::on_head(const http::Head& /*head*/) {
  opened();
  if (answer_.is_event_stream()) {
    return read_events(0);
  }
  last_event_id_.clear();
  if (is_busy_status(answer_.status)) {
    return again();
  }
  const bool is_lost = answer_.status == 404 || answer_.status == 400;  // the session; not for ever
  session_->is_silent = is_current() && !is_lost;
  return end();
}

HttpNext Listening::on_error(Error error) {
  opened();
  const bool may_pass =
      error.code() == ErrorCode::unavailable || error.code() == ErrorCode::timed_out;
  return may_pass ? again() : end();
}

HttpNext Listening::on_events_over(std::optional<Error> /*why*/) {
  if (!answer_.events->last_event_id().empty()) {
    last_event_id_ = answer_.events->last_event_id();
  }
  retry_ = answer_.events->retry();
  return again();
}

HttpNext Listening::again() {
  constexpr std::chrono::seconds long_enough{30};
  if (!is_current()) {
    return end();
  }
  const HttpTimes& times = session_->times;
  failures_ = now_ - began_ > long_enough ? 0 : failures_ + 1;
  const Milliseconds pause = times.resume_after(std::max(failures_ - 1, 0));
  return HttpPause{std::min(std::max(retry_.value_or(pause), pause), times.resume_max)};
}

void Listening::on_end(HttpEnd& /*end*/) {
  opened();
  if (is_current()) {
    session_->listener = nullptr;
  }
}

// Or refused: nobody waits for it any more.
void Listening::opened() {
  session_->is_opening = session_->is_opening && !is_current();
}

bool Listening::is_current() const {
  return session_->listener == this;
}

HttpNext OlderStream::go_on() {
  return session_->ask_events("");
}

HttpNext OlderStream::on_head(const http::Head& /*head*/) {
  return answer_.is_event_stream() ? read_events(0) : read_refusal();
}

std::optional<HttpNext> OlderStream::on_event(http::SseEvent event) {
  if (event.type != "endpoint" || !session_->older_url.empty()) {
    return HttpExchange::on_event(std::move(event));
  }
  const Result<http::Url> url = http::join_url(session_->url, event.data);
  if (!url || url->origin() != session_->url.origin()) {
    return end(
        session_->error(ErrorCode::protocol,
                        "it wants messages at another origin, which must not get its credentials"));
  }
  session_->older_url = url->text();
  return std::nullopt;
}

HttpNext OlderStream::on_events_over(std::optional<Error> why) {
  return end(
      why.value_or(session_->error(ErrorCode::unavailable, "the server ended its event stream")));
}

void OlderStream::on_end(HttpEnd& end) {
  session_->older_error = end.error;
  end.ends_link = !session_->older_url.empty();
}

}  // namespace pi_mcp::transport
