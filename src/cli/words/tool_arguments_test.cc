#include "cli/words/tool_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

using testing::HasSubstr;

using Words = std::vector<std::string>;

constexpr const char* schema_text = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string"},
    "count": {"type": "integer"},
    "ratio": {"type": ["number", "null"]},
    "deep": {"type": "boolean"},
    "tags": {"type": "array", "items": {"type": "string"}},
    "sizes": {"type": "array", "items": {"$ref": "#/$defs/size"}},
    "where": {"type": "object"},
    "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    "level": {"enum": [1, 2, 3]},
    "size": {"$ref": "#/$defs/size"},
    "optional": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "loop": {"$ref": "#/properties/loop"},
    "odd": true
  },
  "allOf": [{"properties": {"inherited": {"type": "integer"}}}],
  "$defs": {"size": {"type": "number"}}
})";

json::Value schema() {
  static const json::Document document = *json::Document::parse_view(schema_text);
  return document.root();
}

Result<std::string> read_nothing(const std::string& path) {
  return fail(ErrorCode::not_found, "there is no file " + path);
}

Result<std::string> json_of(const Words& words, json::Value wanted, const ReadFile& read) {
  const Result<std::vector<GivenArgument>> given = given_arguments(words, parameters_of(wanted));
  return given ? tool_arguments(*given, wanted, read) : fail(given.error());
}

std::string typed(const Words& words, const ReadFile& read = read_nothing) {
  const Result<std::string> json = json_of(words, schema(), read);
  return json ? *json : "error: " + json.error().message();
}

TEST(ToolArguments, values_get_the_type_that_the_schema_asks_for) {
  EXPECT_EQ(typed({"path=42"}), R"({"path":"42"})");
  EXPECT_EQ(typed({"count=42"}), R"({"count":42})");
  EXPECT_EQ(typed({"count=-0"}), R"({"count":-0})");
  EXPECT_EQ(typed({"count=123456789012345678901234567890"}),
            R"({"count":123456789012345678901234567890})")
      << "digits are passed on as typed";
  EXPECT_EQ(typed({"ratio=1e-3"}), R"({"ratio":1e-3})");
  EXPECT_EQ(typed({"ratio=null"}), R"({"ratio":null})");
  EXPECT_EQ(typed({"deep=true"}), R"({"deep":true})");
  EXPECT_EQ(typed({R"(where={"a":[1]})"}), R"({"where":{"a":[1]}})");
  EXPECT_EQ(typed({"either=7"}), R"({"either":"7"})") << "text stays text where text may be";
  EXPECT_EQ(typed({"level=2"}), R"({"level":2})");
  EXPECT_EQ(typed({"size=2.5"}), R"({"size":2.5})");
  EXPECT_EQ(typed({"optional=5"}), R"({"optional":5})");
  EXPECT_EQ(typed({"inherited=5"}), R"({"inherited":5})");
  EXPECT_EQ(typed({"odd=5", "unknown=6", "loop=7"}), R"({"odd":"5","unknown":"6","loop":"7"})");
}

TEST(ToolArguments, an_array_takes_json_or_one_word_an_element) {
  EXPECT_EQ(typed({R"(tags=["a","b"])"}), R"({"tags":["a","b"]})");
  EXPECT_EQ(typed({"tags=a, b", "count=1", "tags=c"}), R"({"tags":["a, b","c"],"count":1})");
  EXPECT_EQ(typed({"sizes=1", "sizes=2.5"}), R"({"sizes":[1,2.5]})");
  EXPECT_THAT(typed({"sizes=big"}), HasSubstr(R"("sizes" must be a number, not "big")"));
  EXPECT_THAT(typed({"tags=[broken"}), HasSubstr("must be a JSON array"));
  EXPECT_THAT(typed({R"(tags=["a"])", "tags=b"}), HasSubstr("given twice"));
}

TEST(ToolArguments, a_value_that_does_not_fit_says_what_is_wanted) {
  EXPECT_EQ(typed({"count=many"}), R"(error: argument "count" must be a whole number, not "many")");
  EXPECT_EQ(typed({"count=1.5"}), R"(error: argument "count" must be a whole number, not "1.5")");
  EXPECT_EQ(typed({"count="}), R"(error: argument "count" must be a whole number, not "")");
  EXPECT_EQ(typed({"deep=yes"}), R"(error: argument "deep" must be true or false, not "yes")");
  EXPECT_EQ(typed({"ratio=x"}), R"(error: argument "ratio" must be a number or null, not "x")");
  EXPECT_EQ(typed({"where=[1]"}), R"(error: argument "where" must be a JSON object, not "[1]")");
}

TEST(ToolArguments, a_colon_gives_json_whatever_the_schema_says) {
  EXPECT_EQ(typed({"path:=[1, 2]"}), R"({"path":[1, 2]})");
  EXPECT_EQ(typed({"a:=null", "b:=\"x=y\""}), R"({"a":null,"b":"x=y"})");
  EXPECT_THAT(typed({"a:=text"}), HasSubstr("a:= wants JSON: "));
  EXPECT_THAT(typed({"a:=text"}), HasSubstr("write a=... for text"));
}

TEST(ToolArguments, text_may_hold_anything) {
  EXPECT_EQ(typed({"path=a=b"}), R"({"path":"a=b"})");
  EXPECT_EQ(typed({"path="}), R"({"path":""})");
  EXPECT_EQ(typed({"path=\"q\"\n\\"}), R"({"path":"\"q\"\n\\"})");
  EXPECT_EQ(typed({"path={\"a\":1}"}), R"({"path":"{\"a\":1}"})");
  EXPECT_EQ(typed({"a b=c"}), R"({"a b":"c"})");
  EXPECT_EQ(typed({"path=\xff"}), "{\"path\":\"\xef\xbf\xbd\"}");
}

TEST(ToolArguments, one_json_object_is_passed_on_as_it_is) {
  EXPECT_EQ(typed({R"( {"a": 1.0} )"}), R"( {"a": 1.0} )");
  EXPECT_EQ(typed({R"({"a": 1.0, "a": 2})"}), R"({"a": 1.0, "a": 2})");
  EXPECT_EQ(typed({}), "");
  EXPECT_THAT(typed({R"({"a":)"}), HasSubstr("the argument is not JSON: line 1"));
  EXPECT_EQ(typed({"[1]"}), "error: the argument must be a JSON object, not array");
  EXPECT_THAT(typed({"{a:", "1}"}), HasSubstr("put the object in quotes"));
  EXPECT_EQ(checked_object("3", "stdin").error().message(),
            "stdin must be a JSON object, not number");
}

TEST(ToolArguments, words_that_are_no_argument_are_refused) {
  EXPECT_EQ(typed({"a.md"}),
            R"(error: "a.md" is not an argument: write key=value, key:=JSON or one JSON object)");
  EXPECT_THAT(typed({"=x"}), HasSubstr("is not an argument"));
  EXPECT_THAT(typed({":=1"}), HasSubstr("is not an argument"));
  EXPECT_THAT(typed({"-", "a=1"}), HasSubstr("must be the only argument"));
  EXPECT_EQ(typed({"path=a", "path=b"}), R"(error: "path" is given twice)");
  EXPECT_EQ(typed({"path=a", "path:=1"}), R"(error: "path" is given twice)");
}

TEST(ToolArguments, without_a_schema_values_are_strings) {
  EXPECT_EQ(*json_of({"count=5", "deep=true"}, {}, read_nothing), R"({"count":"5","deep":"true"})");
}

TEST(ToolArguments, a_colon_and_dashes_are_other_spellings_of_key_value) {
  EXPECT_EQ(typed({"count:5", "path:a=b:c"}), R"({"count":5,"path":"a=b:c"})");
  EXPECT_EQ(typed({"count:", "5"}), R"({"count":5})");
  EXPECT_EQ(typed({"--count", "5", "--path=x", "--deep"}), R"({"count":5,"path":"x","deep":true})");
  EXPECT_EQ(typed({"--deep", "false", "--count=-1"}), R"({"deep":false,"count":-1})");
  EXPECT_EQ(typed({"--deep", "count=2"}), R"({"deep":true,"count":2})");
  EXPECT_EQ(typed({"--args", R"({"a": 1})"}), R"({"a": 1})");
  EXPECT_EQ(typed({"url=http://h:1/?a=b"}), R"({"url":"http://h:1/?a=b"})");
}

TEST(ToolArguments, dashes_are_folded_to_the_name_that_the_schema_has) {
  const json::Document wanted =
      *json::Document::parse_view(R"({"properties":{"maxResults":{"type":"integer"}}})");
  EXPECT_EQ(*json_of({"--max-results", "5"}, wanted.root(), read_nothing), R"({"maxResults":5})");
  EXPECT_EQ(*json_of({"max-results=5"}, wanted.root(), read_nothing), R"({"max-results":"5"})")
      << "a key is sent as it was written";
}

TEST(ToolArguments, an_option_of_ours_that_is_misspelt_is_not_sent) {
  EXPECT_THAT(typed({"--timeuot", "5"}), HasSubstr("did you mean --timeout?"));
  EXPECT_EQ(typed({"--whatever", "5"}), R"({"whatever":"5"})") << "the schema's check refuses it";
}

TEST(ToolArguments, an_argument_comes_from_a_file_or_from_stdin) {
  const ReadFile read = [](const std::string& path) -> Result<std::string> {
    return path == "-" ? "from stdin\n" : path == "n" ? "7" : "text of " + path;
  };
  EXPECT_EQ(typed({"path=@a b.txt"}, read), R"({"path":"text of a b.txt"})");
  EXPECT_EQ(typed({"path=-", "count=@n"}, read), R"({"path":"from stdin\n","count":7})");
  EXPECT_EQ(typed({"--path", "@x"}, read), R"({"path":"text of x"})");
  EXPECT_EQ(typed({"path=@@x", "either:=\"-\""}, read), R"({"path":"@x","either":"-"})");
  EXPECT_EQ(typed({"path=@"}, read), R"({"path":"@"})");
  EXPECT_THAT(typed({"path=@gone"}),
              HasSubstr("there is no file gone; for text that begins with @"));
  EXPECT_THAT(typed({"@n"}, read), HasSubstr("n must be a JSON object"));
  EXPECT_TRUE(reads_stdin(Words{"a=1", "path=-"}));
  EXPECT_TRUE(reads_stdin(Words{"-"}));
  EXPECT_FALSE(reads_stdin(Words{"a=b-", "c=d=-"}));
}

TEST(ToolArguments, a_value_without_a_key_is_the_next_required_parameter) {
  const json::Document wanted = *json::Document::parse_view(
      R"({"properties":{"b":{"type":"string"},"a":{"type":"integer"}},"required":["a","b"]})");
  EXPECT_EQ(*json_of({"5", "some text"}, wanted.root(), read_nothing),
            R"({"a":5,"b":"some text"})");
  EXPECT_EQ(*json_of({"https://h/?q=1", "a=5"}, wanted.root(), read_nothing),
            R"({"a":5,"b":"https://h/?q=1"})");
  EXPECT_THAT(json_of({"5", "x", "y"}, wanted.root(), read_nothing).error().message(),
              HasSubstr("\"y\" is not an argument"));
}

}  // namespace
}  // namespace pi_mcp::cli
