// Processes that share one stored login.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/token_store.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "io/loop/random.h"
#include "io/loop/task_group.h"
#include "io/process/environment.h"
#include "io/process/run_command.h"
#include "support/auth_peer.h"
#include "test_programs.h"

namespace pi_mcp {
namespace {

constexpr io::CommandLimits command_limits{.time_max = Milliseconds(120'000)};

io::Task<void> take_token(std::vector<std::string> arguments, std::vector<std::string>* taken) {
  const auto output = co_await io::run_command({.program = PI_MCP_TOKEN_TAKER,
                                                .arguments = std::move(arguments),
                                                .environment = io::process_environment(),
                                                .folder = "/"},
                                               command_limits);
  taken->push_back(output ? output->text : output.error().message());
}

io::Task<int> play_fifty_processes(io::Executor executor) {
  test::AuthPeer peer(executor);
  const std::string agent_dir = testing::TempDir() + "/auth-" + io::random_hex(8);
  auth::Credentials credentials;
  credentials.server_url = peer.server_url();
  credentials.issuer = peer.origin();
  credentials.token_endpoint = peer.origin() + "/token";
  credentials.client.id = "client";
  credentials.client.source = auth::ClientSource::registered;
  credentials.tokens = auth::Tokens{.access = "expired",
                                    .refresh = "refresh-1",
                                    .scope = "",
                                    .stale_at = EpochMs{1},
                                    .login_ends_at = {}};
  auth::Access access;
  access.agent_dir = agent_dir;
  access.server = "remote";
  access.url = peer.server_url();
  EXPECT_TRUE(auth::TokenStore(access).write_record(credentials));

  constexpr int processes = 50;
  std::vector<std::string> taken;
  io::TaskGroup tasks(executor);
  for (int i = 0; i < processes; ++i) {
    tasks.spawn(
        "token taker", take_token({agent_dir, "remote", peer.server_url()}, &taken), io::log_only);
  }
  co_await tasks.join();
  EXPECT_EQ(peer.redemptions, 1);
  EXPECT_EQ(peer.token_bodies.size(), 1U);
  EXPECT_THAT(taken, testing::SizeIs(processes));
  EXPECT_THAT(taken, testing::Each("access-new-1\n"));
  co_await peer.close();
  std::filesystem::remove_all(agent_dir);
  co_return 0;
}

TEST(Auth, fifty_processes_with_one_expired_rotating_token_redeem_it_once) {
  io::run([](const io::Executor& executor) { return play_fifty_processes(executor); });
}

}  // namespace
}  // namespace pi_mcp
