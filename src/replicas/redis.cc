#include "replicas/redis.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "io/loop/clock.h"
#include "io/loop/random.h"
#include "io/loop/sleep.h"
#include "io/loop/with_deadline.h"
#include "io/net/connect.h"
#include "io/net/tls.h"

namespace pi_mcp::replicas {
namespace {

constexpr std::size_t read_bytes = std::size_t{16} << 10U;
constexpr const char* broken = "the connection broke";

io::Task<Result<std::unique_ptr<io::Socket>>> connected(StoreAddress address,
                                                        std::map<std::string, std::string> env) {
  Result<io::Fd> fd = co_await io::connect_tcp(address.host, address.port);
  if (!fd) {
    co_return fail(fd.error());
  }
  if (address.is_secure) {
    co_return co_await io::start_tls(
        *std::move(fd), {.host = address.host, .ca_file = {}, .environment = std::move(env)});
  }
  const io::Executor executor = co_await boost::asio::this_coro::executor;
  co_return io::make_plain_socket(executor, *std::move(fd));
}

}  // namespace

Redis::Redis(const io::Executor& executor, Options options)
    : executor_(executor),
      options_(std::move(options)),
      changed_(executor),
      connection_(executor),
      tasks_(executor) {}

Error Redis::named(Error error) const {
  return std::move(error).while_doing(name());
}

void Redis::start() {
  tasks_.spawn("the store", run(), io::log_only);
}

// What has to be said first on each connection.
io::Task<Result<void>> Redis::greet() {
  const StoreAddress& address = options_.address;
  std::vector<std::string> words;
  if (!address.password.empty()) {
    words.push_back(address.user.empty() ? redis_command({"AUTH", address.password})
                                         : redis_command({"AUTH", address.user, address.password}));
  }
  words.push_back(redis_command({"SELECT", std::to_string(address.database)}));
  for (std::string& command : words) {
    const Result<RedisReply> said = co_await exchange(std::move(command), options_.connect_max);
    if (!said) {
      co_return fail(said.error());
    }
  }
  co_return Result<void>();
}

io::Task<Result<void>> Redis::connect() {
  Result<std::unique_ptr<io::Socket>> socket = co_await io::with_deadline(
      options_.connect_max, "connecting", connected(options_.address, options_.environment));
  if (!socket) {
    co_return fail(socket.error());
  }
  socket_ = *std::move(socket);
  reader_.emplace(options_.reply_bytes_max);
  outgoing_.clear();
  connection_.spawn("reading from the store", read(), io::log_only);
  connection_.spawn("writing to the store", write(), io::log_only);
  co_return co_await greet();
}

io::Task<void> Redis::run() {
  Milliseconds pause = options_.pause_min;
  for (;;) {
    const Result<void> made = co_await connect();
    if (made) {
      is_up_ = true;
      if (!down_.empty() && options_.warns) {
        log::warning(name() + " is reached again");
      }
      down_.clear();
      pause = options_.pause_min;
    } else {
      if (down_.empty() && options_.warns) {
        log::warning(named(made.error()).message());
      }
      down_ = made.error().message();
      connection_.cancel();
    }
    changed_.notify_all();
    co_await connection_.join();
    is_up_ = false;
    socket_ = nullptr;
    fail_all(made ? broken : down_);
    const auto jittered = Milliseconds(static_cast<std::int64_t>(
        static_cast<double>(pause.count()) * (0.5 + io::random_fraction())));
    if (!co_await io::sleep_for(jittered)) {
      co_return;
    }
    pause = std::min(pause * 2, options_.pause_max);
  }
}

io::Task<void> Redis::read() {
  std::array<char, read_bytes> space{};
  for (;;) {
    const Result<std::size_t> count = co_await socket_->read_some(space);
    if (!count && count.error().code() == ErrorCode::cancelled) {
      co_return;
    }
    const bool has_some = count && *count > 0;
    const Result<void> taken =
        has_some ? take({space.data(), *count}) : fail(ErrorCode::unavailable, broken);
    if (!taken) {
      drop(taken.error().message());
      co_return;
    }
  }
}

Result<void> Redis::take(std::string_view bytes) {
  if (Result<void> fed = reader_->feed(bytes); !fed) {
    return fed;
  }
  Result<std::optional<RedisReply>> reply = reader_->next();
  for (; reply && *reply; reply = reader_->next()) {
    if (asked_.empty()) {
      return fail(ErrorCode::protocol, "it answers what nobody has asked");
    }
    const std::shared_ptr<Asked> asked = std::move(asked_.front());
    asked_.pop_front();
    asked->answer = *std::move(*reply);
    asked->done.notify_all();
  }
  return reply ? Result<void>() : fail(reply.error());
}

io::Task<void> Redis::write() {
  for (;;) {
    while (outgoing_.empty()) {
      if (co_await changed_.wait() == io::Wake::cancelled) {
        co_return;
      }
    }
    const std::string bytes = std::exchange(outgoing_, {});
    if (!co_await socket_->write_all(bytes)) {
      drop(broken);
      co_return;
    }
  }
}

void Redis::fail_all(const std::string& why) {
  for (const std::shared_ptr<Asked>& asked : std::exchange(asked_, {})) {
    asked->answer = fail(ErrorCode::unavailable, why);
    asked->done.notify_all();
  }
}

void Redis::drop(const std::string& why) {
  is_up_ = false;  // who asks from here on waits for the next one
  fail_all(why);
  connection_.cancel();
}

// One that got no answer in time ends the connection: a late one would be taken for the next's.
io::Task<Result<RedisReply>> Redis::exchange(std::string command, Milliseconds limit) {
  if (asked_.size() >= options_.waiting_max) {
    co_return fail(ErrorCode::unavailable, "too many requests wait for it");
  }
  const auto asked = std::make_shared<Asked>(executor_);
  asked_.push_back(asked);
  outgoing_ += command;
  changed_.notify_all();
  const TimePoint deadline = io::now() + limit;
  while (!asked->answer) {
    const io::Wake wake = co_await asked->done.wait_until(deadline);
    if (asked->answer) {
      break;
    }
    if (wake == io::Wake::cancelled) {
      co_return fail(ErrorCode::cancelled, "cancelled");
    }
    if (wake == io::Wake::timed_out) {
      connection_.cancel();
      co_return fail(ErrorCode::unavailable,
                     "no answer within " + std::to_string(limit.count()) + " ms");
    }
  }
  if (*asked->answer && (*asked->answer)->kind == RedisReply::Kind::error) {
    co_return fail(ErrorCode::unavailable,
                   "it refuses: " + text::printable_line((*asked->answer)->text));
  }
  co_return *std::move(asked->answer);
}

io::Task<Result<void>> Redis::wait_until_up() {
  const TimePoint deadline = io::now() + options_.answer_max;
  while (!is_up_) {
    if (!down_.empty()) {
      co_return fail(ErrorCode::unavailable, down_);
    }
    const io::Wake wake = co_await changed_.wait_until(deadline);
    if (wake == io::Wake::cancelled) {
      co_return fail(ErrorCode::cancelled, "cancelled");
    }
    if (wake == io::Wake::timed_out) {
      co_return fail(ErrorCode::unavailable, "no connection yet");
    }
  }
  co_return Result<void>();
}

io::Task<Result<RedisReply>> Redis::ask(std::string command) {
  if (const Result<void> up = co_await wait_until_up(); !up) {
    co_return fail(named(up.error()));
  }
  Result<RedisReply> reply = co_await exchange(std::move(command), options_.answer_max);
  if (!reply) {
    co_return fail(named(std::move(reply).error()));
  }
  co_return reply;
}

io::Task<void> Redis::close() {
  tasks_.cancel();
  connection_.cancel();
  co_await tasks_.join();
  co_await connection_.join();
  fail_all("this process ends");
}

}  // namespace pi_mcp::replicas
