// Logins of replicas in their store: the newest one counts, and one replica at a time renews it
// (docs/decisions/0084-logins-of-replicas.md).
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "access/session_keys.h"
#include "auth/shared_logins.h"
#include "base/result.h"
#include "base/time.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "replicas/redis.h"

namespace pi_mcp::replicas {

class StoredLogins final : public auth::SharedLogins {
 public:
  // A login that nobody writes for so long is forgotten.
  static constexpr std::chrono::seconds login_age_max{std::int64_t{365} * 24 * 3600};
  static constexpr std::chrono::seconds waiting_max{600};
  // A replica that dies in its turn keeps the others from theirs for so long; longer than a loop
  // stands still that is alive.
  static constexpr Milliseconds turn_max{10'000};
  static constexpr Milliseconds renewal_pause{3'000};
  // Between two questions whose turn it is.
  static constexpr Milliseconds look_pause{50};
  static constexpr std::size_t remembered_max = 4096;

  // `store` and `keys` outlive it.
  StoredLogins(const io::Executor& executor, Redis& store, const access::SessionKeys& keys);

  io::Task<Result<std::optional<auth::Credentials>>> read(auth::LoginName name) override;
  [[nodiscard]] std::optional<auth::Credentials> remembered(
      const auth::LoginName& name) const override;
  io::Task<Result<void>> write(auth::LoginName name, auth::Credentials credentials) override;
  io::Task<Result<void>> note_waiting(auth::LoginName name,
                                      std::optional<auth::WaitingLogin> waiting) override;
  io::Task<Result<std::optional<auth::WaitingLogin>>> waiting(auth::LoginName name) override;
  io::Task<Result<std::unique_ptr<Turn>>> take_turn(auth::LoginName name,
                                                    Milliseconds wait_max) override;

  // Every second or so: turns that are taken are kept, and the store is told what it could not be.
  void look_at_clock(TimePoint now);
  // Returns when the store has been told all, or cannot be asked. Nobody has a turn any more, and
  // none is taken. Must have returned before destruction.
  io::Task<void> close();

 private:
  class Taken;
  struct Seen {
    auth::LoginName name;
    auth::Credentials newest;
    bool is_told = false;  // the store has it, or it is too long for it
  };
  struct Waiting {
    std::string mark;       // what the store has where it is this one's turn
    bool is_taken = false;  // else it is waited for
  };
  // What counts of what the store has and what was seen of it.
  struct Weighed {
    std::optional<auth::Credentials> newest;
    bool is_there = false;  // in the store
    bool is_to_be_written = false;
  };
  [[nodiscard]] Result<Weighed> weigh(const auth::LoginName& name, const std::string& sealed) const;
  io::Task<Result<std::string>> get(auth::LoginName name);
  // False: the store has something else than `before` by now.
  io::Task<Result<bool>> replace(auth::LoginName name,
                                 std::string before,
                                 auth::Credentials credentials);
  io::Task<Result<void>> put(auth::LoginName name, auth::Credentials credentials);
  io::Task<Result<void>> wait_here(std::string id, TimePoint deadline);
  io::Task<Result<void>> wait_there(std::string id, std::string mark, TimePoint deadline);
  io::Task<void> tell(std::string command);
  io::Task<void> tell_rest();
  void remember(const auth::LoginName& name, auth::Credentials newest, bool is_told);
  void give_up(const std::string& id, const std::string& mark);

  Redis& store_;
  const access::SessionKeys& keys_;
  std::map<std::string, Seen> seen_;      // by login_id()
  std::map<std::string, Waiting> turns_;  // by login_id(): one of each login at a time
  io::Condition given_up_;
  TimePoint renewed_;
  bool telling_ = false;
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::replicas
