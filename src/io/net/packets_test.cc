#include "io/net/packets.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <utility>

#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/loop/task_group.h"

namespace pi_mcp::io {
namespace {

class PacketsTest : public testing::Test {
 protected:
  PacketsTest() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    ours.reset(ends[0]);
    theirs.reset(ends[1]);
  }
  [[nodiscard]] ErrorCode receive_error() const {
    const auto packet = receive_packet(theirs.get());
    return packet ? ErrorCode::cancelled : packet.error().code();
  }
  Fd ours;
  Fd theirs;
};

TEST_F(PacketsTest, arrive_whole_with_their_files) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const Fd reader(pipe[0]);
  Fd writer(pipe[1]);
  const std::string text("a\0b", 3);
  ASSERT_TRUE(send_packet(ours.get(), PacketKind::session, text, {writer.get(), ours.get()}));
  writer.reset();
  const auto packet = receive_packet(theirs.get());
  ASSERT_TRUE(packet && *packet);
  EXPECT_EQ((*packet)->kind, PacketKind::session);
  EXPECT_EQ((*packet)->text, text);
  ASSERT_EQ((*packet)->files.size(), 2U);
  EXPECT_EQ(::write((*packet)->files[0].get(), "x", 1), 1);
  EXPECT_NE(::fcntl((*packet)->files[0].get(), F_GETFD) & FD_CLOEXEC, 0);
  char byte = 0;
  EXPECT_EQ(::read(reader.get(), &byte, 1), 1);
}

TEST_F(PacketsTest, say_who_sent_them_once_they_are_stamped) {
  ASSERT_TRUE(stamp_packets(theirs.get()));
  ASSERT_TRUE(send_packet(ours.get(), PacketKind::greeting, ""));
  const auto packet = receive_packet(theirs.get());
  ASSERT_TRUE(packet && *packet);
  EXPECT_EQ((*packet)->sender, ::getpid());
}

TEST_F(PacketsTest, none_yet_is_no_end) {
  const auto packet = receive_packet(theirs.get());
  ASSERT_TRUE(packet);
  EXPECT_FALSE(*packet);
  const auto late = await_packet(theirs.get(), Milliseconds(1));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::timed_out);
}

TEST_F(PacketsTest, of_who_has_gone_are_read_before_the_end) {
  ASSERT_TRUE(send_packet(theirs.get(), PacketKind::greeting, "nobody reads this"));
  ASSERT_TRUE(send_packet(ours.get(), PacketKind::attached, "the last"));
  ours.reset();  // with something unread: the system says ECONNRESET first
  const auto packet = await_packet(theirs.get(), Milliseconds(1000));
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->text, "the last");
  EXPECT_EQ(receive_error(), ErrorCode::unavailable);
  EXPECT_EQ(send_packet(theirs.get(), PacketKind::greeting, "").error().code(), ErrorCode::io);
}

TEST_F(PacketsTest, that_are_too_large_are_never_taken_in_part) {
  EXPECT_EQ(send_packet(ours.get(), PacketKind::errors, std::string(packet_text_max + 1, 'x'))
                .error()
                .code(),
            ErrorCode::invalid_argument);
  const std::string large(packet_text_max + 2, 'x');
  ASSERT_EQ(::send(ours.get(), large.data(), large.size(), 0), ssize_t(large.size()));
  EXPECT_EQ(receive_error(), ErrorCode::protocol);
  ASSERT_TRUE(send_packet(ours.get(), PacketKind::errors, std::string(packet_text_max, 'x')));
  const auto packet = receive_packet(theirs.get());
  ASSERT_TRUE(packet && *packet);
  EXPECT_EQ((*packet)->text.size(), packet_text_max);
}

TEST_F(PacketsTest, with_more_files_than_any_of_ours_leave_none_open) {
  constexpr std::size_t count = packet_files_max + 4;
  alignas(cmsghdr) std::array<unsigned char, CMSG_SPACE(sizeof(int) * count)> control{};
  char byte = 2;
  struct iovec part{.iov_base = &byte, .iov_len = 1};
  struct msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * count);
  for (std::size_t i = 0; i < count; ++i) {
    const int number = ours.get();
    std::copy_n(reinterpret_cast<const unsigned char*>(&number),
                sizeof number,
                CMSG_DATA(header) + i * sizeof number);
  }
  const Fd before(::dup(0));
  ASSERT_EQ(::sendmsg(ours.get(), &message, 0), 1);
  EXPECT_EQ(receive_error(), ErrorCode::protocol);
  const Fd after(::dup(0));
  EXPECT_EQ(after.get(), before.get() + 1);
}

TEST_F(PacketsTest, that_nobody_reads_are_refused_and_counted) {
  EXPECT_EQ(unread_bytes(ours.get()), 0U);
  Result<void> sent;
  int count = 0;
  while ((sent = send_packet(ours.get(), PacketKind::errors, std::string(packet_text_max, 'x')))) {
    ASSERT_LT(++count, 10'000);
  }
  EXPECT_EQ(sent.error().code(), ErrorCode::unavailable);
  EXPECT_GE(unread_bytes(ours.get()), std::size_t(count) * packet_text_max);
}

Task<std::string> receive_two(Executor executor, Fd ours, Fd theirs) {
  PacketStream stream(executor, std::move(theirs));
  TaskGroup tasks(executor);
  std::string seen;
  (void)send_packet(ours.get(), PacketKind::errors, "a");
  for (int i = 0; i < 2; ++i) {
    const auto packet = co_await stream.receive();
    seen += packet ? packet->text : "gone";
    ours.reset();
  }
  co_return seen;
}

TEST_F(PacketsTest, come_on_the_loop_too) {
  EXPECT_EQ(run([this](Executor executor) {
              return receive_two(std::move(executor), std::move(ours), std::move(theirs));
            }),
            "agone");
}

}  // namespace
}  // namespace pi_mcp::io
