#include "replicas/owners.h"

#include <optional>
#include <utility>

#include "io/loop/clock.h"

namespace pi_mcp::replicas {
namespace {

constexpr std::string_view key_prefix = "pi-mcp:1:session:";
constexpr std::string_view owner_purpose = "owner 1";
// In place of a url.
constexpr std::string_view ended_mark = "ended";

// Who holds a session, in one step: nobody, this one (ARGV[1]) or one that is gone (ARGV[3]) makes
// it this one for ARGV[2] seconds.
constexpr std::string_view claim_script =
    "local v = redis.call('GET', KEYS[1]) "
    "if not v or v == ARGV[1] or v == ARGV[3] then "
    "redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) return ARGV[1] end return v";
constexpr std::string_view release_script =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

std::string key_of(std::string_view nonce) {
  return std::string(key_prefix) + std::string(nonce);
}

}  // namespace

Owners::Owners(const io::Executor& executor,
               Redis& store,
               const access::SessionKeys& keys,
               Options options)
    : store_(store),
      keys_(keys),
      options_(std::move(options)),
      own_(keys.seal(owner_purpose, options_.own_url)),
      tasks_(executor) {}

std::string Owners::claim_command(std::string_view nonce, std::string_view gone) const {
  return redis_command({"EVAL",
                        claim_script,
                        "1",
                        key_of(nonce),
                        own_,
                        std::to_string(claim_seconds.count()),
                        gone});
}

void Owners::note(const std::string& nonce, Whereabouts found) {
  if (known_.size() >= known_max) {
    known_.erase(known_.begin());
  }
  known_[nonce] = std::move(found);
}

io::Task<Result<Whereabouts>> Owners::find(std::string nonce, std::string gone) {
  const auto known = known_.find(nonce);
  if (known != known_.end() && known->second.sealed != gone) {
    co_return known->second;
  }
  known_.erase(nonce);
  Result<Whereabouts> found = co_await ask(nonce, gone);
  if (!found && found.error().code() == ErrorCode::unavailable && !gone.empty()) {
    co_return Whereabouts();
  }
  co_return found;
}

io::Task<Result<Whereabouts>> Owners::ask(std::string nonce, std::string gone) {
  const Result<RedisReply> reply = co_await store_.ask(claim_command(nonce, gone));
  if (!reply) {
    co_return fail(reply.error());
  }
  if (reply->kind != RedisReply::Kind::text || reply->text.empty()) {
    co_return fail(ErrorCode::unavailable, "the store does not say which replica has this session");
  }
  Result<Whereabouts> found = read(reply->text);
  if (found && found->where == Whereabouts::Where::elsewhere) {
    if (found->url == options_.own_url && found->sealed != gone) {
      // Claimed by a process that this one has come in place of.
      co_return co_await ask(std::move(nonce), found->sealed);
    }
    note(nonce, *found);
  }
  co_return found;
}

Result<Whereabouts> Owners::read(std::string sealed) const {
  using Where = Whereabouts::Where;
  if (sealed == own_) {
    return Whereabouts();
  }
  if (sealed == ended_mark) {
    return Whereabouts{.where = Where::ended};
  }
  std::optional<std::string> url = keys_.open(owner_purpose, sealed);
  if (!url) {
    return fail(ErrorCode::unavailable,
                "the store names a replica that none with these session keys has named");
  }
  return Whereabouts{
      .where = Where::elsewhere, .url = *std::move(url), .sealed = std::move(sealed)};
}

io::Task<void> Owners::tell(std::string command) {
  (void)co_await store_.ask(std::move(command));  // what is not told is found out by asking
}

void Owners::claim(const std::string& nonce) {
  tasks_.spawn("claiming a session", tell(claim_command(nonce, "")), io::log_only);
}

void Owners::release(const std::string& nonce) {
  tasks_.spawn("releasing a session",
               tell(redis_command({"EVAL", release_script, "1", key_of(nonce), own_})),
               io::log_only);
}

void Owners::end(const std::string& nonce) {
  known_.erase(nonce);
  tasks_.spawn(
      "ending a session",
      tell(redis_command(
          {"SET", key_of(nonce), ended_mark, "EX", std::to_string(options_.age_max.count())})),
      io::log_only);
}

io::Task<void> Owners::renew(std::vector<std::string> nonces) {
  for (const std::string& nonce : nonces) {
    const Result<Whereabouts> found = co_await ask(nonce, "");
    if (!found) {
      co_return;  // the store is away; next time
    }
    if (found->where != Whereabouts::Where::here) {
      options_.lost(nonce);
    }
  }
}

void Owners::look_at_clock(TimePoint now, const std::function<std::vector<std::string>()>& here) {
  if (now - renewed_ < renewal_pause) {
    return;
  }
  renewed_ = now;
  tasks_.spawn("claiming sessions again", renew(here()), io::log_only);
}

io::Task<void> Owners::close() {
  co_await tasks_.join();
}

}  // namespace pi_mcp::replicas
