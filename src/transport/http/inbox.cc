#include "transport/http/inbox.h"

#include <utility>

namespace pi_mcp::transport {

io::Task<Result<void>> HttpInbox::push(rpc::Message message) {
  auto wake = io::Wake::notified;
  while (messages_.size() >= messages_max && !closed_ && wake != io::Wake::cancelled) {
    wake = co_await changed_.wait();
  }
  if (closed_ || wake == io::Wake::cancelled) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  messages_.push_back(std::move(message));
  changed_.notify_all();
  co_return Result<void>();
}

io::Task<Result<rpc::Message>> HttpInbox::receive() {
  for (;;) {
    if (closed_) {
      co_return fail(ErrorCode::cancelled, "the link was closed");
    }
    if (!messages_.empty()) {
      rpc::Message message = std::move(messages_.front());
      messages_.pop_front();
      changed_.notify_all();
      co_return message;
    }
    if (!end_reason_.empty()) {
      co_return fail(ErrorCode::unavailable, end_reason_);
    }
    const io::Wake wake = co_await changed_.wait();
    if (wake == io::Wake::cancelled) {
      co_return fail(ErrorCode::cancelled, "cancelled");
    }
  }
}

void HttpInbox::end(std::string why) {
  if (end_reason_.empty()) {
    end_reason_ = std::move(why);
    changed_.notify_all();
  }
}

void HttpInbox::close() {
  closed_ = true;
  changed_.notify_all();
}

}  // namespace pi_mcp::transport
