// Who is at the other end of a local socket, for sure: ids of processes are used again, so never by
// an id alone.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "io/files/fd.h"

namespace pi_mcp::io {

struct PeerProcess {
  pid_t id = 0;
  Fd alive;  // a pidfd: becomes readable when that process ends
};

// The process that has connected, or that listens (who called listen(2)). `alive` is not open
// before Linux 6.5, or when that process has gone.
PeerProcess connected_peer(int socket);

// The process that has this id now. It is who sent a packet with that id only if what was sent
// shows that it was written later than this call, and it is alive afterwards.
PeerProcess process_now(pid_t id);

[[nodiscard]] bool is_alive(const PeerProcess& peer);
// Whether it has ended within `limit`.
[[nodiscard]] bool ends_within(const PeerProcess& peer, Milliseconds limit);

// A secret that only those can read who may look into this process (ptrace read): the name of a
// file in memory, shown by the link /proc/PID/fd/N. Every security module denies that from inside a
// jail; a Landlock rule that root has set shows nowhere else.
class Proof {
 public:
  static Result<Proof> make();
  [[nodiscard]] const std::string& secret() const { return secret_; }

 private:
  Proof(std::string secret, Fd file) : secret_(std::move(secret)), file_(std::move(file)) {}
  std::string secret_;
  Fd file_;
};

// The secret of that process; empty: it has none, or we may not look.
std::string proof_of(pid_t process);

}  // namespace pi_mcp::io
