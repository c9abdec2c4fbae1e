#include "json/document.h"

#include <gtest/gtest.h>

#include "json/canonical.h"
#include "json/writer.h"

namespace pi_mcp::json {
namespace {

Document parsed(std::string text, Syntax syntax = Syntax::strict) {
  Result<Document> document = Document::parse(std::move(text), {.syntax = syntax});
  EXPECT_TRUE(document) << document.error().message();
  return document ? *std::move(document) : Document();
}

std::string reason(std::string text, ParseOptions options = {}) {
  const Result<Document> document = Document::parse(std::move(text), options);
  return document ? "parsed" : document.error().message();
}

TEST(Document, keeps_every_value_as_it_was_written) {
  const std::string text =
      R"({"a":1.0,"b":-0,"c":1E400,"d":123456789012345678901234567890,"e":"\ud83d","a":2})";
  const Document document = parsed(text);
  EXPECT_EQ(document.root().raw(), text);
  EXPECT_EQ(document.root().find("b").raw(), "-0");
  EXPECT_EQ(document.root().find("c").raw(), "1E400");
  EXPECT_EQ(document.root().find("a").raw(), "2") << "the last duplicate wins";
  EXPECT_EQ(document.root().find("e").as_string(), "\xef\xbf\xbd");
  EXPECT_EQ(document.root().size(), 6U);
}

TEST(SameValue, is_seen_however_it_is_written) {
  EXPECT_TRUE(is_same_value("", ""));
  EXPECT_TRUE(is_same_value("no json", "no json"));
  EXPECT_TRUE(is_same_value(R"({"a":[1,"x y"]})", R"({ "a" : [1, "x y"] })"));
  EXPECT_TRUE(is_same_value(R"({"a":1,"b":"é"})", R"({"b":"\u00e9","a":1.0})"));
  EXPECT_FALSE(is_same_value(R"({"a":"x y"})", R"({"a":"xy"})"));
  EXPECT_FALSE(is_same_value("[1,2]", "[2,1]"));
  EXPECT_FALSE(is_same_value("{}", ""));
}

TEST(Document, values_outlive_a_move_and_shared_parts_outlive_the_document) {
  SharedText part;
  {
    Document document = parsed(R"({"x":["é",{"y":true}]})");
    const Value value = document.root().find("x");
    const Document moved = std::move(document);
    EXPECT_EQ(value.element(1).find("y").as_bool(), true);
    part = moved.share(value);
  }
  EXPECT_EQ(part.view(), R"(["é",{"y":true}])");
}

TEST(Document, absent_values_answer_no) {
  const Document document = parsed("[1,2]");
  EXPECT_FALSE(document.root().find("x").find("y").element(3));
  EXPECT_EQ(document.root().element(5).as_int(), std::nullopt);
  EXPECT_EQ(Value().raw(), "");
  EXPECT_EQ(Value().size(), 0U);
}

TEST(Document, numbers_convert_only_when_exact) {
  const Document document = parsed("[7, 7.0, 7e2, 7.5, 1e400, 9223372036854775807, -0, 1e-400]");
  const Value root = document.root();
  EXPECT_EQ(root.element(0).as_int(), 7);
  EXPECT_EQ(root.element(1).as_int(), 7);
  EXPECT_EQ(root.element(2).as_int(), 700);
  EXPECT_EQ(root.element(3).as_int(), std::nullopt);
  EXPECT_EQ(root.element(4).as_double(), std::nullopt);
  EXPECT_EQ(root.element(5).as_int(), 9223372036854775807);
  EXPECT_EQ(root.element(6).as_int(), 0);
  EXPECT_EQ(root.element(7).as_double(), 0.0);
}

TEST(Document, errors_say_where_and_why) {
  EXPECT_EQ(reason("{\"a\": 1,\n  b: 2}"),
            "line 2, column 3: expected a member name in double quotes");
  EXPECT_EQ(reason(""), "line 1, column 1: unexpected end of text, expected a value");
  EXPECT_EQ(reason("[1 2]"), "line 1, column 4: expected ',' or ']'");
  EXPECT_EQ(reason("\"a\xff\""), "line 1, column 3: invalid UTF-8");
  EXPECT_EQ(reason("1 2"), "line 1, column 3: unexpected text after the value");
  EXPECT_EQ(reason("[[[]]]", {.depth_max = 2}), "line 1, column 3: nested deeper than 2 levels");
  EXPECT_EQ(reason("[1,]"), "line 1, column 4: expected a value");
}

TEST(Document, jsonc_allows_comments_and_trailing_commas) {
  const Document document = parsed("// top\n{ /* in */ \"a\": [1, 2, ], // end\n}", Syntax::jsonc);
  EXPECT_EQ(document.root().find("a").size(), 2U);
  EXPECT_NE(reason("{} /* open", {.syntax = Syntax::jsonc}), "parsed");
}

TEST(Document, decodes_escapes) {
  const Document document = parsed(R"(["\u00e9\ud83d\ude00\n\/", "\udc00x"])");
  EXPECT_EQ(document.root().element(0).as_string(), "é😀\n/");
  EXPECT_EQ(document.root().element(1).as_string(), "\xef\xbf\xbdx");
  EXPECT_TRUE(document.root().element(0).equals("é😀\n/"));
}

TEST(Document, unescaped_is_the_inside_of_a_plain_string) {
  const Document document = parsed(R"(["a\b", "é", "", 1])");
  EXPECT_EQ(document.root().element(0).unescaped(), std::nullopt);
  EXPECT_EQ(document.root().element(1).unescaped(), "é");
  EXPECT_EQ(document.root().element(2).unescaped(), "");
  EXPECT_EQ(document.root().element(3).unescaped(), std::nullopt);
  EXPECT_EQ(Value().unescaped(), std::nullopt);
}

TEST(Document, may_become_that_of_another_text) {
  Document document = parsed(R"({"a":1})");
  ASSERT_TRUE(document.assign_view("[1,2]"));
  EXPECT_EQ(document.root().size(), 2U);
  EXPECT_FALSE(document.assign_view("[1,2"));
  EXPECT_FALSE(document.root().exists());
  ASSERT_TRUE(document.assign_view("7"));
  EXPECT_EQ(document.root().as_int(), 7);
}

TEST(Document, refuses_what_is_not_json) {
  for (const char* text : {"01",
                           "1.",
                           ".5",
                           "+1",
                           "1e",
                           "tru",
                           "nul",
                           "'a'",
                           "\"\\x\"",
                           "\"\\u12g4\"",
                           "{\"a\"}",
                           "{\"a\":}",
                           "[",
                           "]",
                           "\"\n\"",
                           "\xed\xa0\x80",
                           "NaN",
                           "-"}) {
    EXPECT_NE(reason(text), "parsed") << text;
  }
}

TEST(Writer, puts_commas_and_escapes) {
  Writer writer;
  writer.begin_object().member("a", 1).member("b", "x\"\n\x01").key("c").begin_array();
  writer.number(0.5).null().boolean(true).raw("{}").end_array().member("d", false).end_object();
  EXPECT_EQ(writer.take(), R"({"a":1,"b":"x\"\n\u0001","c":[0.5,null,true,{}],"d":false})");
}

TEST(Writer, replaces_invalid_utf8) {
  EXPECT_EQ(quoted("a\xff"), "\"a\xef\xbf\xbd\"");
}

TEST(Pretty, indents_and_keeps_tokens) {
  const Document document = parsed(R"({"a":[1.0,{}],"b":{"c":"\u00e9"},"d":[]})");
  EXPECT_EQ(pretty(document.root()),
            "{\n  \"a\": [\n    1.0,\n    {}\n  ],\n  \"b\": {\n    \"c\": \"\\u00e9\"\n  },\n  "
            "\"d\": []\n}");
  EXPECT_EQ(compact(document.root()), document.text());
}

}  // namespace
}  // namespace pi_mcp::json
