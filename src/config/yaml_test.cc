#include "config/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::config {
namespace {

using testing::HasSubstr;

std::string json_of(std::string_view yaml) {
  const Result<std::string> json = yaml_to_json(yaml);
  return json ? *json : "error: " + json.error().message();
}

TEST(Yaml, every_kind_of_value_becomes_json) {
  EXPECT_EQ(json_of("a: 1\nb: [2.5, -0x, 0x1F, +3, .5, 1e3, 1.2.3]\nc: {d: true, e: ~, f: }\n"),
            R"({"a":1,"b":[2.5,"-0x",31,3,0.5,1000,"1.2.3"],"c":{"d":true,"e":null,"f":null}})");
  EXPECT_EQ(json_of("- yes\n- 'true'\n- \"1\"\n- !!str 1\n- |\n  x\n  y\n- .inf\n- - 1e\n  - e1\n"),
            R"(["yes","true","1","1","x\ny\n",null,["1e","e1"]])");
  EXPECT_EQ(json_of("1: &x {a: 1}\nb: *x\n"), R"({"1":{"a":1},"b":{"a":1}})");
  EXPECT_EQ(json_of(""), "null");
  EXPECT_EQ(json_of("# only a comment\n"), "null");
  EXPECT_EQ(json_of("é: ü\r\nö: 1\r\n"), R"({"é":"ü","ö":1})");
}

TEST(Yaml, what_cannot_be_read_is_an_error_with_its_place) {
  EXPECT_THAT(json_of("a: 1\nb: [\n"), HasSubstr("line 3, column 1"));
  EXPECT_THAT(json_of("a: *nobody\n"), HasSubstr("line 1"));
  EXPECT_THAT(json_of("a: 1\n---\nb: 1\n"), HasSubstr("more than one document"));
  EXPECT_THAT(json_of("a: \x04\nb: 1\n"), HasSubstr("control character"));
  EXPECT_THAT(json_of("? [a]\n: 1\n"), HasSubstr("a key that is a list"));
}

TEST(Yaml, aliases_cannot_make_a_file_endless) {
  std::string bomb = "a0: &a0 " + std::string(1000, 'x') + "\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 9; ++k) {
      bomb += ", " + before;
    }
    bomb += "]\n";
  }
  EXPECT_THAT(json_of(bomb), HasSubstr("make it larger than 8.0MB"));
  EXPECT_THAT(json_of("a: &a [*a]\n"), HasSubstr("error"));
  EXPECT_THAT(json_of(std::string(100'000, '[')), HasSubstr("error"));
}

}  // namespace
}  // namespace pi_mcp::config
