#include "io/process/handed_streams.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include <gtest/gtest.h>

#include "support/processes.h"

namespace pi_mcp::io {
namespace {

std::string why_not(int stream) {
  const auto good = can_be_handed(stream);
  return good ? "" : good.error().message();
}

std::array<Fd, 2> sockets(int type) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

TEST(HandedStreamsTest, pipes_and_stream_sockets_can_be_handed) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const Fd reader(ends[0]);
  const Fd writer(ends[1]);
  EXPECT_EQ(why_not(reader.get()), "");
  EXPECT_EQ(why_not(writer.get()), "");
  EXPECT_EQ(why_not(sockets(SOCK_STREAM)[0].get()), "");
}

TEST(HandedStreamsTest, the_rest_says_what_it_is) {
  const test::TempFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("fifo").c_str(), 0600), 0);
  const Fd fifo(::open(folder.file("fifo").c_str(), O_RDWR | O_CLOEXEC));
  const Fd file(::open(folder.file("file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  const Fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(why_not(fifo.get()), "is a named FIFO");
  EXPECT_EQ(why_not(file.get()), "is neither a pipe nor a socket");
  EXPECT_EQ(why_not(nothing.get()), "is neither a pipe nor a socket");
  EXPECT_EQ(why_not(sockets(SOCK_SEQPACKET)[0].get()), "is a socket, but no stream");
  EXPECT_NE(why_not(-1), "");
}

}  // namespace
}  // namespace pi_mcp::io
