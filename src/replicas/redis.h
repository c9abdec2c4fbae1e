// One connection to the store that replicas share. Requests follow each other on it without
// waiting; when it breaks they fail, and it is made anew.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/pinned.h"
#include "base/result.h"
#include "base/time.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "io/net/socket.h"
#include "replicas/redis_reply.h"
#include "replicas/store_address.h"

namespace pi_mcp::replicas {

class Redis : Pinned {
 public:
  struct Options {
    StoreAddress address;
    std::map<std::string, std::string> environment;  // for TLS: see io::TlsOptions
    Milliseconds connect_max{2'000};
    Milliseconds answer_max{1'000};
    Milliseconds pause_min{50};  // before it is tried again, doubled each time
    Milliseconds pause_max{2'000};
    std::size_t waiting_max = 8192;
    std::size_t reply_bytes_max = RedisReader::reply_bytes_default;
    bool warns = true;  // in the log, when it is away; of two connections one is enough
  };
  Redis(const io::Executor& executor, Options options);

  // The first connection is made, and made anew until close().
  void start();
  // What redis_command() made. unavailable: it cannot be reached now (said at once while it is
  // known), it gave no answer in answer_max, or it refused; names the store and the reason.
  // cancelled.
  io::Task<Result<RedisReply>> ask(std::string command);
  [[nodiscard]] bool is_up() const { return is_up_; }
  // Without an answer.
  [[nodiscard]] std::size_t waiting() const { return asked_.size(); }
  // False: it is known that it cannot be asked now.
  [[nodiscard]] bool may_answer() const { return down_.empty(); }
  // For messages: "the store redis://…".
  [[nodiscard]] std::string name() const { return "the store " + options_.address.text(); }
  // Must have returned before destruction.
  io::Task<void> close();

 private:
  struct Asked {
    explicit Asked(const io::Executor& executor) : done(executor) {}
    std::optional<Result<RedisReply>> answer;
    io::Condition done;
  };
  io::Task<void> run();
  io::Task<Result<void>> connect();
  io::Task<void> read();
  Result<void> take(std::string_view bytes);
  io::Task<void> write();
  io::Task<Result<RedisReply>> exchange(std::string command, Milliseconds limit);
  io::Task<Result<void>> greet();
  void fail_all(const std::string& why);
  // This connection is of no more use.
  void drop(const std::string& why);
  io::Task<Result<void>> wait_until_up();
  [[nodiscard]] Error named(Error error) const;

  io::Executor executor_;
  Options options_;
  std::unique_ptr<io::Socket> socket_;
  std::optional<RedisReader> reader_;         // of this connection
  std::deque<std::shared_ptr<Asked>> asked_;  // in the order of their replies
  std::string outgoing_;
  io::Condition changed_;  // outgoing_ has grown, or the connection is up
  std::string down_;       // why, since the last attempt; empty: it is up or being made
  bool is_up_ = false;
  io::TaskGroup connection_;
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::replicas
