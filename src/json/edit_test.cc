#include "json/edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::json {
namespace {

using testing::HasSubstr;

std::string set(std::string_view text, const MemberPath& path, std::string_view json) {
  const Result<std::string> result = set_member(text, path, json);
  return result ? *result : "error: " + result.error().message();
}

std::string remove(std::string_view text, const MemberPath& path) {
  const Result<std::string> result = remove_member(text, path);
  return result ? *result : "error: " + result.error().message();
}

std::string append(std::string_view text, const MemberPath& path, std::string_view json) {
  const Result<std::string> result = append_element(text, path, json);
  return result ? *result : "error: " + result.error().message();
}

// ---- refusals ----

TEST(JsonEdit, malformed_text_is_refused_with_line_and_column) {
  for (const Result<std::string>& result : {set_member("{\n  \"a\": }", {"b"}, "1"),
                                            remove_member("{\n  \"a\": }", {"a"}),
                                            append_element("{\n  \"a\": }", {"a"}, "1")}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::invalid_argument);
    EXPECT_EQ(result.error().message(), "line 2, column 8: expected a value");
  }
}

TEST(JsonEdit, a_path_through_something_else_is_refused) {
  EXPECT_EQ(set("[1]", {"a"}, "1"),
            "error: the text is not an object but an array, so \"a\" cannot be in it");
  EXPECT_EQ(set(R"({"a": 1})", {"a", "b"}, "1"),
            "error: \"a\" is not an object but a number, so \"b\" cannot be in it");
  EXPECT_THAT(remove(R"({"a": []})", {"a", "b"}), HasSubstr("\"a\" is not an object but an array"));
  EXPECT_THAT(append(R"({"a": {}})", {"a"}, "1"), HasSubstr("\"a\" is not an array but an object"));
}

TEST(JsonEdit, a_new_value_that_is_not_json_is_refused) {
  EXPECT_THAT(set("{}", {"a"}, "{"), HasSubstr("error: the new value: line 1, column 2"));
  EXPECT_THAT(set("{}", {"a"}, "1 // c"), HasSubstr("error: the new value"));
  EXPECT_THAT(append("{}", {"a"}, ""), HasSubstr("error: the new value"));
}

TEST(JsonEdit, an_empty_path_is_refused) {
  EXPECT_FALSE(set_member("{}", {}, "1"));
  EXPECT_FALSE(remove_member("{}", {}));
}

TEST(JsonEdit, removing_what_is_not_there_is_not_found) {
  for (const MemberPath& path : {MemberPath{"b"}, MemberPath{"b", "c"}, MemberPath{"a", "c"}}) {
    const Result<std::string> result = remove_member(R"({"a": {}})", path);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::not_found);
  }
}

// ---- set ----

TEST(JsonEdit, set_adds_a_member_behind_the_last_in_the_style_of_the_file) {
  EXPECT_EQ(set("{\n  \"a\": 1\n}\n", {"b"}, R"({"c":[1,{}],"d":[]})"),
            "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [\n      1,\n      {}\n    ],\n"
            "    \"d\": []\n  }\n}\n");
  EXPECT_EQ(set("{\n\t\"a\": {\n\t\t\"x\": 1\n\t}\n}", {"a", "y"}, "[2]"),
            "{\n\t\"a\": {\n\t\t\"x\": 1,\n\t\t\"y\": [\n\t\t\t2\n\t\t]\n\t}\n}");
  EXPECT_EQ(set("{\r\n    \"a\": 1\r\n}\r\n", {"b"}, "2"),
            "{\r\n    \"a\": 1,\r\n    \"b\": 2\r\n}\r\n");
}

TEST(JsonEdit, set_keeps_comments_where_they_are) {
  EXPECT_EQ(set("// top\n{\n  // first\n  \"a\": 1 // one\n  // \"b\": 9\n}\n// end\n", {"c"}, "3"),
            "// top\n{\n  // first\n  \"a\": 1, // one\n  \"c\": 3\n  // \"b\": 9\n}\n// end\n");
  EXPECT_EQ(set("{\n  \"a\": 1, /* one */\n}", {"b"}, "2"),
            "{\n  \"a\": 1, /* one */\n  \"b\": 2,\n}");
  EXPECT_EQ(set("{\n  \"a\": 1 // x\r\n}", {"b"}, "2"), "{\n  \"a\": 1, // x\r\n  \"b\": 2\r\n}");
}

TEST(JsonEdit, set_keeps_a_trailing_comma) {
  EXPECT_EQ(set("{\n  \"a\": 1,\n}", {"b"}, "2"), "{\n  \"a\": 1,\n  \"b\": 2,\n}");
}

TEST(JsonEdit, set_replaces_a_value_in_its_place) {
  EXPECT_EQ(set("{\n  \"a\": 1, // one\n  \"b\": 2\n}", {"a"}, R"({"x":1})"),
            "{\n  \"a\": {\n    \"x\": 1\n  }, // one\n  \"b\": 2\n}");
  EXPECT_EQ(set(R"({"a": 1, "b": {"c": 2}})", {"b", "c"}, "[1, 2]"),
            R"({"a": 1, "b": {"c": [1,2]}})");
}

TEST(JsonEdit, set_replaces_the_member_that_counts_when_a_name_is_there_twice) {
  EXPECT_EQ(set(R"({"a": 1, "a": 2})", {"a"}, "3"), R"({"a": 1, "a": 3})");
}

TEST(JsonEdit, set_creates_parents) {
  EXPECT_EQ(set("{}", {"mcpServers", "x", "disabled"}, "true"),
            "{\n  \"mcpServers\": {\n    \"x\": {\n      \"disabled\": true\n    }\n  }\n}");
  EXPECT_EQ(set("{\n  \"a\": {}\n}", {"a", "b"}, "1"), "{\n  \"a\": {\n    \"b\": 1\n  }\n}");
}

TEST(JsonEdit, set_stays_on_one_line_where_the_text_does) {
  EXPECT_EQ(set(R"({"a":1})", {"b"}, R"({"c": 1})"), R"({"a":1, "b": {"c":1}})");
  EXPECT_EQ(set(R"({"a":{}})", {"a", "b"}, "1"), R"({"a":{"b": 1}})");
  EXPECT_EQ(set(R"({ "a": 1, })", {"b"}, "2"), R"({ "a": 1, "b": 2 })");
  EXPECT_EQ(set("{\n  \"x\": {\"command\": \"c\"}\n}", {"x", "disabled"}, "true"),
            "{\n  \"x\": {\"command\": \"c\", \"disabled\": true}\n}");
}

TEST(JsonEdit, set_writes_a_blank_text_as_an_object) {
  EXPECT_EQ(set("", {"a"}, "1"), "{\n  \"a\": 1\n}\n");
  EXPECT_EQ(set(" \n ", {"a"}, "1"), "{\n  \"a\": 1\n}\n");
  EXPECT_EQ(set("// mine", {"a"}, "1"), "// mine\n{\n  \"a\": 1\n}\n");
}

TEST(JsonEdit, set_keeps_a_comment_in_an_empty_object) {
  EXPECT_EQ(set("{\n  \"a\": {\n    // none yet\n  }\n}", {"a", "b"}, "1"),
            "{\n  \"a\": {\n    // none yet\n    \"b\": 1\n  }\n}");
  EXPECT_EQ(set("{ // none\n}", {"b"}, "1"), "{ // none\n  \"b\": 1\n}");
}

TEST(JsonEdit, set_keeps_a_byte_order_mark) {
  EXPECT_EQ(set("\xef\xbb\xbf{}", {"a"}, "1"), "\xef\xbb\xbf{\n  \"a\": 1\n}");
  EXPECT_EQ(remove("\xef\xbb\xbf{\"a\": 1}", {"a"}), "\xef\xbb\xbf{}");
}

TEST(JsonEdit, set_quotes_names) {
  EXPECT_EQ(set(R"({"x":0})", {"a\"b\n", "ü"}, "1"), R"({"x":0, "a\"b\n": {"ü":1}})");
}

TEST(JsonEdit, set_copes_with_members_that_share_lines) {
  EXPECT_EQ(set("{\"a\": 1,\n \"b\": 2}", {"c"}, "3"), "{\"a\": 1,\n \"b\": 2,\n \"c\": 3}");
}

// ---- remove ----

TEST(JsonEdit, remove_takes_the_line_and_its_comment) {
  EXPECT_EQ(remove("{\n  \"a\": 1, // one\n  // about b\n  \"b\": 2\n}", {"a"}),
            "{\n  // about b\n  \"b\": 2\n}");
  EXPECT_EQ(remove("{\r\n  \"a\": 1,\r\n  \"b\": {\r\n    \"c\": 1\r\n  }\r\n}", {"b"}),
            "{\r\n  \"a\": 1\r\n}");
}

TEST(JsonEdit, remove_of_the_last_member_takes_the_comma_before_it) {
  EXPECT_EQ(remove("{\n  \"a\": 1, // one\n  \"b\": 2 // two\n}", {"b"}),
            "{\n  \"a\": 1 // one\n}");
  EXPECT_EQ(remove("{\n  \"a\": 1,\n  \"b\": 2,\n}", {"b"}), "{\n  \"a\": 1,\n}");
}

TEST(JsonEdit, remove_of_the_only_member_leaves_an_empty_object) {
  EXPECT_EQ(remove("{\n  \"a\": {\n    \"b\": 1\n  }\n}", {"a", "b"}), "{\n  \"a\": {}\n}");
  EXPECT_EQ(remove("{\n  // why\n  \"a\": 1\n}", {"a"}), "{\n  // why\n}");
}

TEST(JsonEdit, remove_on_one_line) {
  EXPECT_EQ(remove(R"({"a": 1, "b": 2, "c": 3})", {"a"}), R"({"b": 2, "c": 3})");
  EXPECT_EQ(remove(R"({"a": 1, "b": 2, "c": 3})", {"b"}), R"({"a": 1, "c": 3})");
  EXPECT_EQ(remove(R"({ "a": 1, "b": 2 })", {"b"}), R"({ "a": 1 })");
  EXPECT_EQ(remove(R"({"a": 1, /* about b */ "b": 2})", {"a"}), R"({/* about b */ "b": 2})");
  EXPECT_EQ(remove("{ \"a\": 1, \"b\": 2, // two\n  \"c\": 3 }", {"b"}),
            "{ \"a\": 1,\n  \"c\": 3 }");
}

TEST(JsonEdit, remove_takes_every_member_of_that_name) {
  EXPECT_EQ(remove(R"({"a": 1, "b": 2, "a": 3})", {"a"}), R"({"b": 2})");
}

// ---- append ----

TEST(JsonEdit, append_adds_an_element_or_creates_the_array) {
  EXPECT_EQ(append(R"({"imports": ["cursor"]})", {"imports"}, R"("codex")"),
            R"({"imports": ["cursor", "codex"]})");
  EXPECT_EQ(
      append("{\n  \"imports\": [\n    \"cursor\" // mine\n  ]\n}", {"imports"}, R"("codex")"),
      "{\n  \"imports\": [\n    \"cursor\", // mine\n    \"codex\"\n  ]\n}");
  EXPECT_EQ(append("{}", {"imports"}, R"("codex")"), "{\n  \"imports\": [\n    \"codex\"\n  ]\n}");
  EXPECT_EQ(append("{\n  \"imports\": []\n}", {"imports"}, "1"),
            "{\n  \"imports\": [\n    1\n  ]\n}");
}

TEST(JsonEdit, blank_is_white_space_and_complete_comments) {
  EXPECT_TRUE(is_blank(""));
  EXPECT_TRUE(is_blank(" \r\n\t// a\n/* b */// c"));
  EXPECT_FALSE(is_blank("/* open"));
  EXPECT_FALSE(is_blank("/"));
  EXPECT_FALSE(is_blank("{}"));
}

// Every member of an awkward text can be set and removed, and the rest stays what it was.
TEST(JsonEdit, every_edit_changes_one_thing_only) {
  const std::string text =
      "// c\n{ \"a\" : 1 , // x\n\n \"b\":{ /* i */ \"c\" :[1,\n2 , ] , },\n"
      "\"d\":\"//\" /* y */ ,/* z */ \"e\": {},\n\t\"f\":null\n/* w */ }//";
  for (const MemberPath& path : std::vector<MemberPath>{
           {"a"}, {"b"}, {"b", "c"}, {"d"}, {"e"}, {"e", "n"}, {"f"}, {"n"}, {"n", "m"}}) {
    const std::string changed = set(text, path, R"({"k":[7]})");
    const Result<Document> document = Document::parse(changed, {.syntax = Syntax::jsonc});
    ASSERT_TRUE(document) << changed;
    Value value = document->root();
    for (const std::string& name : path) {
      value = value.find(name);
    }
    EXPECT_EQ(compact(value), R"({"k":[7]})");
    const Result<Document> rest =
        Document::parse(remove(changed, {path[0]}), {.syntax = Syntax::jsonc});
    const Result<Document> expected =
        path[0] == "n" ? Document::parse(text, {.syntax = Syntax::jsonc})
                       : Document::parse(remove(text, {path[0]}), {.syntax = Syntax::jsonc});
    ASSERT_TRUE(rest && expected);
    EXPECT_EQ(compact(rest->root()), compact(expected->root()));
  }
}

}  // namespace
}  // namespace pi_mcp::json
