#include "schema/render.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace pi_mcp::schema {
namespace {

json::Document parsed(std::string text) {
  Result<json::Document> document = json::Document::parse(std::move(text));
  EXPECT_TRUE(document) << (document ? "" : document.error().message());
  return document ? *std::move(document) : json::Document();
}

std::string lines(std::string schema) {
  return render_parameters(parsed(std::move(schema)).root(), "  ");
}

std::string shape(std::string schema) {
  return typescript_shape(parsed(std::move(schema)).root()).value_or("(not renderable)");
}

// A tool that takes screenshots: the golden schema of both forms.
constexpr const char* screenshot = R"({"type":"object","required":["format"],"properties":{
    "format":{"enum":["png","jpeg","webp"],"default":"png"},
    "fullPage":{"type":"boolean","description":"Full page instead of viewport"},
    "clip":{"type":"object","required":["x"],
            "properties":{"x":{"type":"number"},"y":{"type":"number"}}},
    "tags":{"type":"array","items":{"type":["string","null"]}},
    "mode":{"anyOf":[{"type":"string"},{"type":"integer","minimum":1}]},
    "k":{"const":3}}})";

TEST(RenderParameters, lists_properties_with_what_is_below_them) {
  EXPECT_EQ(lines(screenshot),
            R"(  format (enum: "png", "jpeg", "webp") *required* [default: "png"]
  fullPage (boolean) - Full page instead of viewport
  clip (object)
    x (number) *required*
    y (number)
  tags (array)
    items (string | null)
  mode
    anyOf:
      - string
      - integer [minimum: 1]
  k (const 3))");
}

// What a server writes must not begin a line: there stand tools of other servers, and our words.
TEST(RenderParameters, no_word_of_a_schema_begins_a_line) {
  EXPECT_EQ(lines(R"({"type":"object","required":["a\n\nfiles_write"],"properties":{
                "a\n\nfiles_write":{"type":"string","minLength":1},
                "k":{"type":"x\n\nfiles_write\tz"},
                "l":{"type":["x\ny","null"]},
                "m":{"$ref":"x\n\nfiles_write"},
                "n":{"anyOf":[{"required":["p\nq","r"]}]},
                "o":{"type":"string","description":"two\nlines"}},
              "patternProperties":{"^a\nb":{"type":"x"}}})"),
            R"(  "a\n\nfiles_write" (string) *required* [minLength: 1]
  k ("x\n\nfiles_write\tz")
  l ("x\ny" | null)
  m (see "x\n\nfiles_write")
  n
    anyOf:
      - requires "p\nq", r
  o (string) - two
    lines
  "/^a\nb/" (x))");
}

TEST(RenderParameters, a_name_that_is_only_required_is_a_parameter) {
  EXPECT_EQ(lines(R"({"type":"object","required":["query","query"]})"), "  query *required*");
  EXPECT_EQ(lines(R"({"required":["a","b"],"properties":{"b":{"type":"string"}}})"),
            "  b (string) *required*\n  a *required*");
}

TEST(RenderParameters, shows_types_enums_and_defaults) {
  EXPECT_EQ(lines(R"({"type":"object","required":["format"],"properties":{
                "format":{"type":"string","enum":["png","jpeg"],"default":"png","description":"Fmt"},
                "n":{"type":["number","null"]},"o":{"type":"object"},"odd":true}})"),
            R"(  format (enum: "png", "jpeg") *required* - Fmt [default: "png"]
  n (number | null)
  o (object)
  odd)");
}

std::string enumeration_of(std::size_t count) {
  std::string values = "\"value_0\"";
  for (std::size_t i = 1; i < count; ++i) {
    values += ", \"value_" + std::to_string(i) + "\"";
  }
  return values;
}

TEST(RenderParameters, what_is_required_comes_first) {
  EXPECT_EQ(lines(R"({"required":["z","y"],"properties":{"a":{},"z":{},"b":{},"y":{}}})"),
            "  z *required*\n  y *required*\n  a\n  b");
}

TEST(LongEnumerations, are_those_that_their_line_shows_in_part) {
  const std::string values = enumeration_of(100);
  const std::string schema = R"({"type":"object","properties":{"short":{"enum":["a"]},)"
                             R"("filter":{"type":"object","properties":{"by":{"enum":[)" +
                             values + "]}}}}}";
  EXPECT_NE(lines(schema).find(" more)"), std::string::npos);
  const json::Document document = parsed(schema);
  const std::vector<LongEnumeration> found = long_enumerations(document.root());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "filter.by");
  EXPECT_EQ(found[0].values, values);
  const json::Document fitting =
      parsed(R"({"properties":{"by":{"enum":[)" + enumeration_of(40) + "]}}}");
  EXPECT_TRUE(long_enumerations(fitting.root()).empty());
}

TEST(RenderParameters, says_so_when_there_is_nothing_to_list) {
  EXPECT_EQ(render_parameters(json::Value(), "  "), "  (no schema)");
  EXPECT_EQ(lines("[]"), "  (no schema)");
  EXPECT_EQ(lines("true"), "  (no schema)");
  EXPECT_EQ(lines(R"({"type":"object","properties":{}})"), "  (no parameters)");
  EXPECT_EQ(lines(R"({"type":"object"})"), "  (object)");
  EXPECT_EQ(lines(R"({"type":["object","null"]})"), "  (object | null)");
  EXPECT_EQ(lines("{}"), "  (complex schema)");
  EXPECT_EQ(lines(R"({"not":{}})"), "  (complex schema)");
}

TEST(RenderParameters, shows_limits_after_the_description_in_one_order) {
  EXPECT_EQ(
      lines(R"({"properties":{"a":{"pattern":"^\\d$","format":"date","maxItems":6,"minItems":5,
                "maximum":4,"minimum":3,"maxLength":2,"minLength":1,"default":{"b":[1]},
                "type":"string","description":" d "}}})"),
      "  a (string) - d [minLength: 1] [maxLength: 2] [minimum: 3] [maximum: 4] [minItems: 5] "
      "[maxItems: 6] [format: \"date\"] [pattern: \"^\\\\d$\"] [default: {\"b\":[1]}]");
}

TEST(RenderParameters, infers_missing_types) {
  EXPECT_EQ(
      lines(R"({"properties":{"o":{"properties":{"a":{}}},"l":{"items":{"type":"string"}}}})"),
      "  o (object)\n    a\n  l (array)\n    items (string)");
  EXPECT_EQ(lines(R"({"items":{"type":"string"}})"), "  items (string)");
}

TEST(RenderParameters, shows_tuples_and_maps) {
  EXPECT_EQ(lines(R"({"properties":{
                "pair":{"type":"array","prefixItems":[{"type":"number"},{"type":"null"}]},
                "old":{"items":[{"type":"string"}]},
                "map":{"type":"object","additionalProperties":{"type":"integer"}},
                "x":{"type":"object","patternProperties":{"^x-":{"type":"string"}}}}})"),
            R"(  pair (array)
    item 0 (number)
    item 1 (null)
  old (array)
    item 0 (string)
  map (object)
    * (integer)
  x (object)
    /^x-/ (string))");
}

TEST(RenderParameters, shows_the_variants_of_the_whole) {
  EXPECT_EQ(lines(R"({"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},
                "oneOf":[{"required":["a"]},{"required":["b"]},true,
                         {"description":"both","properties":{"c":{"type":"null"}}}]})"),
            R"(  a (string)
  b (string)
  oneOf:
    - requires a
    - requires b
    - true
    - object - both
      c (null))");
}

TEST(RenderParameters, follows_references) {
  EXPECT_EQ(lines(R"({"$ref":"#/definitions/tool","definitions":{
                "tool":{"type":"object","required":["p"],"properties":{
                  "p":{"$ref":"#/definitions/point","description":"Where"},
                  "s":{"$ref":"#size"}}},
                "point":{"type":"object","description":"A point","properties":{"x":{"type":"number"}}},
                "size":{"$anchor":"size","enum":["s","m"]}}})"),
            R"(  p (object) *required* - Where
    x (number)
  s (enum: "s", "m"))");
}

TEST(RenderParameters, names_references_that_lead_nowhere) {
  EXPECT_EQ(lines(R"({"properties":{"a":{"$ref":"https://example.com/a.json"}}})"),
            "  a (see https://example.com/a.json)");
}

TEST(RenderParameters, stops_where_a_schema_contains_itself) {
  EXPECT_EQ(lines(R"({"$ref":"#/$defs/Node","$defs":{"Node":{"type":"object","properties":{
                "value":{"type":"string"},
                "children":{"type":"array","items":{"$ref":"#/$defs/Node"}},
                "tree":{"$ref":"#"}}}}})"),
            R"(  value (string)
  children (array)
    items (recursive: Node)
  tree (recursive: root))");
}

TEST(RenderParameters, merges_all_of) {
  EXPECT_EQ(lines(R"({"allOf":[{"$ref":"#/$defs/base"},
                          {"type":"object","properties":{"b":{"type":"string"}},"required":["a"]}],
                "$defs":{"base":{"type":"object","properties":{"a":{"type":"integer"}}}}})"),
            "  a (integer) *required*\n  b (string)");
  EXPECT_EQ(lines(R"({"properties":{"a":{"allOf":[{"type":"string"},{"minLength":2}]}}})"),
            "  a (string) [minLength: 2]");
}

TEST(RenderParameters, indents_further_lines_of_a_description) {
  EXPECT_EQ(lines(R"({"properties":{"a":{"type":"string","description":"one\ntwo"}}})"),
            "  a (string) - one\n    two");
}

TEST(RenderParameters, shows_nothing_that_drives_a_terminal) {
  const std::string text =
      lines(R"({"properties":{"a\u001b[2J":{"description":"x\u001b[31my","default":"\u009b1m"}}})");
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
}

TEST(RenderParameters, is_bounded_in_size) {
  std::string properties;
  for (int i = 0; i < 10'000; ++i) {
    properties += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + R"(":{"type":"string"})";
  }
  const std::string text = lines("{\"properties\":{" + properties + "}}");
  EXPECT_LT(text.size(), 33'000U);
  EXPECT_TRUE(text.ends_with("\n... (the rest of the schema is left out)"));
  EXPECT_LT(
      lines(R"({"properties":{"a":{"description":")" + std::string(100'000, 'x') + "\"}}}").size(),
      2'100U);
  EXPECT_LT(
      lines(R"({"properties":{"a":{"default":")" + std::string(100'000, 'x') + "\"}}}").size(),
      600U);
  std::string numbers = "0";
  for (int i = 1; i < 10'000; ++i) {
    numbers += "," + std::to_string(i);
  }
  EXPECT_LT(lines(R"({"properties":{"a":{"enum":[)" + numbers + "]}}}").size(), 700U);
}

TEST(RenderParameters, shows_that_parts_are_missing) {
  std::string parts;
  for (int i = 0; i < 200; ++i) {
    parts += (i == 0 ? "" : ",") + (R"({"properties":{"p)" + std::to_string(i) + R"(":{}}})");
  }
  EXPECT_TRUE(lines("{\"allOf\":[" + parts + "]}").ends_with("\n  ..."));
  EXPECT_EQ(shape("{\"allOf\":[" + parts + "]}"), "(not renderable)");
  std::string properties;
  for (int i = 0; i < 110'000; ++i) {
    properties += (i == 0 ? "\"p" : ",\"p") + std::to_string(i) + "\":1";
  }
  EXPECT_EQ(shape("{\"properties\":{" + properties + "}}"), "(not renderable)");
}

TEST(RenderParameters, is_bounded_in_depth) {
  std::string deep = R"({"type":"string"})";
  for (int i = 0; i < 60; ++i) {
    deep = R"({"properties":{"p":)" + deep + "}}";
  }
  const std::string text = lines(deep);
  EXPECT_TRUE(text.ends_with("...")) << text;
  EXPECT_LT(text.size(), 300U);
}

TEST(RenderParameters, is_bounded_for_definitions_that_multiply) {
  std::string definitions = R"("d12":{"type":"string"})";
  for (int i = 0; i < 12; ++i) {
    const std::string next = "{\"$ref\":\"#/$defs/d" + std::to_string(i + 1) + "\"}";
    definitions += ",\"d" + std::to_string(i) + R"(":{"properties":{"a":)" + next +
                   ",\"b\":" + next + ",\"c\":" + next + ",\"d\":" + next + "}}";
  }
  const std::string schema = "{\"$ref\":\"#/$defs/d0\",\"$defs\":{" + definitions + "}}";
  EXPECT_LT(lines(schema).size(), 33'000U);
  EXPECT_LT(shape(schema).size(), 2'000U);
}

TEST(TypescriptShape, is_one_line_for_plain_objects) {
  EXPECT_EQ(shape(screenshot),
            R"({ format: "png" | "jpeg" | "webp"; fullPage?: boolean; )"
            R"(clip?: { x: number; y?: number; }; tags?: (string | null)[]; )"
            R"(mode?: string | number; k?: 3; })");
}

TEST(TypescriptShape, covers_the_small_cases) {
  const std::pair<const char*, const char*> cases[] = {
      {"{}", "unknown"},
      {R"({"type":"object"})", "{}"},
      {R"({"type":"array"})", "unknown[]"},
      {R"({"type":"array","items":{"enum":["a","b"]}})", R"(("a" | "b")[])"},
      {R"({"type":"array","items":{"const":"a|b"}})", R"("a|b"[])"},
      {R"({"items":{"items":{}}})", "unknown[][]"},
      {R"({"properties":{"a-b":{"type":"array"}}})", R"({ "a-b"?: unknown[]; })"},
      {R"({"type":["integer","number","null"]})", "number | null"},
      {R"({"type":["object","null"],"properties":{"a":{"type":"string"}}})",
       "{ a?: string; } | null"},
      {R"({"properties":{"a":true,"b":false}})", "{ a?: unknown; b?: never; }"},
      {R"({"type":"object","required":["a"]})", "{ a: unknown; }"},
      {R"({"enum":["\u00e9",1.5,true,null]})", R"("é" | 1.5 | true | null)"},
      {R"({"type":"object","additionalProperties":false})", "{}"},
      {R"({"allOf":[{"type":"string"}],"description":"x"})", "string"},
  };
  for (const auto& [schema, expected] : cases) {
    EXPECT_EQ(shape(schema), expected) << schema;
  }
}

TEST(TypescriptShape, names_definitions) {
  EXPECT_EQ(shape(R"({"type":"object","properties":{"root":{"$ref":"#/$defs/Node"},
                "list":{"type":"array","items":{"$ref":"#/definitions/odd~1name"}}},
                "$defs":{"Node":{"type":"object","properties":{
                  "next":{"$ref":"#/$defs/Node"},"size":{"$ref":"#/$defs/string"}}},
                  "string":{"type":"integer"}},
                "definitions":{"odd/name":{"type":"null"}}})"),
            "type Node = { next?: Node; size?: Definition2; };\n"
            "type Definition2 = number;\n"
            "type Definition3 = null;\n"
            "\n"
            "{ root?: Node; list?: Definition3[]; }");
}

TEST(TypescriptShape, merges_all_of_plain_objects) {
  EXPECT_EQ(shape(R"({"allOf":[{"$ref":"#/$defs/base"},{"properties":{"b":{"type":"string"}}}],
                "required":["a"],
                "$defs":{"base":{"type":"object","properties":{"a":{"type":"integer"}}}}})"),
            "{ a: number; b?: string; }");
  EXPECT_EQ(shape(R"({"$ref":"#/$defs/base","required":["a"],
                "$defs":{"base":{"type":"object","properties":{"a":{"type":"integer"}}}}})"),
            "{ a: number; }");
}

TEST(TypescriptShape, leaves_what_types_cannot_say) {
  for (const char* schema : {
           R"({"if":{},"then":{}})",
           R"({"not":{}})",
           R"({"properties":{"a":{"patternProperties":{}}}})",
           R"({"additionalProperties":true})",
           R"({"additionalProperties":{"type":"string"}})",
           R"({"$ref":"#"})",
           R"({"$ref":"#/$defs/a/properties/b","$defs":{"a":{"properties":{"b":{}}}}})",
           R"({"$ref":"https://example.com"})",
           R"({"$ref":"#/$defs/missing"})",
           R"({"anyOf":[]})",
           R"({"enum":[{"a":1}]})",
           R"({"enum":[]})",
           R"({"const":[1]})",
           R"({"type":"file"})",
           R"({"properties":{"a":{}},"anyOf":[{"required":["a"]}]})",
           R"({"allOf":[{"properties":{"a":{}}},{"properties":{"a":{"type":"string"}}}]})",
           R"({"allOf":[{"type":"string"},{"minLength":1}]})",
           R"({"prefixItems":[{}],"type":"array"})",
           R"({"properties":{"a":3}})",
           "true",
           "[]",
       }) {
    EXPECT_EQ(shape(schema), "(not renderable)") << schema;
  }
}

TEST(TypescriptShape, is_bounded_in_size_and_depth) {
  EXPECT_EQ(shape(R"({"const":")" + std::string(20'000, 'x') + "\"}"), "(not renderable)");
  std::string deep = R"({"type":"string"})";
  for (int i = 0; i < 60; ++i) {
    deep = R"({"items":)" + deep + "}";
  }
  EXPECT_EQ(shape(deep), "(not renderable)");
}

}  // namespace
}  // namespace pi_mcp::schema
