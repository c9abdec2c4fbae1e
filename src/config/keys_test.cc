#include "config/keys.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "config/import/imports.h"

namespace pi_mcp::config {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr const char* page_path = PI_MCP_SOURCE_DIR "/docs/configuration.md";
constexpr std::array scopes = {KeyScope::root, KeyScope::server, KeyScope::settings};

std::string page() {
  const std::ifstream file(page_path);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

std::string row_of(const Key& key) {
  std::string row = "| `" + std::string(key.name) + "` | " + std::string(type_name(key.type));
  row += " | " + std::string(key.fallback) + " | " + std::string(key.example) + " | ";
  row += std::string(key.scope == KeyScope::root ? "" : rule_text(key.project_may)) + " | ";
  return row + std::string(key.meaning) + " |\n";
}

std::string table_of(KeyScope scope) {
  std::string read =
      "| key | type | default | example | a project may | meaning |\n|---|---|---|---|---|---|\n";
  std::string kept;
  for (const Key& key : keys_of(scope)) {
    if (key.is_read()) {
      read += row_of(key);
    } else {
      kept += (kept.empty() ? "" : ", ") + ("`" + std::string(key.name) + "`");
    }
  }
  return read + (kept.empty()
                     ? ""
                     : "\nKept for programs that share the file, and not read: " + kept + ".\n");
}

std::string begin_of(KeyScope scope) {
  constexpr std::array names = {"root", "server", "settings"};
  return "<!-- keys of " + std::string(names.at(static_cast<std::size_t>(scope))) + " -->\n";
}

// The page with its tables made anew.
std::string page_with_tables(std::string text) {
  for (const KeyScope scope : scopes) {
    const std::size_t begin = text.find(begin_of(scope));
    const std::size_t end = text.find("<!-- /keys -->", begin);
    if (begin == std::string::npos || end == std::string::npos) {
      return "no place for " + begin_of(scope);
    }
    const std::size_t from = begin + begin_of(scope).size();
    text.replace(from, end - from, table_of(scope));
  }
  return text;
}

// PI_MCP_UPDATE_DOCS=1 writes them.
TEST(ConfigurationPage, has_the_tables_that_follow_from_the_declarations) {
  const std::string expected_page = page_with_tables(page());
  if (std::getenv("PI_MCP_UPDATE_DOCS") != nullptr) {  // NOLINT(concurrency-mt-unsafe): one thread
    std::ofstream(page_path) << expected_page;
  }
  EXPECT_EQ(page(), expected_page);
}

TEST(ConfigKeys, every_key_that_is_read_says_what_it_means) {
  for (const KeyScope scope : scopes) {
    for (const Key& key : keys_of(scope)) {
      EXPECT_EQ(key.scope, scope) << key.name;
      EXPECT_EQ(key.meaning.empty(), !key.is_read()) << key.name;
    }
  }
}

// The servers and settings of a user are safe from a project unless a row says otherwise.
TEST(ConfigKeys, what_a_project_may_do_with_settings_only_tightens) {
  for (const Key& key : keys_of(KeyScope::settings)) {
    EXPECT_TRUE(!key.is_read() || key.project_may != ProjectMay::set) << key.name;
  }
}

// The imports of the page, by kind.
std::map<std::string, std::string> import_rows() {
  std::map<std::string, std::string> rows;
  std::istringstream lines(page());
  bool is_there = false;
  for (std::string line; std::getline(lines, line);) {
    is_there = line.starts_with("## ") ? line == "## Imports" : is_there;
    if (is_there && line.starts_with("| `")) {
      rows[line.substr(3, line.find('`', 3) - 3)] = line;
    }
  }
  return rows;
}

TEST(ConfigurationPage, has_a_row_for_every_import) {
  const std::map<std::string, std::string> rows = import_rows();
  EXPECT_EQ(rows.size(), import_kinds().size());
  for (const std::string& kind : import_kinds()) {
    EXPECT_THAT(rows, Contains(testing::Key(kind)));
  }
}

TEST(ConfigKeys, no_key_is_there_twice) {
  std::map<std::pair<KeyScope, std::string_view>, int> seen;
  for (const KeyScope scope : scopes) {
    for (const Key& key : keys_of(scope)) {
      const int count = ++seen[std::pair(key.scope, key.name)];
      EXPECT_EQ(count, 1) << key.name;
    }
  }
}

TEST(ConfigKeys, near_keys_are_misspellings_only) {
  EXPECT_EQ(near_key(KeyScope::server, "comand"), "command");
  EXPECT_EQ(near_key(KeyScope::server, "evn"), "env");
  EXPECT_EQ(near_key(KeyScope::server, "uri"), "url");
  EXPECT_EQ(near_key(KeyScope::server, "excludedTools"), "excludeTools");
  for (const char* key : {"name",
                          "dev",
                          "id",
                          "tags",
                          "headersHelper",
                          "alwaysAllow",
                          "icon",
                          "envFile",
                          "version",
                          "tools"}) {
    EXPECT_EQ(near_key(KeyScope::server, key), std::nullopt) << key;
  }
  EXPECT_EQ(near_key(KeyScope::server, std::string(1000, 'x')), std::nullopt);
}

}  // namespace
}  // namespace pi_mcp::config
