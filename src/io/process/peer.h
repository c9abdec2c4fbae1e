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

// The process that has connected, or that listens (who called listen(2)). Not open before
// Linux 6.5: then a greeting has to tell (greet_peer(), Greeter).
PeerProcess connected_peer(int socket);

[[nodiscard]] bool is_alive(const PeerProcess& peer);
// Whether it has ended within `limit`.
[[nodiscard]] bool ends_within(const PeerProcess& peer, Milliseconds limit);

// The greeting proves a process by what it sends after its pidfd was opened: the kernel stamps each
// packet with the id of its sender, and the pidfd shows that this is still the same process.
// The side that connected asks. unavailable: the other side went. protocol: it is not who it says.
Result<PeerProcess> greet_peer(int socket, Milliseconds limit);

// The same from the side that accepted, one greeting after another.
class Greeter {
 public:
  // A greeting of this sender has come.
  void note(pid_t sender);
  // The process, when two greetings have proven it; else not open.
  [[nodiscard]] PeerProcess take();

 private:
  PeerProcess peer_;
  bool proven_ = false;
};

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
