#include "registry/search_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace pi_mcp::registry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Read {
  std::vector<std::string> names;
  std::vector<std::string> texts;
  std::vector<std::string> values;
};

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : text::split(text, '\n')) {
    if (!line.empty()) {
      lines.emplace_back(line);
    }
  }
  return lines;
}

Read read(const std::string& schema) {
  catalog::CatalogTool tool;
  tool.input_schema = SharedText::copy(schema);
  DocumentReader reader;
  const search::Document document = reader.read(tool);
  return {.names = lines_of(document.parameters),
          .texts = lines_of(document.parameter_texts),
          .values = lines_of(document.parameter_values)};
}

TEST(SearchDocument, has_names_descriptions_and_values_of_parameters_at_any_level) {
  const Read found = read(R"({"properties":{
      "order":{"description":"How to sort","enum":["up","down",3]},
      "filter":{"type":"object","properties":{"since":{"description":"A day","const":"today"}}},
      "tags":{"items":{"description":"One tag","enum":["red"]}}}})");
  EXPECT_THAT(found.names, ElementsAre("order", "filter", "since", "tags"));
  EXPECT_THAT(found.texts, ElementsAre("How to sort", "A day", "One tag"));
  EXPECT_THAT(found.values, ElementsAre("up", "down", "today", "red"));
}

TEST(SearchDocument, has_what_stands_behind_references) {
  const Read found = read(R"({"properties":{
      "who":{"$ref":"#/$defs/Person"},"friends":{"items":{"$ref":"#/$defs/Person"}},
      "size":{"$ref":"#/$defs/a~1b"}},
      "$defs":{"Person":{"description":"A human","properties":{"surname":{"type":"string"}}},
               "a/b":{"enum":["large"]}}})");
  EXPECT_THAT(found.names, ElementsAre("who", "surname", "friends", "size"));
  EXPECT_THAT(found.texts, ElementsAre("A human"));
  EXPECT_THAT(found.values, ElementsAre("large"));
}

TEST(SearchDocument, has_what_stands_in_alternatives_and_additional_properties) {
  const Read found = read(R"({"oneOf":[{"properties":{"path":{}}},{"properties":{"address":{}}}],
      "allOf":[{"properties":{"both":{"anyOf":[{"description":"A number"},{"const":"none"}]}}}],
      "additionalProperties":{"properties":{"extra":{"description":"More"}}}})");
  EXPECT_THAT(found.names, ElementsAre("extra", "path", "address", "both"));
  EXPECT_THAT(found.texts, ElementsAre("More", "A number"));
  EXPECT_THAT(found.values, ElementsAre("none"));
}

TEST(SearchDocument, references_in_a_circle_or_to_nothing_are_read_once) {
  const Read found = read(R"({"properties":{"node":{"$ref":"#/$defs/Node"},"x":{"$ref":"#/none"},
      "y":{"$ref":"https://example.com/y"}},
      "$defs":{"Node":{"properties":{"left":{"$ref":"#/$defs/Node"},"all":{"$ref":"#"}}}}})");
  EXPECT_THAT(found.names, ElementsAre("node", "left", "all", "x", "y"));
}

TEST(SearchDocument, a_long_chain_of_references_is_followed_only_so_far) {
  std::string schema = R"({"properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{)";
  constexpr int links = 2000;
  for (int i = 0; i < links; ++i) {
    schema +=
        "\"d" + std::to_string(i) + R"(":{"$ref":"#/$defs/d)" + std::to_string(i + 1) + "\"},";
  }
  EXPECT_THAT(read(schema + R"("d":{}}})").names, ElementsAre("p"));
  EXPECT_THAT(read("[]").names, IsEmpty());
}

}  // namespace
}  // namespace pi_mcp::registry
