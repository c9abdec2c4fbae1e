#include "schema/schema.h"

#include <string>

#include <gtest/gtest.h>

#include "schema/pattern.h"

namespace pi_mcp::schema {
namespace {

json::Document parsed(std::string text) {
  Result<json::Document> document = json::Document::parse(std::move(text));
  EXPECT_TRUE(document) << (document ? "" : document.error().message());
  return document ? *std::move(document) : json::Document();
}

Schema compiled(std::string text) {
  const json::Document document = parsed(std::move(text));
  Result<Schema> schema = Schema::compile(document.root());
  EXPECT_TRUE(schema);
  return schema ? *std::move(schema) : Schema();
}

// The texts of all violations, joined by "; ". Empty when the instance fits.
std::string verdict(const Schema& schema, std::string instance) {
  const json::Document document = parsed(std::move(instance));
  std::string out;
  for (const Violation& violation : schema.check(document.root())) {
    out += (out.empty() ? "" : "; ") + violation.text();
  }
  return out;
}

std::string verdict(std::string schema, std::string instance) {
  return verdict(compiled(std::move(schema)), std::move(instance));
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) {
    out += text;
  }
  return out;
}

TEST(Schema, refuses_what_is_no_schema) {
  for (const char* text : {"[]", "1", "\"object\"", "null"}) {
    const json::Document document = parsed(text);
    const Result<Schema> schema = Schema::compile(document.root());
    ASSERT_FALSE(schema) << text;
    EXPECT_EQ(schema.error().code(), ErrorCode::invalid_argument);
  }
  EXPECT_EQ(Schema::compile(json::Value()).error().message(), "there is no schema");
}

TEST(Schema, says_what_is_wrong_with_each_property) {
  EXPECT_EQ(verdict(R"({"type":"object","required":["city"],"properties":{
                        "city":{"type":"string"},"days":{"type":"integer"}}})",
                    R"({"days":"3"})"),
            "days: expected integer, got string; city: required, missing");
}

TEST(Schema, says_where_it_is_wrong) {
  EXPECT_EQ(verdict(R"({"properties":{"a/b":{"items":{"properties":{"c":{"type":"null"}}}}}})",
                    R"({"a/b":[{},{"c":1}]})"),
            "a~1b/1/c: expected null, got number");
  EXPECT_EQ(verdict(R"({"type":"object"})", "[]"), "expected object, got array");
}

TEST(Schema, words_each_keyword) {
  const std::pair<const char*, std::pair<const char*, const char*>> cases[] = {
      {R"({"type":["integer","null"]})", {"1.5", "expected integer or null, got 1.5"}},
      {R"({"enum":["a",1,null]})", {"\"b\"", R"(expected one of "a", 1, null, got "b")"}},
      {R"({"const":{"a":[1]}})", {"2", R"(expected {"a":[1]}, got 2)"}},
      {R"({"minimum":1})", {"0", "must be at least 1, got 0"}},
      {R"({"maximum":1})", {"1.5", "must be at most 1, got 1.5"}},
      {R"({"exclusiveMinimum":1})", {"1", "must be more than 1, got 1"}},
      {R"({"exclusiveMaximum":1})", {"1", "must be less than 1, got 1"}},
      {R"({"multipleOf":5})", {"7", "must be a multiple of 5, got 7"}},
      {R"({"minLength":2})", {"\"\\u00e9\"", "needs at least 2 characters, got 1"}},
      {R"({"maxLength":1})", {"\"ab\"", "allows at most 1 character, got 2"}},
      {R"({"pattern":"^[a-z]+$"})", {"\"A\"", "must match the pattern ^[a-z]+$"}},
      {R"({"minItems":1})", {"[]", "needs at least 1 item, got 0"}},
      {R"({"uniqueItems":true})", {"[1,2,1.0]", "items 0 and 2 are equal"}},
      {R"({"contains":{"type":"null"},"minContains":2})",
       {"[null,1]", "needs at least 2 items of the wanted form, got 1"}},
      {R"({"maxProperties":0})", {R"({"a":1})", "allows at most 0 properties, got 1"}},
      {R"({"propertyNames":{"maxLength":1}})",
       {R"({"ab":1})", "ab: name not allowed: allows at most 1 character, got 2"}},
      {R"({"dependentRequired":{"a":["b"]}})", {R"({"a":1})", "b: required together with a"}},
      {R"({"not":{"type":"null"}})", {"null", "has a form that is not allowed"}},
      {R"({"properties":{"a":false}})", {R"({"a":1})", "a: not allowed"}},
      {R"({"properties":{"city":{}},"additionalProperties":false})",
       {R"({"ctiy":1,"zzzzzz":2})",
        R"(ctiy: unknown property, did you mean "city"?; zzzzzz: unknown property)"}},
      {R"({"properties":{"a":{}},"unevaluatedProperties":false})",
       {R"({"b":1})", "b: not allowed"}},
  };
  for (const auto& [schema, expected] : cases) {
    EXPECT_EQ(verdict(schema, expected.first), expected.second) << schema;
  }
}

TEST(Schema, tells_about_the_form_that_was_meant) {
  EXPECT_EQ(verdict(R"({"anyOf":[{"type":"string"},{"type":"integer"}]})", "true"),
            "expected string or integer, got boolean");
  EXPECT_EQ(verdict(R"({"oneOf":[{"const":"a"},{"const":"b"}]})", "1"),
            R"(expected one of "a", "b", got 1)");
  EXPECT_EQ(verdict(R"({"anyOf":[{"type":"null"},{"type":"object","required":["id"]}]})", "{}"),
            "id: required, missing");
  const char* shapes = R"({"oneOf":[
      {"properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"required":["radius"]},
      {"properties":{"kind":{"const":"line"},"to":{"type":"array"}},"required":["to"]}]})";
  EXPECT_EQ(verdict(shapes, R"({"kind":"line","to":3})"), "to: expected array, got number");
  EXPECT_EQ(verdict(shapes, R"({"kind":"line","to":[],"radius":1})"), "");
  EXPECT_EQ(verdict(R"({"properties":{"p":{"anyOf":[{"required":["a"]},{"required":["b"]}]}}})",
                    R"({"p":{}})"),
            "p: fits none of the 2 allowed forms (a: required, missing; b: required, missing)");
  EXPECT_EQ(verdict(R"({"oneOf":[{"minimum":1},{"minimum":2}]})", "3"),
            "fits more than one of the allowed forms");
}

TEST(Schema, caps_the_list_of_violations) {
  const Schema schema = compiled(R"({"items":{"type":"null"}})");
  const json::Document instance = parsed("[1,2,3,4,5,6,7,8,9,10,11,12]");
  EXPECT_EQ(schema.check(instance.root()).size(), CheckLimits().violations_max);
  EXPECT_EQ(schema.check(instance.root(), {.violations_max = 3}).size(), 3U);
}

TEST(Schema, keeps_reasons_short) {
  const std::string enumeration = "{\"enum\":[" + repeated("\"some value\",", 5000) + "null]}";
  EXPECT_LT(verdict(enumeration, '"' + std::string(100'000, 'x') + '"').size(), 500U);
  const std::string name(5000, 'n');
  EXPECT_LT(verdict(R"({"additionalProperties":{"type":"null"}})", "{\"" + name + "\":1}").size(),
            200U);
}

TEST(Schema, outlives_the_document_it_was_compiled_from) {
  Schema schema;
  {
    const json::Document document =
        parsed(R"({"const":"a long enough constant to live on the heap"})");
    schema = Schema::compile(document.root()).value();
  }
  EXPECT_EQ(verdict(schema, "\"a long enough constant to live on the heap\""), "");
}

TEST(Schema, accepts_everything_by_default) {
  EXPECT_EQ(verdict(Schema(), "[1]"), "");
  EXPECT_TRUE(compiled(R"({"type":"null"})").check(json::Value()).empty());
}

TEST(Schema, never_rejects_for_what_it_does_not_understand) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"$schema":"https://example.com/own-dialect","type":"string"})", "1"},
      {R"({"$schema":"http://json-schema.org/draft-03/schema#","type":"string"})", "1"},
      {R"({"x-unknown":{"type":"string"},"type":"integer"})", "1"},
      {R"({"$ref":"https://example.com/other.json"})", "1"},
      {R"({"$ref":"#/$defs/missing"})", "1"},
      {R"({"$ref":"#missing"})", "1"},
      {R"({"$ref":17})", "1"},
      {R"({"type":"strnig"})", "1"},
      {R"({"type":["string","any"]})", "1"},
      {R"({"type":{"a":1}})", "1"},
      {R"x({"pattern":"(?=look-ahead)"})x", "\"x\""},
      {R"({"pattern":"(a)\\1"})", "\"x\""},
      {R"x({"patternProperties":{"(?!a)":{"type":"null"}},"additionalProperties":false})x",
       R"({"b":1})"},
      {R"({"format":"email","contentEncoding":"base64"})", "\"?\""},
      {R"({"minLength":-1,"maxLength":"3","minimum":"5","multipleOf":0})", "\"x\""},
      {R"({"properties":[1],"required":"a","items":7,"enum":3,"allOf":{}})", R"({"a":1})"},
      {R"({"properties":{"a":"string"}})", R"({"a":1})"},
      {R"({"minimum":1,"multipleOf":0})", "3"},
      {R"({"allOf":[{"$ref":"urn:x"}],"unevaluatedProperties":false})", R"({"a":1})"},
  };
  for (const auto& [schema, instance] : cases) {
    EXPECT_EQ(verdict(schema, instance), "") << schema;
  }
}

TEST(Schema, reads_older_spellings_without_being_told) {
  const char* tuple = R"({"items":[{"type":"string"}],"additionalItems":{"type":"null"}})";
  EXPECT_EQ(verdict(tuple, R"(["a",null])"), "");
  EXPECT_EQ(verdict(tuple, R"([1])"), "0: expected string, got number");
  EXPECT_EQ(verdict(tuple, R"(["a",1])"), "1: expected null, got number");
  EXPECT_EQ(verdict(R"({"$ref":"#/definitions/a","definitions":{"a":{"type":"null"}}})", "1"),
            "expected null, got number");
  EXPECT_EQ(verdict(R"({"dependencies":{"a":["b"]}})", R"({"a":1})"),
            "b: required together with a");
  EXPECT_EQ(verdict(R"({"minimum":1,"exclusiveMinimum":true})", "1"), "must be more than 1, got 1");
}

TEST(Schema, ends_on_references_in_a_circle) {
  EXPECT_EQ(verdict(R"({"$ref":"#"})", "1"), "");
  EXPECT_EQ(verdict(R"({"allOf":[{"$ref":"#"},{"$ref":"#"}],"type":"string"})", "1"),
            "expected string, got number");
  EXPECT_EQ(verdict(R"({"anyOf":[{"$ref":"#"},{"$ref":"#"}]})", "1"), "");
  EXPECT_EQ(verdict(R"({"not":{"$ref":"#"}})", "1"), "");
  EXPECT_EQ(verdict(R"({"$dynamicRef":"#a","$dynamicAnchor":"a"})", "1"), "");
}

TEST(Schema, gives_up_on_schemas_built_to_take_forever) {
  // 2^40 paths through the definitions.
  std::string definitions = R"("d40":{"type":"string"})";
  for (int i = 0; i < 40; ++i) {
    const std::string next = "{\"$ref\":\"#/$defs/d" + std::to_string(i + 1) + "\"}";
    definitions += ",\"d" + std::to_string(i) + "\":{\"anyOf\":[" + next + "," + next + "]}";
  }
  const Schema schema = compiled("{\"$ref\":\"#/$defs/d0\",\"$defs\":{" + definitions + "}}");
  EXPECT_TRUE(schema.check(parsed("1").root(), {.steps_max = 50'000}).empty());
}

TEST(Schema, checks_within_a_step_limit) {
  const Schema schema = compiled(R"({"items":{"type":"string"}})");
  const json::Document instance = parsed("[" + repeated("\"a\",", 1000) + "1]");
  EXPECT_EQ(schema.check(instance.root()).size(), 1U);
  EXPECT_TRUE(schema.check(instance.root(), {.steps_max = 500}).empty());
}

TEST(Schema, survives_deep_schemas_and_instances) {
  const std::string deep =
      repeated("{\"items\":", 500) + "{\"type\":\"null\"}" + repeated("}", 500);
  EXPECT_EQ(verdict(deep, repeated("[", 500) + "null" + repeated("]", 500)), "");
  EXPECT_EQ(verdict(R"({"items":{"$ref":"#"},"type":"array"})",
                    repeated("[", 100) + "1" + repeated("]", 100)),
            repeated("0/", 99) + "0: expected array, got number");
}

TEST(Schema, compares_numbers_exactly) {
  EXPECT_EQ(verdict(R"({"type":"integer"})", "1.0"), "");
  EXPECT_EQ(verdict(R"({"type":"integer"})", "1e400"), "");
  EXPECT_EQ(verdict(R"({"const":9007199254740993})", "9007199254740993.0"), "");
  EXPECT_EQ(verdict(R"({"const":9007199254740993})", "9007199254740992"),
            "expected 9007199254740993, got 9007199254740992");
  EXPECT_EQ(verdict(R"({"maximum":9007199254740992})", "9007199254740993"),
            "must be at most 9007199254740992, got 9007199254740993");
}

TEST(SchemaPattern, reads_the_spellings_of_ecma_262) {
  EXPECT_EQ(schema::re2_spelling(R"(\u00e9\u{1F600}\p{Letter}\P{Number}[\s\d]\/)").substr(0, 22),
            R"(\x{00e9}\x{1F600}\p{L})");
  const std::pair<const char*, const char*> matching[] = {
      {R"(^\u00e9$)", "é"},
      {R"(^\p{Letter}+$)", "π"},
      {R"(^\s$)", "\u00a0"},
      {R"(^[\sx]+$)", "x\u2003"},
      {R"(^https?:\/\/.+\-$)", "http://x-"},
      {R"(^[^\]\\]$)", "["},
  };
  for (const auto& [pattern, text] : matching) {
    const auto compiled_pattern = schema::compile_pattern(pattern);
    ASSERT_NE(compiled_pattern, nullptr) << pattern;
    EXPECT_TRUE(RE2::PartialMatch(text, *compiled_pattern)) << pattern;
  }
  EXPECT_FALSE(RE2::PartialMatch("\u00a0", *schema::compile_pattern(R"(\S)")));
}

TEST(SchemaPattern, refuses_what_takes_too_much_memory) {
  EXPECT_EQ(schema::compile_pattern("((((a{100}){100}){100}){100})"), nullptr);
  EXPECT_EQ(schema::compile_pattern(std::string(10'000, 'a')), nullptr);
}

}  // namespace
}  // namespace pi_mcp::schema
