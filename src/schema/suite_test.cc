// Runs the official JSON Schema test suite (tests/data/json-schema-suite) for draft-07 and 2020-12.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "schema/schema.h"

namespace pi_mcp::schema {
namespace {

namespace fs = std::filesystem;

const fs::path data = fs::path(PI_MCP_SOURCE_DIR) / "tests" / "data";

// "dialect/file/description/test" of every test that comes out otherwise than the suite says, and
// why.
const std::set<std::string> expected_differences = {
    // A $schema that is not a published dialect is unknown to us: nothing is enforced.
    "draft2020-12/vocabulary.json/schema that uses custom metaschema with with no validation "
    "vocabulary/applicator vocabulary still works",
    "draft2020-12/vocabulary.json/ignore unrecognized optional vocabulary/string value",
};

json::Document read(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  Result<json::Document> document = json::Document::parse(text.str());
  EXPECT_TRUE(document) << path;
  return document ? *std::move(document) : json::Document();
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

class SchemaSuite : public testing::TestWithParam<const char*> {
 protected:
  // The suite's server http://localhost:1234 and the metaschemas, as documents known beforehand.
  void SetUp() override {
    for (const fs::path& path : json_files(data / "json-schema-suite" / "remotes")) {
      const fs::path name = fs::relative(path, data / "json-schema-suite" / "remotes");
      add("http://localhost:1234/" + name.generic_string(), path);
    }
    const fs::path metaschemas = data / "json-schema-metaschemas";
    add("http://json-schema.org/draft-07/schema", metaschemas / "draft-07" / "schema.json");
    add("https://json-schema.org/draft/2020-12/schema",
        metaschemas / "draft2020-12" / "schema.json");
    for (const fs::path& path : json_files(metaschemas / "draft2020-12" / "meta")) {
      add("https://json-schema.org/draft/2020-12/meta/" + path.stem().string(), path);
    }
    options_.dialect_default =
        std::string_view(GetParam()) == "draft7" ? Dialect::draft7 : Dialect::draft2020_12;
  }

  void add(std::string uri, const fs::path& path) {
    documents_.push_back(read(path));
    options_.documents.push_back({.uri = std::move(uri), .schema = documents_.back().root()});
  }

  void run_case(const std::string& file, json::Value test_case) {
    const Result<Schema> schema = Schema::compile(test_case.find("schema"), options_);
    ASSERT_TRUE(schema) << schema.error().message();
    for (const json::Value test : test_case.find("tests").elements()) {
      const std::string name = std::string(GetParam()) + "/" + file + "/" +
                               test_case.find("description").string_or("") + "/" +
                               test.find("description").string_or("");
      const std::vector<Violation> violations = schema->check(test.find("data"));
      const bool agrees = violations.empty() == test.find("valid").bool_or(false);
      differences_seen_ += expected_differences.contains(name) ? 1 : 0;
      EXPECT_NE(agrees, expected_differences.contains(name))
          << name << "\n"
          << (violations.empty() ? "valid" : violations[0].text());
      ++tests_run_;
    }
  }

  std::vector<json::Document> documents_;
  CompileOptions options_;
  std::size_t tests_run_ = 0;
  std::size_t differences_seen_ = 0;
};

TEST_P(SchemaSuite, agrees_with_every_test_but_the_listed_ones) {
  for (const fs::path& path : json_files(data / "json-schema-suite" / "tests" / GetParam())) {
    const json::Document document = read(path);
    for (const json::Value test_case : document.root().elements()) {
      run_case(path.filename().string(), test_case);
    }
  }
  EXPECT_GT(tests_run_, 800U);  // the data was found
  const auto listed = std::count_if(
      expected_differences.begin(), expected_differences.end(), [](const std::string& name) {
        return name.starts_with(std::string(GetParam()) + "/");
      });
  EXPECT_EQ(differences_seen_, static_cast<std::size_t>(listed));
}

INSTANTIATE_TEST_SUITE_P(Dialects,
                         SchemaSuite,
                         testing::Values("draft7", "draft2020-12"),
                         [](const auto& info) {
                           return std::string(info.param) == "draft7" ? "draft7" : "draft2020_12";
                         });

}  // namespace
}  // namespace pi_mcp::schema
