// What a front and the shared process say to each other (attach/). Needs no other header: the
// waiter, which has no library, reads it too.
#pragma once

namespace pi_mcp::io {

// The first byte of a packet.
enum class PacketKind : unsigned char {
  greeting = 1,  // proves by the kernel's stamp who sends (io/net/packets.h)
  session = 2,   // front: the session and the host's descriptors
  attached = 3,  // shared process: from now on its memory counts
  refused = 4,   // shared process: the reason
  errors = 5,    // shared process: bytes for the host's stderr
  over = 6,      // shared process: the session has ended; the exit status in decimal digits
};

}  // namespace pi_mcp::io
