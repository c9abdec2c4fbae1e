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

class ProjectSourceTest : public ConfigSourceTest {
 protected:
  ProjectSourceTest() {
    setup.environment.cwd = home.file("project");
    std::filesystem::create_directories(setup.environment.cwd + "/.pi");
    write(R"({"mcpServers": {"a": {"command": "x"}}})");
  }
  void write_project(const std::string& name, const std::string& text) const {
    std::ofstream(setup.environment.cwd + "/" + name) << text;
  }
  // Of a reading after the user's server has become this one.
  bool has_user_server(const std::string& name) {
    write(R"({"mcpServers": {")" + name + R"(": {"command": "x"}}})");
    const ConfigSource::Loaded loaded = source.load();
    return loaded.settings && loaded.settings->find(name) != nullptr;
  }

  // Too long to be remembered.
  const std::string broken = std::string(std::size_t{1100} << 10U, ' ') + "{";
  const std::string good =
      std::string(std::size_t{1100} << 10U, ' ') + R"({"mcpServers": {"p": {"command": "x"}}})";
};

TEST_F(ProjectSourceTest, one_that_was_never_understood_holds_nothing_up) {
  for (const char* const name : {".mcp.json", ".pi/mcp.json"}) {
    write_project(name, broken);
    (void)source.load();
    EXPECT_TRUE(has_user_server("b")) << name;
    EXPECT_TRUE(has_user_server("c")) << name;
  }
}

TEST_F(ProjectSourceTest, neither_does_one_that_was_understood_before) {
  write_project(".mcp.json", good);
  (void)source.load();
  write_project(".mcp.json", broken);
  EXPECT_TRUE(has_user_server("b"));
}

TEST_F(ProjectSourceTest, what_the_user_wrote_stays_while_it_is_edited) {
  write(good);
  (void)source.load();
  write(broken);
  EXPECT_FALSE(source.load().settings) << "it stays as it was loaded";
  write(R"({"mcpServers": {"a": {"command": "x"}}})");
  EXPECT_TRUE(has_user_server("b"));
}

}  // namespace
}  // namespace pi_mcp::cli
