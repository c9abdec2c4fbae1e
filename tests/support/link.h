// A server under test at the other end of a transport: requests with answers, in a line each.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "io/loop/with_deadline.h"
#include "io/process/environment.h"
#include "json/writer.h"
#include "support/processes.h"
#include "test_programs.h"
#include "transport/stdio_child.h"

namespace pi_mcp::test {

inline transport::StdioChildOptions fake_server_options(std::vector<std::string> arguments) {
  transport::StdioChildOptions options;
  options.name = "fake";
  options.command = {.program = PI_MCP_FAKE_SERVER,
                     .arguments = std::move(arguments),
                     .environment = io::process_environment(),
                     .folder = "/"};
  options.close_times = {.after_input_end = Milliseconds(2000),
                         .after_terminate = Milliseconds(2000)};
  return options;
}

// "result TEXT", "failure MESSAGE", "request METHOD", "notification METHOD" or "ended REASON".
inline std::string describe(const Result<rpc::Message>& message) {
  if (!message) {
    return "ended " + message.error().message();
  }
  switch (message->kind()) {
    case rpc::Message::Kind::result: {
      const json::Value text = message->result().find("content").element(0).find("text");
      return "result " + (text ? text.string_or("") : std::string(message->result().raw()));
    }
    case rpc::Message::Kind::failure:
      return "failure " + message->error().find("message").string_or("");
    case rpc::Message::Kind::request:
      return "request " + message->method();
    case rpc::Message::Kind::notification:
      return "notification " + message->method();
    case rpc::Message::Kind::batch:
      return "batch";
  }
  return "";
}

class Link {
 public:
  explicit Link(std::unique_ptr<transport::Transport> transport)
      : transport_(std::move(transport)) {}

  static io::Task<Link> open(transport::StdioChildOptions options) {
    auto transport = co_await transport::open_stdio_child(std::move(options));
    if (!transport) {
      ADD_FAILURE() << transport.error().message();
      co_return Link(nullptr);
    }
    co_return Link(std::move(*transport));
  }

  transport::Transport& operator*() { return *transport_; }
  transport::Transport* operator->() { return transport_.get(); }

  // Sends tools/call; the id counts from 1.
  void call(std::string_view tool, std::string_view arguments = "{}") {
    const auto sent = transport_->send(
        rpc::request(rpc::Id(++last_id_),
                     "tools/call",
                     SharedText(R"({"name":)" + json::quoted(tool) + R"(,"arguments":)" +
                                std::string(arguments) + "}")));
    EXPECT_TRUE(sent) << sent.error().message();
  }

  io::Task<std::string> next() {
    const auto message = co_await io::with_deadline(patience, "receiving", transport_->receive());
    co_return describe(message);
  }

  io::Task<std::string> ask(std::string tool, std::string arguments = "{}") {
    call(tool, arguments);
    co_return co_await next();
  }

 private:
  std::unique_ptr<transport::Transport> transport_;
  std::int64_t last_id_ = 0;
};

}  // namespace pi_mcp::test
