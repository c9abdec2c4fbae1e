#include "io/process/browser.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "io/loop/random.h"

namespace pi_mcp::io {
namespace {

class BrowserTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string folder = testing::TempDir() + "/browser-" + random_hex(8);
};

TEST_F(BrowserTest, the_configured_one_gets_the_address_as_it_is) {
  const std::string pipe = folder + "/pipe";
  const std::string script = folder + "/browser";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::ofstream(script) << "printf '%s|%s' \"$1\" \"$2\" > " << pipe << "\n";
  const std::string url = "https://as.example/?a=$(id)&b='c'";
  EXPECT_TRUE(
      open_browser(url, {{"BROWSER", "sh " + script + " --new"}, {"PATH", "/usr/bin:/bin"}}));
  std::ifstream opened(pipe);  // waits for the writer
  std::string text;
  std::getline(opened, text);
  EXPECT_EQ(text, "--new|" + url);
}

TEST_F(BrowserTest, nothing_is_tried_without_a_desktop_over_ssh_or_without_the_program) {
  const std::string path = "/usr/bin:/bin";
  EXPECT_FALSE(open_browser("https://a.example", {{"PATH", path}}));
  EXPECT_FALSE(open_browser("https://a.example",
                            {{"PATH", path}, {"DISPLAY", ":0"}, {"SSH_CONNECTION", "1 2 3 4"}}));
  EXPECT_FALSE(open_browser("https://a.example", {{"PATH", path}, {"BROWSER", folder + "/none"}}));
}

}  // namespace
}  // namespace pi_mcp::io
