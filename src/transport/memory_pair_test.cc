#include "transport/memory_pair.h"

#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/loop/task_group.h"
#include "transport/line_writer.h"

namespace pi_mcp::transport {
namespace {

rpc::Outgoing ping(int id) {
  return rpc::request(rpc::Id(id), "ping", SharedText());
}

io::Task<int> exchange(io::Executor executor) {
  auto [host, server] = make_memory_pair(executor);
  EXPECT_TRUE(host->send(ping(1)));
  EXPECT_TRUE(host->send(rpc::Outgoing("no message")));
  EXPECT_TRUE(host->send(ping(2)));
  const auto first = co_await server->receive();
  const auto second = co_await server->receive();
  EXPECT_EQ(first->method(), "ping");
  EXPECT_EQ(second->id().json(), "2");
  EXPECT_EQ(server->counters().junk_lines, 1U);
  co_await host->close();
  const auto at_server = co_await server->receive();
  EXPECT_EQ(at_server.error().code(), ErrorCode::unavailable);
  const auto at_host = co_await host->receive();
  EXPECT_EQ(at_host.error().code(), ErrorCode::cancelled);
  EXPECT_EQ(server->send(ping(3)).error().code(), ErrorCode::io);
  co_return 0;
}

TEST(MemoryPair, hands_over_messages_until_one_end_closes) {
  io::run(exchange);
}

io::Task<void> receive_one(Transport* link, std::string* outcome) {
  const auto message = co_await link->receive();
  *outcome = message ? message->method() : message.error().message();
}

io::Task<int> cancel_receive(io::Executor executor) {
  auto [host, server] = make_memory_pair(executor);
  io::TaskGroup tasks(executor);
  std::string outcome;
  tasks.spawn("receiving", receive_one(server.get(), &outcome), io::log_only);
  tasks.cancel();
  co_await tasks.join();
  EXPECT_EQ(outcome, "cancelled");
  EXPECT_TRUE(host->send(ping(1)));
  tasks.spawn("receiving", receive_one(server.get(), &outcome), io::log_only);
  co_await tasks.join();
  EXPECT_EQ(outcome, "ping");
  co_return 0;
}

TEST(MemoryPair, a_cancelled_receive_loses_no_message) {
  io::run(cancel_receive);
}

io::Task<void> drain_to(Transport* link, std::size_t bytes, std::string* outcome) {
  const auto drained = co_await link->drain(bytes);
  *outcome = drained ? "drained" : drained.error().message();
}

io::Task<int> fill(io::Executor executor) {
  auto [host, server] = make_memory_pair(executor);
  const SharedText large(R"({"text":")" + std::string(queue_bytes_max, 'x') + "\"}");
  EXPECT_TRUE(host->send(rpc::request(rpc::Id(1), "large", large)));  // one always fits
  EXPECT_EQ(host->send(ping(2)).error().message(),
            "the other side does not read: 64.0MB are waiting");
  io::TaskGroup tasks(executor);
  std::string outcome;
  tasks.spawn("draining", drain_to(host.get(), 0, &outcome), io::log_only);
  const auto message = co_await server->receive();
  EXPECT_EQ(message->method(), "large");
  co_await tasks.join();
  EXPECT_EQ(outcome, "drained");
  EXPECT_TRUE(host->send(ping(3)));
  co_return 0;
}

TEST(MemoryPair, an_end_that_does_not_read_is_told_apart_from_one_that_does) {
  io::run(fill);
}

}  // namespace
}  // namespace pi_mcp::transport
