#include "servers/launch/credential_command.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "support/processes.h"

namespace pi_mcp::servers {
namespace {

namespace fs = std::filesystem;

io::Task<Result<std::string>> output_of(CredentialCommand command) {
  return credential_output(std::move(command),
                           {.what = "the command", .input = {}, .slow_advice = {}});
}

TEST(CredentialCommandTest, finds_no_program_of_its_folder_through_the_search_path) {
  const test::TempFolder folder;
  const std::string planted = folder.file("sign");
  std::ofstream(planted) << "#!/bin/sh\necho planted\n";
  fs::permissions(planted, fs::perms::owner_all);
  config::Environment environment;
  environment.cwd = fs::path(planted).parent_path();
  for (const char* path : {".:/usr/bin:/bin", ":/usr/bin:/bin", "/usr/bin:/bin:"}) {
    environment.variables["PATH"] = path;
    const auto run = [&](std::string line) {
      return io::run([&environment, line](const io::Executor&) {
        return output_of(shell_credential(line, environment));
      });
    };
    const Result<std::string> by_name = run("sign");
    EXPECT_FALSE(by_name) << path;
    EXPECT_EQ(run("./sign").value_or(""), "planted") << "the user named the file";
  }
}

}  // namespace
}  // namespace pi_mcp::servers
