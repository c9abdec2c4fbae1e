#include "cli/config_source.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "io/loop/clock.h"
#include "support/processes.h"

namespace pi_mcp::cli {
namespace {

class ConfigSourceTest : public testing::Test {
 protected:
  ConfigSourceTest() {
    setup.environment = {.variables = {}, .home = home.path(), .cwd = home.path()};
    setup.load_options.config_file = home.file("mcp.json");
  }
  void write(const std::string& text) const { std::ofstream(home.file("mcp.json")) << text; }
  // Until what was written is older than a reading.
  void settle() {
    const TimePoint deadline = io::now() + Milliseconds(10'000);
    do {
      (void)source.load();
    } while (source.has_changed() && io::now() < deadline);
    ASSERT_FALSE(source.has_changed());
  }

  test::TempFolder home;
  struct Setup setup;  // a name that is of testing::Test, too
  ConfigSource source{setup};
};

TEST_F(ConfigSourceTest, a_file_that_is_as_it_was_has_not_changed) {
  write(R"({"mcpServers": {"a": {"command": "x"}}})");
  settle();
  EXPECT_FALSE(source.has_changed());
}

TEST_F(ConfigSourceTest, what_was_written_since_has_changed) {
  write("{}");
  settle();
  write(R"({"mcpServers": {}})");
  EXPECT_TRUE(source.has_changed());
}

TEST_F(ConfigSourceTest, so_has_a_file_that_is_gone_or_new_however_old_it_is) {
  write("{}");
  settle();
  std::filesystem::rename(home.file("mcp.json"), home.file("other.json"));
  EXPECT_TRUE(source.has_changed());
  settle();
  std::filesystem::rename(home.file("other.json"), home.file("mcp.json"));
  EXPECT_TRUE(source.has_changed());
}

TEST_F(ConfigSourceTest, one_that_nobody_can_read_does_not_change_for_ever) {
  std::filesystem::create_directory(home.file("mcp.json"));
  settle();
}

}  // namespace
}  // namespace pi_mcp::cli
