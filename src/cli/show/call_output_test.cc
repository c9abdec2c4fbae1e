#include "cli/show/call_output.h"

#include <gtest/gtest.h>

#include "json/document.h"

namespace pi_mcp::cli {
namespace {

json::Document parsed(std::string text) {
  Result<json::Document> document = json::Document::parse(std::move(text));
  EXPECT_TRUE(document) << document.error().message();
  return document ? *std::move(document) : json::Document();
}

std::string shown(const std::string& result) {
  return call_text(parsed(result).root());
}

std::string kept(const std::string& result) {
  const Result<OutputBytes> output = output_bytes(parsed(result).root());
  return output ? output->what + ": " + output->bytes : output.error().message();
}

TEST(CallOutput, texts_are_printed_as_they_are_and_end_with_a_line_feed) {
  EXPECT_EQ(shown(R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b\n"}]})"),
            "a\nb\n");
  EXPECT_EQ(shown(R"({"content":[{"type":"resource","resource":{"uri":"x:y","text":"t"}}]})"),
            "t\n");
}

TEST(CallOutput, what_is_no_text_is_named) {
  EXPECT_EQ(shown(R"({"content":[{"type":"image","mimeType":"image/png","data":"AAAAAAA="}]})"),
            "[image image/png, 5B; to save it: --output FILE or --json]\n");
  EXPECT_EQ(shown(R"({"content":[{"type":"audio","data":""}]})"),
            "[audio 0B; to save it: --output FILE or --json]\n");
  EXPECT_EQ(shown(R"({"content":[{"type":"resource","resource":{"uri":"x:y","blob":"AAAA"}}]})"),
            "[file 3B, x:y; to save it: --output FILE or --json]\n");
  EXPECT_EQ(shown(R"({"content":[{"type":"resource_link","name":"n","uri":"x:y"}]})"),
            "[link n x:y]\n");
  EXPECT_EQ(shown(R"({"content":[{"type":"new", "x": 1}]})"), "{\"type\":\"new\",\"x\":1}\n");
}

TEST(CallOutput, what_is_named_stays_in_its_line) {
  EXPECT_EQ(shown(R"({"content":[{"type":"image","mimeType":"a\r\nb\u001b[2J","data":""}]})"),
            "[image a  b, 0B; to save it: --output FILE or --json]\n");
  EXPECT_EQ(shown(R"({"content":[{"type":"resource_link","name":"n\n\u202e","uri":"x:\ry"}]})"),
            "[link n  x: y]\n");
}

TEST(CallOutput, structured_content_is_shown_when_there_is_no_text) {
  EXPECT_EQ(shown(R"({"content":[],"structuredContent":{"a":1}})"), "{\n  \"a\": 1\n}\n");
  EXPECT_EQ(shown(R"({"content":[{"type":"text","text":""}],"structuredContent":[1]})"),
            "\n[\n  1\n]\n");
  EXPECT_EQ(shown(R"({"content":[{"type":"text","text":"x"}],"structuredContent":{"a":1}})"),
            "x\n");
}

TEST(CallOutput, an_empty_result_prints_nothing) {
  EXPECT_EQ(shown("{}"), "");
  EXPECT_EQ(shown(R"({"content":[{"type":"text","text":""}]})"), "");
  EXPECT_EQ(shown(R"({"content":5})"), "");
}

TEST(CallOutput, the_first_binary_block_is_kept_else_the_text) {
  EXPECT_EQ(kept(R"({"content":[{"type":"text","text":"t"},)"
                 R"({"type":"image","mimeType":"image/png","data":"aGVs\nbG8="}]})"),
            "image/png, 5B: hello");
  EXPECT_EQ(kept(R"({"content":[{"type":"text","text":"t"}]})"), "text, 2B: t\n");
  EXPECT_EQ(kept(R"({"content":[{"type":"image","data":"a*b"}]})"),
            "the data of the result is not base64");
  EXPECT_EQ(kept(R"({"content":[{"type":"image","data":"aGVsbG8"}]})"),
            "the data of the result is not base64")
      << "cut off";
}

TEST(CallOutput, progress_is_one_printable_line) {
  const auto line = [](const std::string& params) {
    return progress_text(parsed(params).root());
  };
  EXPECT_EQ(line(R"({"progress":3,"total":10,"message":"reading"})"), "reading (3/10)");
  EXPECT_EQ(line(R"({"progress":0.5})"), "0.5");
  EXPECT_EQ(line(R"({"progress":0,"message":"reading"})"), "reading");
  EXPECT_EQ(line(R"({"message":"a\nb\u001b[31m"})"), "a b");
  EXPECT_EQ(line("{}"), "");
}

}  // namespace
}  // namespace pi_mcp::cli
