#include "servers/launch/command_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/loop/task_group.h"
#include "support/processes.h"

namespace pi_mcp::servers {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Milliseconds hour{3'600'000};

// Prints token-1, token-2 and so on, as often as it runs.
struct Counter {
  [[nodiscard]] CommandToken token(const io::Executor& executor, Milliseconds ttl) const {
    return {executor, "far", command(), ttl};
  }
  [[nodiscard]] CredentialCommand command() const {
    const std::string file = folder.file("runs");
    const config::Environment environment{
        .variables = {{"PATH", "/usr/bin:/bin"}}, .home = "/", .cwd = "/"};
    return shell_credential("echo x >> " + file + "; printf token-; wc -l < " + file, environment);
  }
  [[nodiscard]] std::size_t runs() const { return folder.text("runs").size() / 2; }

  test::TempFolder folder;
};

std::string text_of(const Result<std::string>& token) {
  return token ? *token : token.error().message();
}

std::string text_of(const Result<bool>& again) {
  return again ? (*again ? "again" : "no") : again.error().message();
}

transport::Refusal refusal(const std::string& token, int attempt = 0, int status = 401) {
  return {.status = status, .challenges = {}, .token = token, .attempt = attempt};
}

io::Task<bool> kept_for_its_time(io::Executor executor) {
  const Counter counter;
  CommandToken kept = counter.token(executor, hour);
  EXPECT_EQ(text_of(co_await kept.token()), "token-1");
  EXPECT_EQ(text_of(co_await kept.token()), "token-1");
  CommandToken brief = counter.token(executor, Milliseconds(0));
  EXPECT_EQ(text_of(co_await brief.token()), "token-2");
  EXPECT_EQ(text_of(co_await brief.token()), "token-3");
  co_return true;
}
TEST(CommandTokenTest, is_used_for_its_time_and_then_printed_anew) {
  io::run(kept_for_its_time);
}

io::Task<void> take_into(CommandToken* token, std::vector<std::string>* into) {
  into->push_back(text_of(co_await token->token()));
}

io::Task<bool> shared_run(io::Executor executor) {
  const Counter counter;
  CommandToken token = counter.token(executor, hour);
  std::vector<std::string> taken;
  io::TaskGroup tasks(executor);
  const io::TaskGroup::TaskId first = tasks.spawn("first", take_into(&token, &taken), io::log_only);
  for (int i = 0; i < 4; ++i) {
    tasks.spawn("another", take_into(&token, &taken), io::log_only);
  }
  tasks.cancel(first);  // the others do not depend on it
  co_await tasks.join();
  EXPECT_EQ(std::count(taken.begin(), taken.end(), taken.back()), 4);
  EXPECT_THAT(taken.back(), HasSubstr("token-"));
  EXPECT_LE(counter.runs(), 2U);
  co_return true;
}
TEST(CommandTokenTest, simultaneous_requests_share_one_run) {
  io::run(shared_run);
}

io::Task<bool> refused_tokens(io::Executor executor) {
  const Counter counter;
  CommandToken token = counter.token(executor, hour);
  EXPECT_EQ(text_of(co_await token.token()), "token-1");
  EXPECT_EQ(text_of(co_await token.refused(refusal("token-1"))), "again");
  EXPECT_EQ(text_of(co_await token.refused(refusal("token-1"))), "again");
  EXPECT_EQ(counter.runs(), 2U) << "the second one had only to take the new token";
  EXPECT_EQ(text_of(co_await token.token()), "token-2");
  EXPECT_THAT(text_of(co_await token.refused(refusal("token-2", 1))),
              HasSubstr("server far refuses the token that the command of bearerToken prints"));
  EXPECT_EQ(text_of(co_await token.refused(refusal("token-2", 0, 403))), "no");
  EXPECT_EQ(counter.runs(), 2U);
  co_return true;
}
TEST(CommandTokenTest, a_refused_token_is_printed_anew_once) {
  io::run(refused_tokens);
}

io::Task<bool> same_again(io::Executor executor) {
  CredentialCommand command = Counter().command();
  command.args = {"-c", "printf always"};
  CommandToken token(executor, "far", command, hour);
  EXPECT_EQ(text_of(co_await token.token()), "always");
  EXPECT_THAT(text_of(co_await token.refused(refusal("always"))), HasSubstr("refuses the token"));
  co_return true;
}
TEST(CommandTokenTest, a_token_that_is_the_same_again_is_not_sent_again) {
  io::run(same_again);
}

io::Task<bool> failures(io::Executor executor) {
  const Counter counter;
  CredentialCommand command = counter.command();
  command.args = {"-c", "echo planted-text; exit 3"};
  CommandToken failing(executor, "far", command, hour);
  EXPECT_EQ(text_of(co_await failing.token()),
            "server far: the command of bearerToken exited with status 3; run it in a shell to "
            "see why");
  command.args = {"-c", "printf 'planted\\ntext'"};
  CommandToken lines(executor, "far", command, hour);
  EXPECT_THAT(text_of(co_await lines.token()), HasSubstr("printed more than one line"));
  EXPECT_THAT(text_of(co_await lines.token()), Not(HasSubstr("planted")));
  command.args = {"-c", "sleep 60"};
  command.time_max = Milliseconds(50);
  CommandToken slow(executor, "far", command, hour);
  EXPECT_THAT(text_of(co_await slow.token()), HasSubstr("run it in a shell to see what it waits"));
  co_return true;
}
TEST(CommandTokenTest, a_command_that_fails_is_named_without_its_output) {
  io::run(failures);
}

io::Task<bool> used_longer(io::Executor executor) {
  const Counter counter;
  CredentialCommand command = counter.command();
  command.args = {"-c",
                  "test -e " + counter.folder.file("f") + " && exit 1; touch " +
                      counter.folder.file("f") + "; printf first"};
  CommandToken token(executor, "far", command, Milliseconds(0));
  EXPECT_EQ(text_of(co_await token.token()), "first");
  EXPECT_EQ(text_of(co_await token.token()), "first");
  EXPECT_THAT(text_of(co_await token.refused(refusal("first"))), HasSubstr("status 1"));
  co_return true;
}
TEST(CommandTokenTest, an_old_token_is_used_while_there_is_no_new_one) {
  io::run(used_longer);
}

}  // namespace
}  // namespace pi_mcp::servers
