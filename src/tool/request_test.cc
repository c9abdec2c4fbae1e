#include "tool/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::tool {
namespace {

tl::expected<ToolRequest, RequestError> parse(std::string arguments) {
  const Result<json::Document> document = json::Document::parse(std::move(arguments));
  EXPECT_TRUE(document.has_value());
  return parse_tool_request(*document, document->root());
}

std::string error_code(std::string arguments) {
  const auto request = parse(std::move(arguments));
  return request ? "none" : std::string(request.error().code);
}

std::string error_message(std::string arguments) {
  const auto request = parse(std::move(arguments));
  return request ? "none" : request.error().message.said_to(Reader::model);
}

Mode mode(std::string arguments) {
  return parse(std::move(arguments))->mode;
}

TEST(CompatRequest, row_26_args_that_are_no_json) {
  EXPECT_EQ(error_code(R"({"tool":"t","args":"{bad"})"), "invalid_args");
  EXPECT_TRUE(error_message(R"({"tool":"t","args":"{bad"})").starts_with("Invalid args JSON: "));
}

TEST(CompatRequest, row_27_args_that_are_no_object) {
  EXPECT_EQ(error_message(R"({"tool":"t","args":"[1]"})"),
            "Invalid args: expected a JSON object, got array");
  EXPECT_EQ(error_message(R"({"tool":"t","args":[1]})"),
            "Invalid args: expected a JSON object, got array");
  EXPECT_EQ(error_message(R"({"tool":"t","args":"null"})"),
            "Invalid args: expected a JSON object, got null");
  EXPECT_EQ(error_message(R"({"tool":"t","args":"\"x\""})"),
            "Invalid args: expected a JSON object, got string");
  EXPECT_EQ(error_message(R"({"tool":"t","args":7})"),
            "Invalid args: expected a JSON object, got number");
  EXPECT_EQ(error_message(R"({"tool":"t","args":true})"),
            "Invalid args: expected a JSON object, got boolean");
  EXPECT_EQ(error_code(R"({"tool":"t","args":"7"})"), "invalid_args_type");
}

TEST(ToolRequest, checks_args_before_the_mode) {
  EXPECT_EQ(error_code(R"({"args":"{bad"})"), "invalid_args");
}

TEST(ToolRequest, refuses_a_request_nested_in_args) {
  EXPECT_EQ(error_code(R"({"args":{"search":"x"}})"), "invalid_args");
  EXPECT_NE(error_message(R"({"args":"{\"search\":\"x\"}"})").find("top level"), std::string::npos);
  EXPECT_EQ(mode(R"({"args":{}})"), Mode::status);
  EXPECT_EQ(mode(R"({"args":"  "})"), Mode::status);
}

TEST(ToolRequest, an_action_comes_before_every_other_mode) {
  EXPECT_EQ(mode(R"({"action":"auth-start","server":"s","tool":"t"})"), Mode::auth_start);
  EXPECT_EQ(mode(R"({"action":"auth-complete","server":"s","args":{"code":"x"}})"),
            Mode::auth_complete);
  EXPECT_EQ(error_code(R"({"action":"reboot"})"), "invalid_parameter");
}

TEST(ToolRequest, refuses_parameters_of_the_wrong_type_by_name) {
  EXPECT_EQ(error_message(R"({"tool":5})"), "Invalid tool: expected a string, got number");
  EXPECT_EQ(error_message(R"({"search":"x","regex":"maybe"})"),
            "Invalid regex: expected true or false, got string");
  EXPECT_EQ(error_message(R"({"search":"x","limit":[]})"),
            "Invalid limit: expected a number, got array");
  EXPECT_EQ(error_message(R"({"search":"x","offset":"a lot"})"),
            "Invalid offset: expected a number, got string");
  EXPECT_EQ(error_code("[1]"), "invalid_parameter");
}

TEST(ToolRequest, takes_args_as_object_bytes_or_as_a_string) {
  EXPECT_EQ(parse(R"({"tool":"t","args":{"b": 1.0,"a":"\u0041"}})")->args.view(),
            R"({"b": 1.0,"a":"\u0041"})");
  EXPECT_EQ(parse(R"({"tool":"t","args":" {\"a\":1} "})")->args.view(), R"({"a":1})");
  EXPECT_TRUE(parse(R"({"tool":"t","args":""})")->args.empty());
  EXPECT_TRUE(parse(R"({"tool":"t","args":null})")->args.empty());
  EXPECT_TRUE(parse(R"({"tool":"t"})")->args.empty());
}

TEST(ToolRequest, takes_arguments_as_args) {
  EXPECT_EQ(parse(R"({"tool":"t","arguments":{"b": 1.0}})")->args.view(), R"({"b": 1.0})");
  EXPECT_EQ(parse(R"({"arguments":"{\"a\":1}","tool":"t"})")->args.view(), R"({"a":1})");
  EXPECT_EQ(parse(R"({"tool":"t","arguments":{},"args":{"a":1}})")->args.view(), R"({"a":1})");
  EXPECT_EQ(parse(R"({"tool":"t","args":{"a":1},"arguments":{"a":2}})")->args.view(), R"({"a":1})");
  EXPECT_TRUE(parse(R"({"tool":"t","arguments":null})")->args.empty());
  EXPECT_EQ(error_code(R"({"tool":"t","arguments":[1]})"), "invalid_args_type");
  EXPECT_EQ(error_code(R"({"arguments":{"search":"x"}})"), "invalid_args");
}

TEST(ToolRequest, an_unknown_parameter_that_was_meant_for_something_is_refused) {
  EXPECT_EQ(error_message(R"({"serch":"x"})"),
            R"(Unknown parameter "serch". Did you mean "search"?)");
  EXPECT_EQ(error_message(R"({"search":"x","includeSchema":false})"),
            R"(Unknown parameter "includeSchema". Did you mean "includeSchemas"?)");
  EXPECT_THAT(error_message(R"({"words":"x"})"),
              testing::StartsWith(R"(Unknown parameter "words". There are: tool, connect, )"));
  EXPECT_EQ(error_message(R"({"tool":"t","text":"x"})"),
            R"(Unknown parameter "text". The arguments of a tool go into args: )"
            R"(mcp({ tool: "t", args: {...} }))");
  EXPECT_EQ(mode(R"({"tool":"t","args":{"a":1},"trace":"x"})"), Mode::call);
  EXPECT_EQ(mode(R"({"search":"x","trace":"x"})"), Mode::search);
  EXPECT_EQ(mode(R"({"query":null})"), Mode::status);
}

TEST(ToolRequest, names_the_parameter_that_models_have_another_name_for) {
  for (const auto& [unknown, meant] : {std::pair("query", "search"),
                                       std::pair("name", "tool"),
                                       std::pair("tool_name", "tool"),
                                       std::pair("toolName", "tool"),
                                       std::pair("call", "tool"),
                                       std::pair("list", "server")}) {
    const std::string said = "Unknown parameter \"" + std::string(unknown) + "\". Did you mean \"" +
                             std::string(meant) + "\"?";
    EXPECT_EQ(error_message("{\"" + std::string(unknown) + R"(":"x"})"), said);
    EXPECT_EQ(error_message("{\"" + std::string(unknown) + R"(":"x","server":"s"})"), said);
  }
  EXPECT_EQ(error_message(R"({"status":true})"),
            R"(Unknown parameter "status". The status is mcp({}))");
}

TEST(ToolRequest, what_is_no_action_is_said_without_one) {
  EXPECT_EQ(error_message(R"({"action":"call","tool":"x"})"),
            R"("call" is no action: leave action out, as in mcp({ tool: "x", args: {...} }))");
  EXPECT_EQ(
      error_message(R"({"action":"search","search":"a b","server":"s"})"),
      R"("search" is no action: leave action out, as in mcp({ search: "a b", server: "s" }))");
  EXPECT_EQ(error_message(R"({"action":"list","server":"s"})"),
            R"("list" is no action: leave action out, as in mcp({ server: "s" }))");
  EXPECT_EQ(error_message(R"({"action":"status"})"),
            R"("status" is no action: leave action out, as in mcp({}))");
  EXPECT_EQ(error_message(R"({"action":"describe","tool":"x"})"),
            R"("describe" is no action: leave action out, as in mcp({ describe: "x" }))");
}

TEST(ToolRequest, args_outlive_the_document) {
  SharedText args;
  {
    args = parse(R"({"tool":"t","args":{"key":"a text that is too long for an inline string"}})")
               ->args;
  }
  EXPECT_EQ(args.view(), R"({"key":"a text that is too long for an inline string"})");
}

TEST(ToolRequest, reads_every_parameter) {
  const ToolRequest request = parse(R"({"search":"words","regex":true,"server":"s",)"
                                    R"("includeSchemas":false,"limit":3,"offset":4,"other":[1]})")
                                  .value();
  EXPECT_EQ(request.subject, "words");
  EXPECT_EQ(request.server, "s");
  EXPECT_TRUE(request.regex);
  EXPECT_FALSE(request.include_schemas);
  EXPECT_EQ(request.limit, 3U);
  EXPECT_EQ(request.offset, 4U);
}

TEST(ToolRequest, the_parameter_that_selects_the_mode_is_its_subject) {
  for (const ModeRow& row : modes()) {
    if (!row.key.empty()) {
      const ToolRequest request = parse("{\"" + std::string(row.key) + R"(":"it"})").value();
      EXPECT_EQ(request.mode, row.mode) << row.name;
      EXPECT_EQ(request.subject, "it") << row.name;
      EXPECT_EQ(request.server, "") << row.name;
    }
    if (row.is_action) {
      const ToolRequest request =
          parse(R"({"action":")" + std::string(row.name) + R"(","server":"it"})").value();
      EXPECT_EQ(request.mode, row.mode) << row.name;
      EXPECT_EQ(request.subject, "it") << row.name;
    }
  }
}

TEST(ToolRequest, of_a_parameter_that_comes_twice_the_last_counts) {
  EXPECT_EQ(parse(R"({"tool":"a","tool":"b"})")->subject, "b");
}

TEST(ToolRequest, has_the_documented_defaults) {
  const ToolRequest request = parse(R"({"search":"x"})").value();
  EXPECT_TRUE(request.include_schemas);
  EXPECT_FALSE(request.regex);
  EXPECT_FALSE(request.limit.has_value());
  EXPECT_EQ(request.offset, 0U);
}

TEST(ToolRequest, forgives_what_models_write_for_numbers_and_booleans) {
  const ToolRequest request =
      parse(R"({"search":"x","limit":"5","offset":-3,"regex":"true"})").value();
  EXPECT_EQ(request.limit, 5U);
  EXPECT_EQ(request.offset, 0U);
  EXPECT_TRUE(request.regex);
  EXPECT_EQ(parse(R"({"search":"x","limit":0})")->limit, std::nullopt);
  EXPECT_EQ(parse(R"({"search":"x","limit":-1})")->limit, std::nullopt);
  EXPECT_EQ(parse(R"({"search":"x","limit":2.9})")->limit, 2U);
  EXPECT_EQ(parse(R"({"search":"x","limit":1e30})")->limit, 1'000'000'000U);
}

TEST(ToolRequest, picks_the_mode_in_the_documented_order) {
  EXPECT_EQ(mode(R"({"tool":"t","connect":"c","describe":"d"})"), Mode::call);
  EXPECT_EQ(mode(R"({"connect":"c","describe":"d","search":"s"})"), Mode::connect);
  EXPECT_EQ(mode(R"({"describe":"d","read":"r"})"), Mode::describe);
  EXPECT_EQ(mode(R"({"read":"r","instructions":"i","search":"s","server":"x"})"), Mode::read);
  EXPECT_EQ(mode(R"({"instructions":"i","search":"s"})"), Mode::instructions);
  EXPECT_EQ(mode(R"({"search":"s","server":"x"})"), Mode::search);
  EXPECT_EQ(mode(R"({"server":"x"})"), Mode::list);
  EXPECT_EQ(mode("{}"), Mode::status);
  EXPECT_EQ(mode(R"({"tool":"","search":""})"), Mode::search);
  EXPECT_EQ(mode(R"({"tool":"","server":""})"), Mode::status);
}

TEST(ToolRequest, absent_arguments_are_a_status_request) {
  const json::Document document;
  EXPECT_EQ(parse_tool_request(document, json::Value())->mode, Mode::status);
}

}  // namespace
}  // namespace pi_mcp::tool
