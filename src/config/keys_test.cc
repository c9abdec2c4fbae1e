#include "config/keys.h"

#include <fstream>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "config/imports.h"

namespace pi_mcp::config {
namespace {

using testing::Contains;
using testing::HasSubstr;

// "string" in the page for ValueType::text, and so on.
std::string type_name(ValueType type) {
  switch (type) {
    case ValueType::text:
      return "string";
    case ValueType::flag:
      return "boolean";
    case ValueType::minutes:
      return "minutes";
    case ValueType::milliseconds:
      return "milliseconds";
    case ValueType::text_list:
      return "string list";
    case ValueType::text_map:
      return "string map";
    case ValueType::choice:
    case ValueType::choice_or_false:
      return "choice";
    case ValueType::selection:
      return "selection";
    case ValueType::object:
      return "object";
    case ValueType::flag_or_object:
      return "boolean or object";
    case ValueType::word_lists:
      return "word lists";
    case ValueType::any:
      return "any";
  }
  return "";
}

// The rows of the page's tables, by section and first cell.
using Rows = std::map<std::string, std::map<std::string, std::string>>;

Rows rows_of_page() {
  const std::ifstream file(PI_MCP_SOURCE_DIR "/docs/configuration.md");
  std::stringstream content;
  content << file.rdbuf();
  Rows rows;
  std::string section;
  std::string line;
  while (std::getline(content, line)) {
    if (line.starts_with("## ")) {
      section = line.substr(3);
    } else if (line.starts_with("| `")) {
      rows[section][line.substr(3, line.find('`', 3) - 3)] = line;
    }
  }
  return rows;
}

const std::map<KeyScope, std::string> sections = {{KeyScope::root, "Top level"},
                                                  {KeyScope::server, "A server"},
                                                  {KeyScope::settings, "Settings"}};

TEST(ConfigurationPage, has_a_row_for_every_known_key_with_its_type_and_choices) {
  Rows rows = rows_of_page();
  for (const Key& key : known_keys()) {
    const std::string name(key.name);
    const std::string row = rows[sections.at(key.scope)][name];
    EXPECT_TRUE(row.starts_with("| `" + name + "` | " + type_name(key.type) + " |"))
        << name << ": " << row;
    for (const std::string_view choice : text::split(key.choices, '|')) {
      EXPECT_THAT(row, HasSubstr(choice.empty() ? "" : "`" + std::string(choice) + "`"));
    }
  }
}

TEST(ConfigurationPage, has_no_row_for_a_key_that_is_not_known) {
  Rows rows = rows_of_page();
  for (const auto& [scope, section] : sections) {
    for (const auto& [name, row] : rows[section]) {
      EXPECT_NE(find_key(scope, name), nullptr) << section << ": " << name;
    }
  }
}

TEST(ConfigurationPage, has_a_row_for_every_import) {
  Rows rows = rows_of_page();
  EXPECT_EQ(rows["Imports"].size(), import_kinds().size());
  for (const std::string& kind : import_kinds()) {
    EXPECT_THAT(rows["Imports"], Contains(testing::Key(kind)));
  }
}

TEST(ConfigKeys, no_key_is_there_twice) {
  std::map<std::pair<KeyScope, std::string_view>, int> seen;
  for (const Key& key : known_keys()) {
    const int count = ++seen[std::pair(key.scope, key.name)];
    EXPECT_EQ(count, 1) << key.name;
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
                          "description",
                          "timeout",
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
