// HTTP+SSE (MCP 2024-11-05, basic/transports): one event stream for everything the server says, and
// a url, named in its first event, that takes our messages.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "transport/http/endpoint.h"
#include "transport/http/events.h"
#include "transport/http/inbox.h"
#include "transport/http/post.h"

namespace pi_mcp::transport {

class LegacySse {
 public:
  // All three outlive this.
  LegacySse(const io::Executor& executor,
            HttpEndpoint* endpoint,
            HttpInbox* inbox,
            io::TaskGroup* tasks)
      : endpoint_(endpoint), inbox_(inbox), tasks_(tasks), changed_(executor) {}

  // Opens the stream if it is not open yet, and sends the message; its answer comes into the inbox
  // whenever the server sends it. The end of the stream is the end of the inbox. unavailable,
  // protocol, unauthorized, cancelled.
  io::Task<Result<void>> post(HttpPost post);

 private:
  io::Task<void> read_stream();
  void end(Error error);
  io::Task<Error> follow();
  io::Task<void> take_event(http::SseEvent event);

  HttpEndpoint* endpoint_;
  HttpInbox* inbox_;
  io::TaskGroup* tasks_;
  bool is_started_ = false;
  std::string post_url_;        // empty until the server has named it
  std::optional<Error> error_;  // of the stream, once it is over
  io::Condition changed_;       // post_url_ or error_
};

}  // namespace pi_mcp::transport
