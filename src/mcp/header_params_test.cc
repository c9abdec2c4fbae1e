#include "mcp/header_params.h"

#include <algorithm>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

json::Document document(const std::string& text) {
  return json::Document::parse(text).value();
}

// "a.b -> Mcp-Param-X" for each, or the problem.
std::vector<std::string> params(const std::string& schema) {
  const json::Document parsed = document(schema);
  const auto found = header_params(parsed.root());
  if (!found) {
    return {found.error().message()};
  }
  std::vector<std::string> texts;
  for (const HeaderParam& param : *found) {
    std::string path;
    for (const std::string& name : param.path) {
      path += "/" + name;
    }
    texts.push_back(path + " " + param.header);
  }
  return texts;
}

std::string property(const std::string& schema) {
  return R"({"type":"object","properties":{"p":)" + schema + "}}";
}

TEST(HeaderParams, are_found_along_properties) {
  EXPECT_THAT(params(R"({"type":"object","properties":{"region":{"type":"string",)"
                     R"("x-mcp-header":"Region"},"o":{"type":"object","properties":{"n":)"
                     R"({"type":"integer","x-mcp-header":"N"}}},"plain":{"type":"string"}}})"),
              ElementsAre("/region Mcp-Param-Region", "/o/n Mcp-Param-N"));
  EXPECT_THAT(params(property(R"({"type":"boolean","x-mcp-header":"B"})")),
              ElementsAre("/p Mcp-Param-B"));
  EXPECT_THAT(params(R"({"properties":{"x-mcp-header":{"type":"string"}}})"), ElementsAre())
      << "an argument of that name";
  EXPECT_THAT(params(property(R"({"default":{"x-mcp-header":"a b"}})")), ElementsAre()) << "data";
}

TEST(HeaderParams, with_a_bad_name_spoil_the_tool) {
  for (const auto* name :
       {R"("")", R"("a b")", R"("a:b")", R"("é")", R"("a\tb")", "7", "null", R"({"a":1})"}) {
    const std::string schema =
        property(R"({"type":"string","x-mcp-header":)" + std::string(name) + "}");
    EXPECT_THAT(params(schema), ElementsAre(HasSubstr("is not a header name"))) << name;
  }
  EXPECT_THAT(params(R"({"properties":{"a":{"type":"string","x-mcp-header":"X"},)"
                     R"("b":{"type":"string","x-mcp-header":"x"}}})"),
              ElementsAre(HasSubstr("occurs twice")));
}

TEST(HeaderParams, at_a_place_without_one_value_spoil_the_tool) {
  for (const auto* type : {R"("number")", R"("object")", R"("array")", R"("null")"}) {
    const std::string schema = property(R"({"x-mcp-header":"X","type":)" + std::string(type) + "}");
    EXPECT_THAT(params(schema), ElementsAre(HasSubstr("not a string, integer or boolean"))) << type;
  }
  const std::string good = R"({"type":"string","x-mcp-header":"X"})";
  for (const std::string& schema : {property(R"({"type":"array","items":)" + good + "}"),
                                    property(R"({"anyOf":[)" + good + "]}"),
                                    property(R"({"if":{"properties":{"q":)" + good + "}}}"),
                                    R"({"$defs":{"d":)" + good + "}}",
                                    good}) {
    EXPECT_THAT(params(schema), ElementsAre(HasSubstr("does not stand at an argument"))) << schema;
  }
}

std::vector<std::string> headers(const std::string& request,
                                 const std::vector<HeaderParam>& params = {}) {
  const auto message = rpc::Message::parse(request);
  std::vector<std::string> texts;
  for (const RequestHeader& header : request_headers(Revision::r2026_07_28, *message, params)) {
    texts.push_back(header.name + ": " + header.value);
  }
  return texts;
}

TEST(RequestHeaders, say_the_method_and_the_name) {
  const std::string version = "MCP-Protocol-Version: 2026-07-28";
  EXPECT_THAT(headers(R"({"id":1,"method":"tools/list"})"),
              ElementsAre(version, "Mcp-Method: tools/list"));
  EXPECT_THAT(headers(R"({"id":1,"method":"resources/read","params":{"uri":"file:///a%20b"}})"),
              ElementsAre(version, "Mcp-Method: resources/read", "Mcp-Name: file:///a%20b"));
  EXPECT_THAT(headers(R"({"id":1,"method":"tasks/get","params":{"taskId":"t"}})"),
              ElementsAre(version, "Mcp-Method: tasks/get", "Mcp-Name: t"));
}

TEST(RequestHeaders, mirror_the_arguments_that_a_tool_wants_mirrored) {
  const std::vector<HeaderParam> wanted = {{.path = {"a"}, .header = "Mcp-Param-A"},
                                           {.path = {"o", "n"}, .header = "Mcp-Param-N"},
                                           {.path = {"f"}, .header = "Mcp-Param-F"},
                                           {.path = {"none"}, .header = "Mcp-Param-None"},
                                           {.path = {"gone"}, .header = "Mcp-Param-Gone"}};
  EXPECT_THAT(headers(R"({"id":1,"method":"tools/call","params":{"name":"t","arguments":)"
                      R"({"a":"","o":{"n":42},"f":false,"none":null,"other":"x"}}})",
                      wanted),
              ElementsAre("MCP-Protocol-Version: 2026-07-28",
                          "Mcp-Method: tools/call",
                          "Mcp-Name: t",
                          "Mcp-Param-A: =?base64?"
                          "?=",
                          "Mcp-Param-N: 42",
                          "Mcp-Param-F: false"));
}

TEST(RequestHeaders, encode_what_would_not_survive) {
  EXPECT_EQ(header_value("us west-1"), "us west-1");
  EXPECT_EQ(header_value("é"), "=?base64?w6k=?=");
  EXPECT_EQ(header_value(" a"), "=?base64?IGE=?=");
  EXPECT_EQ(header_value("a "), "=?base64?YSA=?=");
  EXPECT_EQ(header_value("a\tb"), "=?base64?YQli?=");
  EXPECT_EQ(header_value("=?base64?YQ==?="), "=?base64?PT9iYXNlNjQ/WVE9PT89?=");
}

ReceivedHeaders received(std::vector<RequestHeader> headers) {
  return [headers = std::move(headers)](std::string_view name) -> std::optional<std::string_view> {
    const auto found = std::ranges::find(headers, name, &RequestHeader::name);
    return found == headers.end() ? std::nullopt : std::optional<std::string_view>(found->value);
  };
}

TEST(ReceivedHeaders, have_to_say_what_the_body_says) {
  const std::vector<RequestHeader> expected = {{.name = "Mcp-Name", .value = "caf=C3=A9"},
                                               {.name = "Mcp-Method", .value = "tools/call"}};
  EXPECT_FALSE(header_mismatch(expected, received(expected)));
  EXPECT_EQ(header_mismatch(expected, received({expected[0]})), "the header Mcp-Method is missing");
  EXPECT_EQ(header_mismatch(expected, received({expected[0], {"Mcp-Method", "ping"}})),
            "the header Mcp-Method says something else than the body");
  EXPECT_FALSE(header_mismatch({{"Mcp-Name", "a"}}, received({{"Mcp-Name", "=?base64?YQ==?="}})));
  EXPECT_EQ(header_mismatch({{"Mcp-Name", "a"}}, received({{"Mcp-Name", "=?base64?&?="}})),
            "the header Mcp-Name is no Base64 between its marks");
}

TEST(ReceivedHeaders, of_arguments_are_there_when_their_arguments_are) {
  const std::vector<HeaderParam> params = {{.path = {"region"}, .header = "Mcp-Param-Region"}};
  const auto wrong = [&](const std::string& arguments, const ReceivedHeaders& headers) {
    const Result<rpc::Message> call = rpc::Message::parse(
        R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":)" + arguments +
        "}}");
    return parameter_mismatch(*call, params, headers);
  };
  const ReceivedHeaders eu = received({{"Mcp-Param-Region", "eu"}});
  EXPECT_FALSE(wrong(R"({"region":"eu"})", eu));
  EXPECT_FALSE(wrong(R"({"region":null})", received({})));
  EXPECT_TRUE(wrong(R"({"region":"us"})", eu));
  EXPECT_TRUE(wrong(R"({"region":"us"})", received({})));
  EXPECT_EQ(wrong("{}", eu), "the header Mcp-Param-Region is there, and its argument is not");
}

}  // namespace
}  // namespace pi_mcp::mcp
