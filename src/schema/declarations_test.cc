#include "schema/declarations.h"

#include <gtest/gtest.h>

#include "json/document.h"

namespace pi_mcp::schema {
namespace {

std::string declared(std::string_view schema) {
  const Result<json::Document> document = json::Document::parse_view(schema);
  Declarations file({});
  file.declare(file.take_name("X"), document->root());
  EXPECT_TRUE(file.cuts().empty());
  return file.text();
}

std::vector<std::string> cuts_of(std::string_view schema) {
  const Result<json::Document> document = json::Document::parse_view(schema);
  Declarations file({});
  file.declare(file.take_name("X"), document->root());
  return file.cuts();
}

// The type of a schema that needs no more than one.
std::string type_of(std::string_view schema) {
  const std::string text = declared(schema);
  return text.substr(16, text.size() - 19);
}

TEST(Declarations, MembersAreNamedAsTheyAreAndRequiredOnesHaveNoQuestionMark) {
  EXPECT_EQ(declared(R"({"type":"object","required":["a","gone"],"properties":{
              "a":{"type":"integer","description":"How many"},
              "b-c":{"type":["string","null"],"default":"x"},
              "class":{"enum":["p","q",1,null,true]}}})"),
            "export type X = {\n"
            "  /** How many */\n"
            "  a: number;\n"
            "  /** @default \"x\" */\n"
            "  \"b-c\"?: string | null;\n"
            "  class?: \"p\" | \"q\" | 1 | null | true;\n"
            "  gone: unknown;\n"
            "};\n\n");
}

TEST(Declarations, ACommentCannotEndEarlyAndALiteralHidesNothing) {
  EXPECT_EQ(doc_comment("a */ b\nc\x1b[31m", {"@default \"*/\""}, 2),
            "  /**\n   * a *\\/ b\n   * c\n   * @default \"*\\/\"\n   */\n");
  EXPECT_EQ(string_literal("a\"\u202eb\u2028\n"), "\"a\\\"\\u{202e}b\\u{2028}\\n\"");
  EXPECT_EQ(member_name("__proto__"), "__proto__");
  EXPECT_EQ(member_name(""), "\"\"");
  EXPECT_EQ(doc_comment("", {}, 0), "");
}

TEST(Declarations, ArraysTuplesAndOtherMembers) {
  EXPECT_EQ(type_of(R"({"items":{"type":["string","number"]}})"), "(string | number)[]");
  EXPECT_EQ(type_of(R"({"prefixItems":[{"type":"string"},{"type":"null"}],"minItems":1})"),
            "[string, null?, ...unknown[]]");
  EXPECT_EQ(type_of(R"({"type":"array","items":[{"type":"string"}],"additionalItems":false})"),
            "[string?]");
  EXPECT_EQ(type_of(R"({"additionalProperties":{"type":"number"}})"),
            "{\n  [key: string]: number;\n}");
  EXPECT_EQ(type_of(R"({"type":"object","additionalProperties":false})"),
            "{\n  [key: string]: never;\n}");
  EXPECT_EQ(type_of(R"({"properties":{"a":{}},"additionalProperties":{"type":"number"}})"),
            "{\n  a?: unknown;\n  [key: string]: unknown;\n}");
}

TEST(Declarations, CombinationsAreUnionsAndIntersections) {
  EXPECT_EQ(type_of(R"({"oneOf":[{"type":"string"},{"type":"string"},{"const":1}]})"),
            "string | 1");
  EXPECT_EQ(type_of(R"({"anyOf":[{"type":"string"},{"pattern":"x"}]})"), "unknown");
  EXPECT_EQ(type_of(R"({"type":"string","allOf":[{"anyOf":[{"const":"a"},{"const":"b"}]}]})"),
            "string & (\"a\" | \"b\")");
  EXPECT_EQ(type_of(R"({"type":"string","nullable":true})"), "string | null");
  EXPECT_EQ(type_of(R"({"enum":[]})"), "never");
  EXPECT_EQ(type_of("false"), "never");
}

TEST(Declarations, ADefinitionHasANameAndMayNameItself) {
  EXPECT_EQ(declared(R"({"type":"object","properties":{"n":{"$ref":"#/$defs/the-node"}},
              "$defs":{"the-node":{"properties":{"next":{"$ref":"#/$defs/the-node"},
                                                 "all":{"$ref":"#"}}}}})"),
            "export type X = {\n  n?: XTheNode;\n};\n\n"
            "export type XTheNode = {\n  next?: XTheNode;\n  all?: X;\n};\n\n");
}

TEST(Declarations, ATypeIsNeverItselfBeforeAnyMember) {
  EXPECT_EQ(declared(R"({"$ref":"#"})"), "export type X = unknown;\n\n");
  const std::string text = declared(R"({"$ref":"#/$defs/a","$defs":{
      "a":{"anyOf":[{"$ref":"#/$defs/b"},{"type":"null"}]},
      "b":{"allOf":[{"$ref":"#/$defs/a"},{"properties":{"a":{"$ref":"#/$defs/a"}}}]}}})");
  EXPECT_EQ(text,
            "export type X = XA;\n\nexport type XA = XB | null;\n\n"
            "export type XB = {\n  a?: XA;\n};\n\n");
}

TEST(Declarations, WhatIsTooDeepOrLargeOrNowhereIsUnknownAndNamed) {
  std::string deep = R"({"type":"string"})";
  for (int i = 0; i < 40; ++i) {
    deep = R"({"properties":{"a":)" + deep + "}}";
  }
  EXPECT_EQ(cuts_of(deep), (std::vector<std::string>{"X: deeper than 24 levels"}));
  EXPECT_EQ(cuts_of(R"({"$ref":"http://example.com/x"})"),
            (std::vector<std::string>{"X: the reference http://example.com/x leads nowhere"}));
  const std::string long_text(std::size_t{2} << 20U, 'x');
  EXPECT_EQ(cuts_of(R"({"description":")" + long_text + "\"}"),
            (std::vector<std::string>{"X: larger than 1.0MB"}));
  std::string chain = R"({"$ref":"#/$defs/d0","$defs":{"end":{})";
  for (int i = 0; i < 3000; ++i) {
    chain +=
        ",\"d" + std::to_string(i) + "\":{\"$ref\":\"#/$defs/d" + std::to_string(i + 1) + "\"}";
  }
  EXPECT_FALSE(cuts_of(chain + "}}").empty());
}

TEST(Declarations, NamesAreGivenOnce) {
  Declarations file({"Client"});
  EXPECT_EQ(file.take_name("Client"), "Client2");
  EXPECT_EQ(file.take_name("Client"), "Client3");
  EXPECT_EQ(pascal_case("get-sum_of.x"), "GetSumOfX");
  EXPECT_EQ(pascal_case("3d"), "X3d");
  EXPECT_EQ(pascal_case("\u00e9"), "X");
}

}  // namespace
}  // namespace pi_mcp::schema
