#include "replicas/stored_logins.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"
#include "io/loop/clock.h"
#include "io/loop/random.h"
#include "io/loop/sleep.h"
#include "replicas/sealed_login.h"

namespace pi_mcp::replicas {
namespace {

constexpr std::string_view login_prefix = "pi-mcp:1:login:";
constexpr std::string_view waiting_prefix = "pi-mcp:1:waiting:";
constexpr std::string_view turn_prefix = "pi-mcp:1:turn:";
// Between reading and writing somebody else may write, and once more.
constexpr int rounds_max = 4;

// Writes ARGV[2] for ARGV[3] seconds if ARGV[1] is there; empty: nothing.
constexpr std::string_view replace_script =
    "if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end "
    "redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3]) return 1";
// A store that has lost it gets it again.
constexpr std::string_view keep_script =
    "local v = redis.call('GET', KEYS[1]) "
    "if not v or v == ARGV[1] then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1 end "
    "return 0";
constexpr std::string_view give_up_script =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

std::string key_of(std::string_view prefix, std::string_view id) {
  return std::string(prefix) + std::string(id);
}

}  // namespace

// Of one login, as long as it lives.
class StoredLogins::Taken final : public auth::SharedLogins::Turn {
 public:
  Taken(StoredLogins& logins, std::string id, std::string mark)
      : logins_(logins), id_(std::move(id)), mark_(std::move(mark)) {}
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  ~Taken() override { logins_.give_up(id_, mark_); }

 private:
  StoredLogins& logins_;
  std::string id_;
  std::string mark_;
};

StoredLogins::StoredLogins(const io::Executor& executor,
                           Redis& store,
                           const access::SessionKeys& keys)
    : store_(store), keys_(keys), given_up_(executor), tasks_(executor) {}

std::optional<auth::Credentials> StoredLogins::remembered(const auth::LoginName& name) const {
  const auto found = seen_.find(login_id(name));
  return found == seen_.end() ? std::nullopt : std::optional(found->second.newest);
}

void StoredLogins::remember(const auth::LoginName& name, auth::Credentials newest, bool is_told) {
  std::string id = login_id(name);
  const auto before = seen_.find(id);
  if (before != seen_.end() && auth::is_newer(before->second.newest, newest)) {
    return;  // it was written while the store was asked about an older one
  }
  if (seen_.size() >= remembered_max && before == seen_.end()) {
    const auto known =
        std::ranges::find_if(seen_, [](const auto& each) { return each.second.is_told; });
    seen_.erase(known == seen_.end() ? seen_.begin() : known);
  }
  seen_.insert_or_assign(std::move(id),
                         Seen{.name = name, .newest = std::move(newest), .is_told = is_told});
}

io::Task<Result<std::string>> StoredLogins::get(auth::LoginName name) {
  Result<RedisReply> reply =
      co_await store_.ask(redis_command({"GET", key_of(login_prefix, login_id(name))}));
  if (!reply) {
    co_return fail(std::move(reply).error());
  }
  co_return std::move(reply->text);  // empty: none, or what is no answer to this
}

io::Task<Result<bool>> StoredLogins::replace(auth::LoginName name,
                                             std::string before,
                                             auth::Credentials credentials) {
  const std::string sealed = sealed_login(keys_, name, std::move(credentials));
  if (sealed.empty()) {
    co_return fail(ErrorCode::invalid_argument, "its tokens are too long to be kept in the store");
  }
  const Result<RedisReply> reply =
      co_await store_.ask(redis_command({"EVAL",
                                         replace_script,
                                         "1",
                                         key_of(login_prefix, login_id(name)),
                                         before,
                                         sealed,
                                         std::to_string(login_age_max.count())}));
  if (!reply) {
    co_return fail(reply.error());
  }
  co_return reply->kind == RedisReply::Kind::number && reply->number == 1;
}

// The store may have been emptied, or have an older one than this process has seen.
Result<StoredLogins::Weighed> StoredLogins::weigh(const auth::LoginName& name,
                                                  const std::string& sealed) const {
  std::optional<auth::Credentials> there = opened_login(keys_, name, sealed);
  if (!there && !sealed.empty()) {
    return fail(ErrorCode::protocol,
                store_.name() +
                    " has something in the place of this login that none with these session keys "
                    "has put there; log in again, or give all replicas the same keys");
  }
  Weighed weighed;
  std::optional<auth::Credentials> known = remembered(name);
  weighed.is_there = !known || (there && !auth::is_newer(*known, *there));
  weighed.is_to_be_written = !weighed.is_there || (there && !keys_.is_by_first(sealed));
  weighed.newest = weighed.is_there ? std::move(there) : std::move(known);
  return weighed;
}

io::Task<Result<std::optional<auth::Credentials>>> StoredLogins::read(auth::LoginName name) {
  for (int round = 0; round < rounds_max; ++round) {
    const Result<std::string> sealed = co_await get(name);
    if (!sealed) {
      co_return fail(sealed.error());
    }
    Result<Weighed> weighed = weigh(name, *sealed);
    if (!weighed) {
      co_return fail(std::move(weighed).error());
    }
    if (!weighed->newest) {
      co_return std::optional<auth::Credentials>();
    }
    remember(name, *weighed->newest, weighed->is_there);
    if (!weighed->is_to_be_written) {
      co_return std::move(weighed->newest);
    }
    const Result<bool> replaced = co_await replace(name, *sealed, *weighed->newest);
    if (!replaced && replaced.error().code() == ErrorCode::cancelled) {
      co_return fail(replaced.error());
    }
    if (!replaced || *replaced) {
      remember(name, *weighed->newest, replaced.has_value() || weighed->is_there);
      co_return std::move(weighed->newest);
    }
  }
  co_return fail(ErrorCode::unavailable, store_.name() + " has another login each time");
}

io::Task<Result<void>> StoredLogins::put(auth::LoginName name, auth::Credentials credentials) {
  for (int round = 0; round < rounds_max; ++round) {
    const Result<std::string> sealed = co_await get(name);
    if (!sealed) {
      co_return fail(sealed.error());
    }
    std::optional<auth::Credentials> there = opened_login(keys_, name, *sealed);
    if (there && auth::is_newer(*there, credentials)) {
      remember(name, *std::move(there), true);
      co_return Result<void>();
    }
    const Result<bool> replaced = co_await replace(name, *sealed, credentials);
    if (!replaced) {
      co_return fail(replaced.error());
    }
    if (*replaced) {
      remember(name, std::move(credentials), true);
      co_return Result<void>();
    }
  }
  co_return fail(ErrorCode::unavailable, store_.name() + " has another login each time");
}

io::Task<Result<void>> StoredLogins::write(auth::LoginName name, auth::Credentials credentials) {
  remember(name, credentials, false);
  Result<void> told = co_await put(name, std::move(credentials));
  if (!told && told.error().code() != ErrorCode::cancelled) {
    log::warning(name.server +
                 ": other replicas do not have its new login yet: " + told.error().message());
    co_return Result<void>();
  }
  co_return told;
}

io::Task<Result<void>> StoredLogins::note_waiting(auth::LoginName name,
                                                  std::optional<auth::WaitingLogin> waiting) {
  const std::string key = key_of(waiting_prefix, login_id(name));
  std::string command = redis_command({"DEL", key});
  if (waiting) {
    command = redis_command({"SET",
                             key,
                             sealed_waiting(keys_, name, *waiting),
                             "EX",
                             std::to_string(waiting_max.count())});
  }
  const Result<RedisReply> reply = co_await store_.ask(std::move(command));
  co_return reply ? Result<void>() : fail(reply.error());
}

io::Task<Result<std::optional<auth::WaitingLogin>>> StoredLogins::waiting(auth::LoginName name) {
  const Result<RedisReply> reply =
      co_await store_.ask(redis_command({"GET", key_of(waiting_prefix, login_id(name))}));
  if (!reply) {
    co_return fail(reply.error());
  }
  co_return opened_waiting(keys_, name, reply->text);
}

// Those of this process wait for each other without asking the store.
io::Task<Result<void>> StoredLogins::wait_here(std::string id, TimePoint deadline) {
  while (turns_.contains(id)) {
    const io::Wake wake = co_await given_up_.wait_until(deadline);
    if (wake == io::Wake::cancelled) {
      co_return fail(ErrorCode::cancelled, "cancelled");
    }
    if (wake == io::Wake::timed_out && turns_.contains(id)) {
      co_return fail(ErrorCode::timed_out, "another request is still renewing this login");
    }
  }
  co_return Result<void>();
}

io::Task<Result<void>> StoredLogins::wait_there(std::string id,
                                                std::string mark,
                                                TimePoint deadline) {
  const std::string command = redis_command(
      {"SET", key_of(turn_prefix, id), mark, "NX", "PX", std::to_string(turn_max.count())});
  for (;;) {
    const Result<RedisReply> reply = co_await store_.ask(command);
    if (!reply && reply.error().code() == ErrorCode::unavailable) {
      co_return fail(ErrorCode::unavailable,
                     reply.error().message() +
                         "; without it no login is renewed, because other replicas may redeem the "
                         "same refresh token, which can work once: call again when it is back");
    }
    if (!reply) {
      co_return fail(reply.error());
    }
    if (reply->kind == RedisReply::Kind::text) {
      co_return Result<void>();
    }
    if (io::now() >= deadline) {
      co_return fail(ErrorCode::timed_out, "another replica is still renewing this login");
    }
    const auto pause = Milliseconds(static_cast<std::int64_t>(
        static_cast<double>(look_pause.count()) * (0.5 + io::random_fraction())));
    if (const Result<void> slept = co_await io::sleep_for(pause); !slept) {
      co_return fail(slept.error());
    }
  }
}

io::Task<Result<std::unique_ptr<auth::SharedLogins::Turn>>> StoredLogins::take_turn(
    auth::LoginName name, Milliseconds wait_max) {
  constexpr std::size_t mark_bytes = 16;
  const TimePoint deadline = io::now() + wait_max;
  const std::string id = login_id(name);
  const std::string mark = io::random_hex(mark_bytes);
  do {
    if (const Result<void> waited = co_await wait_here(id, deadline); !waited) {
      co_return fail(waited.error());
    }
  } while (!turns_.try_emplace(id, Waiting{.mark = mark}).second);
  std::unique_ptr<Turn> turn = std::make_unique<Taken>(*this, id, mark);
  if (const Result<void> waited = co_await wait_there(id, mark, deadline); !waited) {
    co_return fail(waited.error());
  }
  turns_[id].is_taken = true;
  co_return turn;
}

io::Task<void> StoredLogins::tell(std::string command) {
  (void)co_await store_.ask(std::move(command));  // what is not told ends by itself
}

void StoredLogins::give_up(const std::string& id, const std::string& mark) {
  turns_.erase(id);
  given_up_.notify_all();
  tasks_.spawn("giving up a turn",
               tell(redis_command({"EVAL", give_up_script, "1", key_of(turn_prefix, id), mark})),
               io::log_only);
}

io::Task<void> StoredLogins::tell_rest() {
  std::vector<Seen> rest;
  for (const auto& [id, seen] : seen_) {
    if (!seen.is_told) {
      rest.push_back(seen);
    }
  }
  for (const Seen& seen : rest) {
    const Result<void> told = co_await put(seen.name, seen.newest);
    if (!told && told.error().code() != ErrorCode::invalid_argument) {
      break;  // next time
    }
    if (!told) {
      remember(seen.name, seen.newest, true);
    }
  }
  telling_ = false;
}

void StoredLogins::look_at_clock(TimePoint now) {
  const bool has_rest =
      std::ranges::any_of(seen_, [](const auto& each) { return !each.second.is_told; });
  if (has_rest && store_.is_up() && !std::exchange(telling_, true)) {
    tasks_.spawn("telling the store of logins", tell_rest(), io::log_only);
  }
  if (now - renewed_ < renewal_pause) {
    return;
  }
  renewed_ = now;
  for (const auto& [id, turn] : turns_) {
    if (turn.is_taken) {
      tasks_.spawn("keeping a turn",
                   tell(redis_command({"EVAL",
                                       keep_script,
                                       "1",
                                       key_of(turn_prefix, id),
                                       turn.mark,
                                       std::to_string(turn_max.count())})),
                   io::log_only);
    }
  }
}

io::Task<void> StoredLogins::close() {
  co_await tasks_.join();
  co_await tell_rest();
}

}  // namespace pi_mcp::replicas
