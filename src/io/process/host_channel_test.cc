#include "io/process/host_channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/loop/task_group.h"

namespace pi_mcp::io {
namespace {

struct Ends {
  Fd ours;
  Fd hosts;
};

Ends connected() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {.ours = Fd(ends[0]), .hosts = Fd(ends[1])};
}

void say(const Fd& file, std::string_view text) {
  EXPECT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

Task<std::string> read_from(HostInput* input, std::size_t room) {
  std::string space(room, ' ');
  const Result<std::size_t> count = co_await input->read_some(space);
  EXPECT_TRUE(count);
  co_return space.substr(0, count.value_or(0));
}

Task<void> read_later(HostInput* input, std::string* text) {
  *text = co_await read_from(input, 100);
}

Task<int> read_pieces(Executor executor) {
  Ends ends = connected();
  Result<HostInput> input = HostInput::adopt(executor, std::move(ends.ours));
  say(ends.hosts, "one");
  EXPECT_EQ(co_await read_from(&*input, 100), "one");
  say(ends.hosts, "two, before it is waited for");
  EXPECT_EQ(co_await read_from(&*input, 3), "two");
  EXPECT_EQ(co_await read_from(&*input, 100), ", before it is waited for");
  std::string text;
  TaskGroup reading(executor);
  reading.spawn("reading", read_later(&*input, &text), log_only);
  say(ends.hosts, "three");
  co_await reading.join();
  EXPECT_EQ(text, "three");
  co_return 0;
}

TEST(HostInput, brings_what_a_socket_has_whenever_that_came) {
  run(read_pieces);
}

Task<int> read_to_the_end(Executor executor) {
  Ends ends = connected();
  Result<HostInput> input = HostInput::adopt(executor, std::move(ends.ours));
  say(ends.hosts, "last");
  ends.hosts.reset();
  EXPECT_EQ(co_await read_from(&*input, 100), "last");
  EXPECT_EQ(co_await read_from(&*input, 100), "");
  EXPECT_EQ(co_await read_from(&*input, 100), "");
  co_return 0;
}

TEST(HostInput, brings_the_end_of_a_socket_that_came_with_the_last_bytes) {
  run(read_to_the_end);
}

Task<int> read_much(Executor executor) {
  Ends ends = connected();
  Result<HostInput> input = HostInput::adopt(executor, std::move(ends.ours));
  EXPECT_TRUE(input);
  // Pieces that are shorter than the space, fill it, and lie in it behind one another.
  std::size_t said = 0;
  std::size_t heard = 0;
  for (std::size_t round = 0; round < 2001; ++round) {
    for (std::size_t piece = 0; piece <= round % 3; ++piece) {
      const std::string text((round * 7 + piece) % 40 + 1, 'x');
      say(ends.hosts, text);
      said += text.size();
    }
    // Some are left for the next round, but never more than the socket holds.
    while (heard + 64 * (round % 2) < said) {
      heard += (co_await read_from(&*input, 32)).size();
    }
  }
  EXPECT_EQ(heard, said);  // the last round leaves none
  co_return 0;
}

TEST(HostInput, loses_no_wake_up_whatever_the_pieces_are) {
  run(read_much);
}

}  // namespace
}  // namespace pi_mcp::io
