#include "schema/arguments.h"

#include <string>

#include <gtest/gtest.h>

namespace pi_mcp::schema {
namespace {

json::Document parsed(std::string text) {
  Result<json::Document> document = json::Document::parse(std::move(text));
  EXPECT_TRUE(document) << (document ? "" : document.error().message());
  return document ? *std::move(document) : json::Document();
}

// What would be sent, or "error: " and why nothing is.
std::string sent(std::string schema, std::string arguments, std::string_view about = {}) {
  const json::Document schema_document = parsed(std::move(schema));
  const json::Document document = parsed(std::move(arguments));
  const Result<Schema> compiled = Schema::compile(schema_document.root());
  const Result<SharedText> result = check_arguments(
      compiled ? *compiled : Schema(), document.share(document.root()), document.root(), about);
  return result ? std::string(result->view()) : "error: " + result.error().message();
}

constexpr const char* weather = R"({"type":"object","required":["city"],"properties":{
    "city":{"type":"string"},
    "days":{"type":"integer"},
    "filter":{"type":"object","required":["kind"],"properties":{"kind":{"type":"string"}}},
    "tags":{"type":["array","null"],"items":{"type":"string"}}}})";

TEST(Arguments, says_what_is_wrong) {
  EXPECT_EQ(sent(weather, R"({"days":"3"})"),
            "error: days: expected integer, got string; city: required, missing");
  EXPECT_EQ(sent(weather, "[]"), "error: expected object, got array");
}

TEST(Arguments, what_is_wrong_is_one_line_whatever_the_names_are) {
  EXPECT_EQ(sent(R"({"required":["a\nb"],"properties":{"a\nb":{},"p":{"pattern":"^x\ny$"}},
                     "dependentRequired":{"p\nq":["r"]}})",
                 R"({"p":"z","p\nq":1})"),
            R"(error: p: must match the pattern "^x\ny$"; "a\nb": required, missing; r: required )"
            R"(together with "p\nq")");
  EXPECT_EQ(sent(R"({"properties":{"name":{}}})", R"({"name\nx":1})"),
            R"(error: "name\nx": unknown property, did you mean "name"?)");
}

TEST(Arguments, lists_at_most_five_violations) {
  EXPECT_EQ(
      sent(R"({"additionalProperties":{"type":"null"}})",
           R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1})"),
      "error: a: expected null, got number; b: expected null, got number; c: expected null, got "
      "number; d: expected null, got number; e: expected null, got number; and 2 more");
}

TEST(Arguments, absent_arguments_are_an_empty_object) {
  const json::Document schema = parsed(weather);
  const Result<SharedText> refused = check_arguments(schema.root(), SharedText(), json::Value());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(refused.error().message(), "city: required, missing");
  const json::Document any = parsed("{}");
  const Result<SharedText> accepted = check_arguments(any.root(), SharedText(), json::Value());
  ASSERT_TRUE(accepted);
  EXPECT_TRUE(accepted->empty());
}

TEST(Arguments, valid_arguments_are_the_same_bytes) {
  const json::Document schema = parsed(weather);
  const json::Document document = parsed(R"({ "args": { "city" : "\u0042ern", "days": 3.0 } })");
  const json::Value arguments = document.root().find("args");
  const Result<SharedText> result =
      check_arguments(schema.root(), document.share(arguments), arguments);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->view().data(), arguments.raw().data());
  EXPECT_EQ(result->view(), R"({ "city" : "\u0042ern", "days": 3.0 })");
}

TEST(Arguments, no_schema_accepts_everything) {
  const json::Document document = parsed(R"({"a":"{}"})");
  for (const char* schema : {"{}", "true", "null", "[]"}) {
    EXPECT_EQ(sent(schema, R"({"a":"{}"})"), R"({"a":"{}"})") << schema;
  }
  EXPECT_TRUE(check_arguments(json::Value(), document.share(document.root()), document.root()));
  EXPECT_TRUE(check_arguments(Schema(), document.share(document.root()), document.root()));
}

TEST(Arguments, parses_a_string_where_an_object_or_array_is_wanted) {
  EXPECT_EQ(sent(weather, R"({"city":"Bern", "filter": " {\"kind\":\"\\u00e9\"} ","days":1.0})"),
            R"({"city":"Bern", "filter": {"kind":"\u00e9"},"days":1.0})");
  EXPECT_EQ(sent(weather, R"({"city":"B","tags":"[\"x\"]","filter":"{\"kind\":\"k\"}"})"),
            R"({"city":"B","tags":["x"],"filter":{"kind":"k"}})");
}

TEST(Arguments, parses_a_string_wanted_through_a_reference_or_a_choice) {
  EXPECT_EQ(sent(R"({"properties":{"a":{"$ref":"#/$defs/o"}},"$defs":{"o":{"type":"object"}}})",
                 R"({"a":"{}"})"),
            R"({"a":{}})");
  EXPECT_EQ(sent(R"({"properties":{"a":{"anyOf":[{"type":"array"},{"type":"null"}]}}})",
                 R"({"a":"[1]"})"),
            R"({"a":[1]})");
}

TEST(Arguments, leaves_strings_that_are_allowed) {
  EXPECT_EQ(sent(weather, R"({"city":"[\"x\"]"})"), R"({"city":"[\"x\"]"})");
  EXPECT_EQ(sent(R"({"properties":{"a":{"type":["string","object"]}}})", R"({"a":"{}"})"),
            R"({"a":"{}"})");
}

TEST(Arguments, does_not_repair_into_the_wrong_type) {
  EXPECT_EQ(sent(weather, R"({"city":"B","filter":"[1]"})"),
            "error: filter: expected object, got string");
  EXPECT_EQ(sent(weather, R"({"city":"B","days":"[3]"})"),
            "error: days: expected integer, got string");
  EXPECT_EQ(sent(weather, R"({"city":"B","filter":"{not json}"})"),
            "error: filter: expected object, got string");
  EXPECT_EQ(sent(weather, R"({"city":"B","tags":"\"[]\""})"),
            "error: tags: expected array or null, got string");
}

TEST(Arguments, unwraps_one_layer_only) {
  EXPECT_EQ(sent(weather, R"({"city":"B","filter":"{\"kind\":\"{}\"}"})"),
            R"({"city":"B","filter":{"kind":"{}"}})");
  EXPECT_EQ(sent(R"({"properties":{"a":{"properties":{"b":{"type":"array"}},"type":"object"}}})",
                 R"({"a":"{\"b\":\"[]\"}"})"),
            "error: a/b: expected array, got string");
}

TEST(Arguments, shows_what_is_wrong_inside_a_repaired_string) {
  EXPECT_EQ(sent(weather, R"({"city":"B","filter":"{\"sort\":1}"})"),
            "error: filter/kind: required, missing");
}

TEST(Arguments, a_null_for_an_optional_property_that_may_not_be_null_is_left_out) {
  EXPECT_EQ(sent(weather, R"({ "city": "Bern", "days": null, "filter": {"kind":"k"} })"),
            R"({"city":"Bern","filter":{"kind":"k"}})");
  EXPECT_EQ(sent(weather, R"({"city":"B","days":null,"tags":null})"),
            R"({"city":"B","tags":null})");
  EXPECT_EQ(sent(R"({"properties":{"a":{"enum":["x"]},"b":{"anyOf":[{"type":"string"},
                 {"type":"integer"}]}}})",
                 R"({"a":null,"b":null})"),
            "{}");
  EXPECT_EQ(sent(R"({"properties":{"o":{"type":"object","properties":{"n":{"type":"number"},
                 "s":{"type":"string"}}}}})",
                 R"({"o":{"n":null,"s":"x"}})"),
            R"({"o":{"s":"x"}})");
}

TEST(Arguments, a_null_for_a_required_property_is_said_to_be_null) {
  EXPECT_EQ(sent(weather, R"({"city":null,"days":null})"),
            "error: city: expected string, got null");
  EXPECT_EQ(
      sent(R"({"properties":{"a":{"type":"array","items":{"type":"string"}}}})", R"({"a":[null]})"),
      "error: a/0: expected string, got null");
}

TEST(Arguments, a_null_that_is_allowed_keeps_its_bytes) {
  EXPECT_EQ(sent(R"({"properties":{"a":{}}})", R"({ "a": null })"), R"({ "a": null })");
  EXPECT_EQ(sent(weather, R"({"city":"B", "tags": null})"), R"({"city":"B", "tags": null})");
}

TEST(Arguments, a_name_that_is_not_listed_is_refused_with_the_one_that_was_perhaps_meant) {
  EXPECT_EQ(sent(weather, R"({"city":"B","dayz":3})"),
            R"(error: dayz: unknown property, did you mean "days"?)");
  EXPECT_EQ(sent(weather, R"({"city":"B","units":"C"})"), "error: units: unknown property");
  EXPECT_EQ(sent(weather, R"({"city":"B","Filter_":{"kind":"k"}})"),
            R"(error: Filter_: unknown property, did you mean "filter"?)");
  EXPECT_EQ(sent(R"({"properties":{"query":{"type":"string"},"file_path":{"type":"string"}}})",
                 R"({"q":"x","path":"y"})"),
            R"(error: q: unknown property, did you mean "query"?; )"
            R"(path: unknown property, did you mean "file_path"?)");
}

TEST(Arguments, a_misspelt_name_is_said_before_what_is_missing) {
  EXPECT_EQ(sent(weather, R"({"citi":"B"})"),
            R"(error: citi: unknown property, did you mean "city"?; city: required, missing)");
  EXPECT_EQ(sent(weather, R"({"citi":"B"})", "The citi."),
            R"(error: citi: unknown property, did you mean "city"?; city: required, missing)");
  EXPECT_EQ(sent(R"({"properties":{"a":{}},"anyOf":[{"required":["a"],"properties":{"b":{}}}]})",
                 R"({"b":1})"),
            "error: a: required, missing")
      << "what may list others is not known to";
}

TEST(Arguments, other_names_may_come_where_the_schema_wants_them_or_lists_nothing) {
  constexpr const char* arguments = R"({"a":1,"x-b":2})";
  for (const char* schema : {R"({"type":"object"})",
                             R"({"properties":{}})",
                             R"({"properties":{"a":{}},"additionalProperties":true})",
                             R"({"properties":{"a":{}},"additionalProperties":{"type":"number"}})",
                             R"({"properties":{"a":{}},"unevaluatedProperties":true})",
                             R"({"properties":{"a":{}},"patternProperties":{"^x-":{}}})",
                             R"({"properties":{"a":{}},"allOf":[{"properties":{"x-b":{}}}]})",
                             R"({"properties":{"a":{}},"if":{"properties":{"a":{"const":1}}},
                                 "then":{"properties":{"x-b":{}}}})",
                             R"({"properties":{"a":{}},"$ref":"https://example.org/elsewhere"})"}) {
    EXPECT_EQ(sent(schema, arguments), arguments) << schema;
  }
  EXPECT_EQ(sent(R"({"properties":{"a":{}},"patternProperties":{"^y-":{}}})", arguments),
            "error: x-b: unknown property");
}

TEST(Arguments, a_name_that_the_description_mentions_may_come_unless_it_is_like_a_listed_one) {
  constexpr std::string_view about = "Any field of the record, as in units or days_, may be given.";
  EXPECT_EQ(sent(weather, R"({"city":"B","units":"C"})", about), R"({"city":"B","units":"C"})");
  EXPECT_EQ(sent(weather, R"({"city":"B","unit":"C"})", about), "error: unit: unknown property");
  EXPECT_EQ(sent(weather, R"({"city":"B","days_":1})", about),
            R"(error: days_: unknown property, did you mean "days"?)");
}

}  // namespace
}  // namespace pi_mcp::schema
