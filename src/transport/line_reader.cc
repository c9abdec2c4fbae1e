#include "transport/line_reader.h"

#include <utility>

#include <boost/asio/this_coro.hpp>

namespace pi_mcp::transport {

LineReader::LineReader(io::ReadStream* stream,
                       Peer peer,
                       std::string name,
                       std::function<void(rpc::Outgoing)> answer,
                       rpc::LineLimits limits)
    : stream_(stream),
      answer_(std::move(answer)),
      limits_(limits),
      framer_(limits),
      name_(std::move(name)),
      intake_(peer, name_) {}

void LineReader::expect_end() {
  expects_end_ = true;
  stream_->cancel();
}

void LineReader::stop() {
  stopped_ = true;
  stream_->cancel();
}

std::optional<Result<rpc::Message>> LineReader::take_line() {
  while (auto line = framer_.next()) {
    LineIntake::Taken taken = intake_.take(*line, limits_.line_bytes_max);
    if (taken.answer.bytes() > 0) {
      answer_(std::move(taken.answer));
    }
    if (taken.message) {
      return *std::move(taken.message);
    }
  }
  return std::nullopt;
}

std::optional<Result<rpc::Message>> LineReader::receive_now() {
  if (stopped_) {
    return std::nullopt;
  }
  return take_line();
}

io::Task<Result<rpc::Message>> LineReader::receive() {
  for (;;) {
    if (stopped_) {
      co_return fail(ErrorCode::cancelled, "the link was closed");
    }
    if (auto message = take_line()) {
      co_return std::move(*message);
    }
    if (ended_) {
      co_return fail(ErrorCode::unavailable, name_ + " closed its output");
    }
    Result<std::size_t> count = 0;
    if (!expects_end_) {
      const auto state = co_await boost::asio::this_coro::cancellation_state;
      if (io::is_cancelled(state)) {
        co_return fail(ErrorCode::cancelled, "the link was closed");
      }
      count = co_await stream_->read_on(framer_.prepare());
    }
    if (expects_end_ && (!count || *count == 0)) {
      count = stream_->read_now(framer_.prepare());
    }
    if (!count && count.error().code() == ErrorCode::cancelled) {
      co_return fail(ErrorCode::cancelled, "the link was closed");
    }
    if (count && *count > 0) {
      framer_.commit(*count);
      continue;
    }
    ended_ = true;
    if (const auto line = framer_.finish()) {
      if (auto message = intake_.take_last(*line)) {
        co_return std::move(*message);
      }
    }
  }
}

}  // namespace pi_mcp::transport
