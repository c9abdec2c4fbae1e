// A machine with files and variables, and what loading gives there: the fixture of config/'s tests.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "config/load.h"
#include "support/memory_files.h"

namespace pi_mcp::config {

class MachineFixture : public testing::Test {
 protected:
  MachineFixture& file(std::string path, std::string text) {
    files_.add(std::move(path), std::move(text));
    return *this;
  }
  MachineFixture& user(std::string text) { return file(user_file, std::move(text)); }
  // Below the user file.
  MachineFixture& shared(std::string text) {
    return file("/home/ann/.config/mcp/mcp.json", std::move(text));
  }
  MachineFixture& project(std::string text) { return file(project_file, std::move(text)); }

  Settings load() { return config::load(environment_, files_, options_); }

  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const Server& server : load().servers) {
      names.push_back(server.name);
    }
    return names;
  }
  Server server(std::string_view name = "x") {
    const Settings settings = load();
    const Server* found = settings.find(name);
    EXPECT_NE(found, nullptr) << name;
    return found == nullptr ? Server{} : *found;
  }
  std::vector<std::string> warnings() {
    std::vector<std::string> messages;
    for (const Warning& warning : load().warnings) {
      messages.push_back(warning.message);
    }
    return messages;
  }

  static constexpr const char* user_file = "/home/ann/.pi/agent/mcp.json";
  static constexpr const char* shared_project_file = "/home/ann/code/app/.mcp.json";
  static constexpr const char* project_file = "/home/ann/code/app/.pi/mcp.json";

  // Project files count, too: what trust decides has tests of its own (project_gate_test.cc).
  MachineFixture() { options_.trust.everything = true; }

  MemoryFiles files_;
  Environment environment_{.variables = {}, .home = "/home/ann", .cwd = "/home/ann/code/app"};
  LoadOptions options_;
};

}  // namespace pi_mcp::config
