// All connections of the process, shared by launch key. Starts a server once however many callers
// ask, keeps or stops it as those who lease it want (servers/lifecycle.h), closes everything in
// parallel.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "io/loop/task.h"
#include "servers/launch/launch.h"
#include "servers/lifecycle.h"
#include "servers/link/connection.h"
#include "servers/share/parting.h"
#include "servers/start_limiter.h"

namespace pi_mcp::servers {

// What is true of one launch key now.
struct PoolStatus {
  LifecycleState state = LifecycleState::stopped;
  // failed, waiting, starting again: why the last start failed or the connection ended. stopped:
  // why the connection ended, unless we stopped it. Empty while it is ready.
  std::string reason;
  ErrorCode code = ErrorCode::unavailable;  // of the reason: unauthorized, or that it is not there
  std::shared_ptr<const Remedy> remedy;     // of the reason; may be null
  std::optional<TimePoint> failed_at;       // of the last start, until one succeeds
  bool refuses_use = false;                 // because of that
  std::optional<TimePoint> next_try;        // waiting
  std::optional<TimePoint> connected_at;    // ready
  int process_id = 0;                       // ready
  std::size_t calls_in_flight = 0;
  std::uint64_t restarts = 0;      // connections after the first one
  std::uint64_t late_answers = 0;  // came when nobody waited for them any more, and were dropped
};

// A server that runs, starts, or has failed, for whoever wants to show it.
struct PoolRun {
  std::string key;        // see Launch::key()
  std::string server;     // the configured name
  std::string entry;      // see Launch
  std::string principal;  // see Launch
  std::string cwd;        // of its process; empty: it has none here
  PoolStatus status;
  std::size_t tools = 0;    // that it has listed
  std::string stderr_tail;  // see Pool::stderr_tail()
  secrets::Secrets secrets;
};

enum class Use : std::uint8_t {
  implicit,    // a call needs the server: refused for 60 s after a failure that cost something
  on_demand,   // the user asked to connect: always tried
  background,  // nobody waits for it (warm-up): as implicit, and calls go first
};

// What one session wants of a server, and what it wants to be told about it.
struct Lease {
  LifecyclePolicy policy;
  // How long the server is kept once nobody has a lease on it.
  Milliseconds linger{0};
  // How long a claim outlives the session that rests it, see Pool::rest(); nullopt: for good.
  std::optional<Milliseconds> rest_max = std::nullopt;
  // The session in the calls that it makes (CallOptions::session), its name among all, which
  // several may have that count as one, and what it has declared.
  const void* session = nullptr;
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string session_name = {};
  // config::entry_identity() of an entry that a project's files bring; empty: the user's own.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string project_entry = {};
  mcp::ClientFeatures features = {};
  // A new connection is ready, whoever asked for it.
  std::function<void(const std::shared_ptr<Connection>&)> started;
  std::function<void()> failed;  // a start has; PoolStatus::reason says why
  // The session's host, for what the server asks of its own accord; null when there is none.
  std::function<std::shared_ptr<HostLink>()> host;
  ConnectionEvents events;
  // This session needs another connection from its next use on: what it has here is not for it
  // any more. It gives up the lease.
  std::function<void()> parted;
  // Some session has told its roots, this one or another.
  std::function<void(const std::string& roots, bool is_own)> told_roots;
};

class Pool {
 public:
  struct Options {
    std::string client_name = "pi-mcp";
    StartLimits starts = {};
    // For the answer of a server that is asked whether it is still there, see
    // LifecycleAction::check.
    Milliseconds check_max{10'000};
    Milliseconds list_fresh_min{5000};  // see LiveConnection::Options
    LifecycleLimits limits = {};
  };
  // Makes the transport of a launch; replaced in tests.
  using Connector = std::function<io::Task<Result<std::unique_ptr<transport::Transport>>>(Launch)>;

  Pool(io::Executor executor, Options options, Connector connector);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  // The open connection of this key, or a new one. Concurrent callers share one start; a caller
  // that is cancelled does not stop a start that others wait for. unavailable: the start failed, or
  // backoff refuses it; the message has phase, reason, exit status and stderr tail. Without a lease
  // on its key a server is kept until it is stopped.
  io::Task<Result<std::shared_ptr<Connection>>> acquire(Launch launch, Use use);

  // `owner` names the lease for release(); its older one of the same key is replaced. A server is
  // kept as long as any lease wants it; when its last lease goes it is stopped after its last call.
  void lease(const std::string& key, const void* owner, Lease lease);
  void release(const void* owner);
  // The owner ends without ending its claims: they stay, as long as Lease::rest_max says, for those
  // who come after it.
  void rest(const void* owner);

  // Takes claims back that rest and are `wanted`; a server that nobody else wants is stopped. The
  // keys of these.
  using ClaimFilter = std::function<bool(const std::string& server, const Lease& claim)>;
  std::vector<std::string> drop_claims(const ClaimFilter& wanted);

  // The launch as it is to be leased and acquired. Where a connection is open that another session
  // has begun and that will do, because it was told at least the same features and, if it has
  // asked, the same roots: as that one. A connection that will not do is not used.
  [[nodiscard]] Launch placed(Launch launch) const;
  // From now on this server is for the sessions of one name, those who say so first; all others
  // are parted from it.
  void keep_for(const std::string& key, const std::string& session_name);
  // Several have leases on it, and it has been told roots.
  [[nodiscard]] bool shares_roots(const std::string& key) const;

  // The configured names of those that are ready.
  [[nodiscard]] std::vector<std::string> running() const;
  // All that somebody has a claim on, in the order of their keys.
  [[nodiscard]] std::vector<PoolRun> runs() const;
  // Those that run more than once under one name; `entry` gives the entry of such a name, or null.
  [[nodiscard]] std::vector<Copies> copies(
      const std::function<const config::Server*(const std::string& name)>& entry) const;
  // Whether any server runs, starts or is being ended.
  [[nodiscard]] bool has_servers() const;
  [[nodiscard]] PoolStatus status(std::string_view key) const;
  // Last stderr of the server of this key, printable; also after it ended. After an end by itself
  // what the run before said comes first.
  [[nodiscard]] std::string stderr_tail(std::string_view key) const;

  // Closes one server and waits until what ran is gone; a start under way fails. It stays stopped,
  // also one that is kept alive, until it is needed again, which may be meanwhile.
  io::Task<void> stop(std::string key);
  // The same with every server that is configured under this name, in whichever session; with an
  // empty one with all. The name of each that ran. Claims that rest on them are gone.
  io::Task<std::vector<std::string>> stop_named(std::string name);
  // The same with those of one name that no session has a lease on. Where one has, claims that rest
  // on it are gone all the same: it ends with its sessions.
  io::Task<std::vector<std::string>> stop_resting(std::string name);
  // Closes every server in parallel and refuses new ones.
  io::Task<void> close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pi_mcp::servers
