// All connections of the process, shared by launch key. Starts a server once however many callers
// ask, remembers why one failed, closes everything in parallel.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "io/task.h"
#include "servers/connection.h"
#include "servers/launch.h"

namespace pi_mcp::servers {

enum class ConnectionState : std::uint8_t { idle, connecting, connected, failed };

struct PoolStatus {
  ConnectionState state = ConnectionState::idle;
  std::string reason;                  // failed: why
  std::optional<TimePoint> failed_at;  // of the last failure, until a success
  std::optional<TimePoint> connected_at;
  int process_id = 0;
};

enum class Use : std::uint8_t {
  implicit,    // a call needs the server: refused for 60 s after a failure
  on_demand,   // the user asked to connect: always tried
  background,  // nobody waits for it (warm-up): as implicit, but waits its turn, see handshakes_max
};

// After a failed start, implicit use is refused for this long.
constexpr Milliseconds failure_backoff{60'000};

class Pool {
 public:
  struct Options {
    std::string client_name = "pi-mcp";
    // Background starts at once; more wait their turn. Starts that a call or a person waits for do
    // not: one hung server must never delay another.
    std::size_t handshakes_max = 10;
    Milliseconds failure_backoff = servers::failure_backoff;
  };
  // Makes the transport of a launch; replaced in tests.
  using Connector = std::function<io::Task<Result<std::unique_ptr<transport::Transport>>>(Launch)>;

  Pool(io::Executor executor, Options options, Connector connector);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  Pool(Pool&&) = delete;
  Pool& operator=(Pool&&) = delete;
  ~Pool();

  // The open connection of this key, or a new one. Concurrent callers share one start; a caller
  // that is cancelled does not stop a start that others wait for. unavailable: the start failed, or
  // backoff refuses it; the message has phase, reason, exit status and stderr tail.
  io::Task<Result<std::shared_ptr<Connection>>> acquire(Launch launch, Use use);

  // The open connection of this key, or null; starts nothing. The cheap way for a call to a server
  // that is in use: no launch has to be resolved.
  [[nodiscard]] std::shared_ptr<Connection> find(std::string_view key) const;

  // Told about every connection of a key from now on; `owner` names the subscriber for
  // unsubscribe().
  void subscribe(std::string key, const void* owner, ConnectionEvents events);
  void unsubscribe(const void* owner);

  [[nodiscard]] PoolStatus status(std::string_view key) const;
  // Last stderr of the server of this key, printable; also after it ended.
  [[nodiscard]] std::string stderr_tail(std::string_view key) const;

  // Closes one server and waits until it is gone; a start under way fails.
  io::Task<void> stop(std::string key);
  // Closes every server in parallel and refuses new ones.
  io::Task<void> close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pi_mcp::servers
