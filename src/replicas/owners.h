// Which replica holds a session: kept in the store, so that a request that comes to another one
// finds it (docs/decisions/0081-replicas.md).
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "access/session_keys.h"
#include "base/pinned.h"
#include "base/result.h"
#include "base/time.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "replicas/redis.h"

namespace pi_mcp::replicas {

struct Whereabouts {
  enum class Where : std::uint8_t { here, elsewhere, ended };
  Where where = Where::here;
  // Of the replica that holds it, where it is elsewhere.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string url = {};
  // What the store has of it: that url, sealed, so that nobody but replicas can lead requests.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string sealed = {};
};

class Owners : Pinned {
 public:
  // So long after its last renewal a replica no longer holds a session.
  static constexpr std::chrono::seconds claim_seconds{60};
  static constexpr Milliseconds renewal_pause{20'000};
  // Of other replicas' sessions, so that the store is asked once.
  static constexpr std::size_t known_max = 65'536;

  struct Options {
    std::string own_url;           // where other replicas reach this one
    std::chrono::seconds age_max;  // of a session
    // Another replica holds this session now.
    std::function<void(const std::string& nonce)> lost;
  };
  // `store` and `keys` outlive it.
  Owners(const io::Executor& executor,
         Redis& store,
         const access::SessionKeys& keys,
         Options options);

  // For a session that is not here: who holds it. Nobody, or `gone` (Whereabouts::sealed), which
  // has been seen not to listen any more: then this one does from now on. Where the store cannot be
  // asked, what was known last, and this one in place of a gone one. unavailable: nothing is known;
  // cancelled.
  io::Task<Result<Whereabouts>> find(std::string nonce, std::string gone);
  // That replica has said that it does not hold this session.
  void forget(const std::string& nonce) { known_.erase(nonce); }
  // A session has begun here.
  void claim(const std::string& nonce);
  // Nothing is left of one here that its id does not say, so any replica may go on.
  void release(const std::string& nonce);
  // Its client has ended it, everywhere.
  void end(const std::string& nonce);
  // Every second or so: those that are here are claimed again when it is time.
  void look_at_clock(TimePoint now, const std::function<std::vector<std::string>()>& here);

  [[nodiscard]] const std::string& own_url() const { return options_.own_url; }
  // Returns when the store has been told all, or cannot be asked. Must have returned before
  // destruction.
  io::Task<void> close();

 private:
  io::Task<Result<Whereabouts>> ask(std::string nonce, std::string gone);
  io::Task<void> tell(std::string command);
  io::Task<void> renew(std::vector<std::string> nonces);
  [[nodiscard]] std::string claim_command(std::string_view nonce, std::string_view gone) const;
  [[nodiscard]] Result<Whereabouts> read(std::string sealed) const;
  void note(const std::string& nonce, Whereabouts found);

  Redis& store_;
  const access::SessionKeys& keys_;
  Options options_;
  std::string own_;                           // the own url, sealed once: it is compared
  std::map<std::string, Whereabouts> known_;  // by nonce
  TimePoint renewed_;
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::replicas
