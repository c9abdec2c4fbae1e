#include "packages/installer.h"

#include <gtest/gtest.h>

namespace pi_mcp::packages {
namespace {

TEST(Installer, commands_that_may_download_their_program_are_known) {
  EXPECT_EQ(possible_installation("uvx", {"mcp-server-git"}),
            "starting it with uvx, which may install it first");
  EXPECT_NE(possible_installation("/usr/local/bin/npx", {"-y", "x"}), "");
  EXPECT_NE(possible_installation("docker", {"run", "-i", "image"}), "");
  EXPECT_NE(possible_installation("pnpm", {"dlx", "x"}), "");
}

TEST(Installer, other_commands_start_what_is_there) {
  EXPECT_EQ(possible_installation("node", {"server.js"}), "");
  EXPECT_EQ(possible_installation("docker", {"exec", "x"}), "");
  EXPECT_EQ(possible_installation("pnpm", {}), "");
  EXPECT_EQ(possible_installation("my-npx", {}), "");
}

}  // namespace
}  // namespace pi_mcp::packages
