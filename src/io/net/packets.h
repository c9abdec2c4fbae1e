// Whole packets with descriptors between processes of this machine, over SOCK_SEQPACKET.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/pinned.h"
#include "base/result.h"
#include "base/time.h"
#include "io/files/fd.h"
#include "io/loop/task.h"
#include "io/net/packet_kind.h"

namespace pi_mcp::io {

inline constexpr std::size_t packet_text_max = 4095;
inline constexpr std::size_t packet_files_max = 8;

struct Packet {
  PacketKind kind{};
  std::string text;
  std::vector<Fd> files;
  pid_t sender = 0;  // as the kernel says; 0: it does not (see stamp_packets())
};

// From now on the kernel says with each packet that arrives here which process has sent it.
Result<void> stamp_packets(int socket);

// Sends all of it or nothing, and never waits. unavailable: there is no room. io: nobody is at the
// other end any more, or the system refuses. invalid_argument: too long, too many files.
Result<void> send_packet(int socket,
                         PacketKind kind,
                         std::string_view text,
                         std::initializer_list<int> files = {});

// The next packet; nullopt when none is there yet. unavailable: the other side is gone, and all it
// has sent was read. protocol: a packet that is empty, or longer than any of ours.
Result<std::optional<Packet>> receive_packet(int socket);

// The next packet, for a program without a loop. timed_out; else as receive_packet().
Result<Packet> await_packet(int socket, Milliseconds limit);

// Whether there is a packet, or the other side has gone, within `limit`. For a program without a
// loop.
bool await_news(int socket, Milliseconds limit);

// Neither side sends any more; what is on its way can still be received.
void end_connection(const Fd& socket);

// How many bytes that were sent there the other side has not read yet.
std::size_t unread_bytes(int socket);

// One end on the loop.
class PacketStream : Pinned {
 public:
  PacketStream(const Executor& executor, Fd socket);

  // Waits for the next packet. One caller at a time. cancelled; else as receive_packet().
  Task<Result<Packet>> receive();
  [[nodiscard]] int number() { return descriptor_.native_handle(); }
  void close();

 private:
  boost::asio::posix::stream_descriptor descriptor_;
};

}  // namespace pi_mcp::io
