// A home with the files of all hosts, tests/fixtures/hosts/HOME, each as the host's documentation
// shows it, with fictional tokens.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/import/imports.h"
#include "support/machine_fixture.h"

namespace pi_mcp::config {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

class HostFixtures : public MachineFixture {
 protected:
  HostFixtures() {
    namespace fs = std::filesystem;
    const fs::path home = PI_MCP_SOURCE_DIR "/tests/fixtures/hosts/HOME";
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(home)) {
      if (entry.is_regular_file()) {
        std::ifstream stream(entry.path(), std::ios::binary);
        file("/home/ann/" + entry.path().lexically_relative(home).string(),
             {std::istreambuf_iterator<char>(stream), {}});
      }
    }
  }

  Settings imported(const std::string& kind) {
    user(R"({"imports": [")" + kind + R"("]})");
    return load();
  }
};

TEST_F(HostFixtures, every_host_has_servers_and_all_of_them_can_be_started) {
  for (const std::string& kind : import_kinds()) {
    const Settings settings = imported(kind);
    EXPECT_FALSE(settings.servers.empty()) << kind;
    for (const Server& server : settings.servers) {
      EXPECT_EQ(server.problem, std::nullopt) << kind;
      EXPECT_EQ(server.origin.import_kind, kind);
    }
  }
}

TEST_F(HostFixtures, every_key_is_translated_or_said) {
  const auto said = [this](const std::string& kind) {
    std::vector<std::string> messages;
    for (const Warning& warning : imported(kind).warnings) {
      messages.push_back(warning.message);
    }
    return messages;
  };
  for (const std::string_view kind : {"cursor",
                                      "claude-code",
                                      "claude-desktop",
                                      "windsurf",
                                      "codex",
                                      "opencode",
                                      "cline",
                                      "amazon-q",
                                      "lm-studio",
                                      "junie"}) {
    EXPECT_THAT(said(std::string(kind)), testing::IsEmpty()) << kind;
  }
  EXPECT_THAT(said("vscode"),
              UnorderedElementsAre(HasSubstr("set the environment variable PERPLEXITY_KEY"),
                                   HasSubstr("\"sandboxEnabled\" of server \"boxed\" is not")));
  EXPECT_THAT(said("roo-code"),
              UnorderedElementsAre(HasSubstr("\"alwaysAllow\" of server \"puppeteer\""),
                                   HasSubstr("\"watchPaths\" of server \"puppeteer\"")));
  EXPECT_THAT(said("kiro"),
              UnorderedElementsAre(HasSubstr("\"autoApprove\" of server \"web-search\"")));
}

}  // namespace
}  // namespace pi_mcp::config
