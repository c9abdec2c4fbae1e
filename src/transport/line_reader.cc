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

// What there is to say without reading; nothing: it takes a read.
std::optional<Result<rpc::Message>> LineReader::take_known() {
  if (stopped_) {
    return fail(ErrorCode::cancelled, "the link was closed");
  }
  if (auto message = take_line()) {
    return message;
  }
  if (ended_) {
    return fail(ErrorCode::unavailable, name_ + " closed its output");
  }
  return std::nullopt;
}

// The outcome of a read: a last line, or why the stream has ended; nullopt: go on.
std::optional<Result<rpc::Message>> LineReader::take_read(Result<std::size_t> count) {
  if (expects_end_ && (!count || *count == 0)) {
    count = stream_->read_now(framer_.prepare()).value_or(0);
  }
  if (!count && count.error().code() == ErrorCode::cancelled) {
    return fail(ErrorCode::cancelled, "the link was closed");
  }
  if (count && *count > 0) {
    framer_.commit(*count);
    return std::nullopt;
  }
  ended_ = true;
  if (const auto line = framer_.finish()) {
    if (auto message = intake_.take_last(*line)) {
      return *std::move(message);
    }
  }
  return std::nullopt;
}

io::Task<Result<rpc::Message>> LineReader::receive() {
  for (;;) {
    if (auto known = take_known()) {
      co_return *std::move(known);
    }
    Result<std::size_t> count = 0;
    if (!expects_end_) {
      const auto state = co_await boost::asio::this_coro::cancellation_state;
      if (io::is_cancelled(state)) {
        co_return fail(ErrorCode::cancelled, "the link was closed");
      }
      count = co_await stream_->read_on(framer_.prepare());
    }
    if (auto last = take_read(std::move(count))) {
      co_return *std::move(last);
    }
  }
}

}  // namespace pi_mcp::transport
