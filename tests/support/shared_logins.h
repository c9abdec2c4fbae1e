// What replicas have in common of their logins, in memory, for tests.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "auth/shared_logins.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"

namespace pi_mcp::test {

class FakeSharedLogins : public auth::SharedLogins {
 public:
  explicit FakeSharedLogins(const io::Executor& executor) : changed_(executor) {}

  // What tests set and look at.
  bool is_away = false;
  bool is_strange = false;
  std::map<std::string, auth::Credentials> kept;  // by key()
  std::optional<auth::WaitingLogin> waits;
  int reads = 0;

  static std::string key(const auth::LoginName& name) {
    return name.principal + " " + name.server + " " + name.url;
  }

  io::Task<Result<std::optional<auth::Credentials>>> read(auth::LoginName name) override {
    ++reads;
    if (is_away || is_strange) {
      co_return fail(is_away ? ErrorCode::unavailable : ErrorCode::protocol, "the store is bad");
    }
    co_return remembered(name);
  }
  [[nodiscard]] std::optional<auth::Credentials> remembered(
      const auth::LoginName& name) const override {
    const auto found = kept.find(key(name));
    return found == kept.end() ? std::nullopt : std::optional(found->second);
  }
  io::Task<Result<void>> write(auth::LoginName name, auth::Credentials credentials) override {
    kept.insert_or_assign(key(name), std::move(credentials));
    co_return Result<void>();
  }
  io::Task<Result<void>> note_waiting(auth::LoginName /*name*/,
                                      std::optional<auth::WaitingLogin> login) override {
    waits = std::move(login);
    co_return Result<void>();
  }
  io::Task<Result<std::optional<auth::WaitingLogin>>> waiting(auth::LoginName /*name*/) override {
    co_return waits;
  }
  io::Task<Result<std::unique_ptr<Turn>>> take_turn(auth::LoginName /*name*/,
                                                    Milliseconds wait_max) override {
    const TimePoint deadline = io::now() + wait_max;
    while (is_taken_) {
      if (co_await changed_.wait_until(deadline) != io::Wake::notified) {
        co_return fail(ErrorCode::timed_out, "somebody else has the turn");
      }
    }
    if (is_away) {
      co_return fail(ErrorCode::unavailable, "the store is away");
    }
    std::unique_ptr<Turn> turn = std::make_unique<Taken>(this);
    co_return turn;
  }

 private:
  class Taken : public Turn {
   public:
    explicit Taken(FakeSharedLogins* logins) : logins_(logins) { logins_->is_taken_ = true; }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    ~Taken() override {
      logins_->is_taken_ = false;
      logins_->changed_.notify_all();
    }

   private:
    FakeSharedLogins* logins_;
  };

  bool is_taken_ = false;
  io::Condition changed_;
};

}  // namespace pi_mcp::test
