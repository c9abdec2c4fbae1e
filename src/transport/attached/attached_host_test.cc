#include "transport/attached/attached_host.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/loop.h"

namespace pi_mcp::transport {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr bool done = true;

// A host that holds the other ends of our stdin and stdout, and never waits.
class Peer {
 public:
  enum class By : std::uint8_t { pipes, socket };

  explicit Peer(By by) {
    std::array<int, 2> to_us{};
    std::array<int, 2> from_us{};
    if (by == By::pipes) {
      EXPECT_EQ(::pipe2(to_us.data(), O_CLOEXEC), 0);
      EXPECT_EQ(::pipe2(from_us.data(), O_CLOEXEC), 0);
    } else {
      EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to_us.data()), 0);
      from_us = {::dup(to_us[1]), ::dup(to_us[0])};
    }
    input_.reset(to_us[0]);
    ours_.reset(to_us[1]);
    theirs_.reset(from_us[0]);
    output_.reset(from_us[1]);
  }

  // What a process is handed.
  [[nodiscard]] AttachedHostOptions streams() const {
    return {.input = io::Fd(::dup(input_.get())), .output = io::Fd(::dup(output_.get()))};
  }
  void say(const std::string& text) const {
    EXPECT_EQ(::write(ours_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  // All that has arrived since the last time.
  [[nodiscard]] std::string heard() const {
    EXPECT_EQ(::fcntl(theirs_.get(), F_SETFL, O_NONBLOCK), 0);
    std::string all;
    std::array<char, 4096> part{};
    for (ssize_t count = 0; (count = ::read(theirs_.get(), part.data(), part.size())) > 0;) {
      all.append(part.data(), static_cast<std::size_t>(count));
    }
    return all;
  }
  // The description is shared: whatever we do, it must still wait for others.
  [[nodiscard]] bool still_blocks() const {
    return (::fcntl(input_.get(), F_GETFL) & O_NONBLOCK) == 0 &&
           (::fcntl(output_.get(), F_GETFL) & O_NONBLOCK) == 0;
  }

 private:
  io::Fd input_, output_;  // what a process that is started has
  io::Fd ours_, theirs_;
};

std::optional<Declaration> initialize_counts(const rpc::Message& message) {
  return message.method() == "initialize" ? std::optional(Declaration{.key = "initialize"})
                                          : std::nullopt;
}

std::unique_ptr<AttachedHost> opened(const io::Executor& executor,
                                     const Peer& peer,
                                     const AttachedHost* dead = nullptr) {
  AttachedHostOptions options = peer.streams();
  options.declaration = initialize_counts;
  if (dead != nullptr) {
    options.old_memory = io::Fd(::dup(dead->memory()));
    options.old_staging = dead->staging() < 0 ? io::Fd() : io::Fd(::dup(dead->staging()));
  }
  Result<std::unique_ptr<AttachedHost>> host = AttachedHost::open(executor, std::move(options));
  EXPECT_TRUE(host) << host.error().message();
  (*host)->begin();
  return *std::move(host);
}

io::Task<std::string> next_method(AttachedHost* host) {
  const Result<rpc::Message> message = co_await host->receive();
  EXPECT_TRUE(message) << message.error().message();
  co_return message ? message->method() : "";
}

void answer(AttachedHost& host, int id, std::string text = "{}") {
  EXPECT_TRUE(host.send(rpc::result(rpc::Id(id), rpc::Outgoing(std::move(text)))));
}

// One process answers, dies with a call under way, and another goes on.
io::Task<bool> death(io::Executor executor, Peer::By by) {
  const Peer peer(by);
  std::unique_ptr<AttachedHost> dead = opened(executor, peer);
  peer.say(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})"
           "\n"
           R"({"jsonrpc":"2.0","id":2,"method":"slow"})"
           "\n"
           R"({"jsonrpc":"2.0","id":3,"method":"qui)");
  EXPECT_EQ(co_await next_method(dead.get()), "initialize");
  answer(*dead, 1);
  EXPECT_TRUE(co_await dead->drain(0));
  EXPECT_EQ(co_await next_method(dead.get()), "slow");
  EXPECT_THAT(peer.heard(), HasSubstr("\"id\":1"));

  const std::unique_ptr<AttachedHost> host = opened(executor, peer, dead.get());
  EXPECT_EQ(host->generation(), 1U);
  peer.say("ck\"}\n");
  // It is told what the host has declared, and its answer is dropped: the host has had one.
  EXPECT_EQ(co_await next_method(host.get()), "initialize");
  answer(*host, 1);
  EXPECT_EQ(co_await next_method(host.get()), "quick");
  answer(*host, 3);
  EXPECT_TRUE(co_await host->drain(0));
  const std::string heard = peer.heard();
  EXPECT_THAT(heard, Not(HasSubstr("\"id\":1")));
  EXPECT_THAT(heard, HasSubstr(R"("id":2,"error")"));
  EXPECT_THAT(heard, HasSubstr(R"("id":3,"result")"));
  EXPECT_TRUE(peer.still_blocks());
  dead->forsake();
  co_await dead->close();
  co_await host->close();
  co_return done;
}

TEST(AttachedHost, the_next_process_goes_on_over_pipes) {
  io::run([](io::Executor executor) { return death(std::move(executor), Peer::By::pipes); });
}

TEST(AttachedHost, the_next_process_goes_on_over_a_socket) {
  io::run([](io::Executor executor) { return death(std::move(executor), Peer::By::socket); });
}

}  // namespace
}  // namespace pi_mcp::transport
