#include "config/host_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace pi_mcp::config {
namespace {

using testing::HasSubstr;

constexpr std::string_view new_value =
    R"({"command":"pi-mcp","args":["--host","x"],"env":{"A":"1"}})";

EntryPlace in_json(std::string name, std::vector<std::string> at = {"mcpServers"}) {
  return {.format = FileFormat::json, .at = std::move(at), .name = std::move(name), .list = false};
}

template <class T>
std::string text_of(const Result<T>& result) {
  if constexpr (std::is_same_v<T, std::string>) {
    return result ? *result : "error: " + result.error().message();
  } else {
    return result ? result->text : "error: " + result.error().message();
  }
}

std::string value_of(std::string_view text, const EntryPlace& place) {
  const Result<std::optional<std::string>> read = read_entry(text, place);
  return !read ? "error: " + read.error().message() : read->value_or("nothing");
}

// The text in every dress: line ends, byte order mark, with and without a last line end.
std::vector<std::string> dressed(const std::string& text) {
  std::vector<std::string> all;
  for (const std::string& ends : {text, text::replace_all(text, "\n", "\r\n")}) {
    all.push_back(ends);
    all.push_back("\xef\xbb\xbf" + ends);
    if (ends.ends_with('\n')) {
      all.push_back(ends.substr(0, ends.find_last_not_of("\r\n") + 1));
    }
  }
  return all;
}

// A record of it is JSON.
bool is_recordable(const TextChange& change) {
  return text::is_valid_utf8(change.was) && text::is_valid_utf8(change.is) &&
         text::is_valid_utf8(change.before) && text::is_valid_utf8(change.behind);
}

void expect_put_is_undone(const std::string& text, const EntryPlace& place) {
  const Result<PutEntry> put = put_entry(text, place, new_value);
  ASSERT_TRUE(put) << text << "\n" << put.error().message();
  EXPECT_NE(value_of(put->text, place), "nothing") << put->text;
  EXPECT_EQ(text_of(undo_put(put->text, place, *put)), text) << put->text;
  EXPECT_TRUE(is_recordable(put->change)) << text;
}

void expect_removal_is_undone(const std::string& text, const EntryPlace& place) {
  const Result<RemovedEntry> removed = remove_entry(text, place);
  ASSERT_TRUE(removed) << text << "\n" << removed.error().message();
  EXPECT_EQ(value_of(removed->text, place), "nothing") << removed->text;
  EXPECT_EQ(text_of(restore_entry(removed->text, place, *removed)), text) << removed->text;
  EXPECT_TRUE(is_recordable(removed->change)) << text;
}

// Every way back, for files with the servers a, b and c.
void expect_round_trips(const std::string& shape, EntryPlace place) {
  for (const std::string& text : dressed(shape)) {
    for (const std::string name : {"a", "b", "c"}) {
      place.name = name;
      expect_removal_is_undone(text, place);
      expect_put_is_undone(text, place);  // replaces it
    }
    place.name = "pi-mcp";
    expect_put_is_undone(text, place);
    // As setup does it: all are moved, one comes; then back in reverse order.
    std::string current = text;
    std::vector<RemovedEntry> removed;
    for (const std::string name : {"a", "b", "c"}) {
      place.name = name;
      const Result<RemovedEntry> one = remove_entry(current, place);
      ASSERT_TRUE(one) << current << "\n" << one.error().message();
      removed.push_back(*one);
      current = one->text;
    }
    place.name = "pi-mcp";
    const Result<PutEntry> put = put_entry(current, place, new_value);
    ASSERT_TRUE(put) << current << "\n" << put.error().message();
    current = text_of(undo_put(put->text, place, *put));
    for (const std::string name : {"c", "b", "a"}) {
      place.name = name;
      current = text_of(restore_entry(current, place, removed.back()));
      removed.pop_back();
    }
    EXPECT_EQ(current, text) << put->text;
  }
}

// NOLINTBEGIN(bugprone-suspicious-missing-comma): long texts are written in parts
const std::vector<std::string> json_shapes{
    "{\"mcpServers\":{\"a\":{\"command\":\"x\"},\"b\":{},\"c\":{\"n\":[1,2]}}}\n",
    "{ \"mcpServers\": { \"a\": {}, \"b\": {}, \"c\": {} } }\n",
    "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"x\"\n    },\n    \"b\": {},\n    "
    "\"c\": {}\n  },\n  \"z\": 1\n}\n",
    "{\n\t\"mcpServers\": {\n\t\t\"a\": {},\n\t\t\"b\": {},\n\t\t\"c\": {},\n\t},\n}\n",
    "{\n  // all of them\n  \"mcpServers\": {\n    // about a\n    \"a\": {}, // behind a\n\n    "
    "/* about b */\n    \"b\": {\n      // in b\n    },\n    // about c\n    // and more\n    "
    "\"c\": "
    "{} // behind c\n    // at the end\n  }\n}\n",
    "{\"mcpServers\": {\"a\": {}, // one\n  \"b\": {} /* two */, /* three */ \"c\": {}\n} // "
    "four\n}\n",
    "// file\n{\"mcpServers\":\n  {\n    \"a\":\n      {},\n    \"b\": {\n  }, \"c\": {}}\n}\n// "
    "end\n",
    "{\"mcpServers\": {\n  \"a\": {}\n, \"b\": {}\n, \"c\": {\"x\": \"} // , \\\"\"}\n}}\n",
    "{\n  \"\\u006dcpServers\": {\n    \"\\u0061\": {\"é\": \"ü\"},\n    \"b\": {\"ö\": \"ä\"},\n  "
    "  "
    "\"c\": {\"ß\": \"ñ\"}\n  }\n}\n",
};
// NOLINTEND(bugprone-suspicious-missing-comma)

TEST(HostEditJson, every_edit_is_taken_back_byte_for_byte) {
  for (const std::string& shape : json_shapes) {
    expect_round_trips(shape, in_json("a"));
  }
}

TEST(HostEditJson, a_put_into_a_file_without_servers_is_taken_back) {
  for (const std::string shape : {"",
                                  "\n",
                                  "{}",
                                  "{ }\n",
                                  "{\n}\n",
                                  "// only a comment\n",
                                  "{\n  // nothing yet\n}\n",
                                  "{\"z\":1}\n",
                                  "{\n  \"z\": 1 // z\n}\n",
                                  "{\n  \"z\": 1,\n}\n",
                                  "{\"mcp\":{}}\n",
                                  "{\n  \"mcp\": {\n  }\n}\n",
                                  "{\n  \"mcp\": {\n    \"servers\": {}\n  }\n}\n",
                                  "{\n  \"mcp\": { \"servers\": { /* none */ } }\n}\n"}) {
    for (const std::string& text : dressed(shape)) {
      expect_put_is_undone(text, in_json("pi-mcp", {"mcp", "servers"}));
    }
  }
}

TEST(HostEditJson, what_belongs_to_an_entry_goes_with_it) {
  const Result<RemovedEntry> removed = remove_entry(json_shapes[4], in_json("b"));
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->piece, "    /* about b */\n    \"b\": {\n      // in b\n    },\n");
  EXPECT_EQ(removed->previous, "a");
  EXPECT_EQ(removed->next, "c");
  EXPECT_EQ(removed->value, "{}");
  EXPECT_EQ(
      text_of(remove_entry(json_shapes[4], in_json("c"))),
      "{\n  // all of them\n  \"mcpServers\": {\n    // about a\n    \"a\": {}, // behind a\n\n"
      "    /* about b */\n    \"b\": {\n      // in b\n    }\n    // at the end\n  }\n}\n");
}

TEST(HostEditJson, a_file_that_changed_elsewhere_keeps_what_changed) {
  const std::string text = "{\"n\":1,\"mcpServers\":{\"a\":{},\"b\":{\"x\":1},\"c\":{}},\"m\":2}";
  const Result<RemovedEntry> removed = remove_entry(text, in_json("b"));
  ASSERT_TRUE(removed);
  const std::string now = "{\"n\":12345,\"mcpServers\":{\"a\":{},\"c\":{}},\"m\":3}";
  EXPECT_EQ(text_of(restore_entry(now, in_json("b"), *removed)),
            "{\"n\":12345,\"mcpServers\":{\"a\":{},\"b\":{\"x\":1}, \"c\":{}},\"m\":3}");
}

TEST(HostEditJson, an_entry_comes_back_among_its_neighbours) {
  const std::string text =
      "{\"s\": {\n  \"a\": {},\n  // of b\n  \"b\": {},\n  // of c\n  \"c\": {}\n}}\n";
  const EntryPlace b = in_json("b", {"s"});
  const EntryPlace c = in_json("c", {"s"});
  const Result<RemovedEntry> without_b = remove_entry(text, b);
  const Result<RemovedEntry> without_c = remove_entry(text, c);
  ASSERT_TRUE(without_b && without_c);
  EXPECT_EQ(text_of(restore_entry(
                "{\"s\": {\n  // of c\n  \"c\": {},\n  \"new\": {}\n}}\n", b, *without_b)),
            "{\"s\": {\n  // of b\n  \"b\": {},\n  // of c\n  \"c\": {},\n  \"new\": {}\n}}\n");
  EXPECT_EQ(
      text_of(restore_entry("{\"s\": {\n  \"a\": {\"k\": 1},\n  \"new\": {}\n}}\n", b, *without_b)),
      "{\"s\": {\n  \"a\": {\"k\": 1},\n  // of b\n  \"b\": {},\n  \"new\": {}\n}}\n");
  EXPECT_EQ(text_of(restore_entry("{\"s\": {\n  \"new\": {}\n}}\n", c, *without_c)),
            "{\"s\": {\n  \"new\": {},\n  // of c\n  \"c\": {}\n}}\n");
  EXPECT_EQ(text_of(restore_entry("{\"s\": {\n  \"new\": {},\n}}\n", c, *without_c)),
            "{\"s\": {\n  \"new\": {},\n  // of c\n  \"c\": {},\n}}\n");
  EXPECT_EQ(text_of(restore_entry("{\"s\":{\"new\":{}}}", c, *without_c)),
            "{\"s\":{\"new\":{}, \"c\": {}}}");
  EXPECT_EQ(value_of(text_of(restore_entry("{}", c, *without_c)), c), "{}");
  EXPECT_THAT(text_of(restore_entry("{\"s\":{\"c\":1}}", c, *without_c)),
              HasSubstr("there is a \"c\" by now"));
}

TEST(HostEditJson, a_put_is_taken_back_from_a_file_that_changed_around_it) {
  const EntryPlace place = in_json("pi-mcp", {"mcp", "servers"});
  const Result<PutEntry> put = put_entry("{\"z\":1}", place, "{}");
  ASSERT_TRUE(put);
  EXPECT_EQ(put->parents_made, 2U);
  EXPECT_EQ(
      text_of(undo_put("{\"mcp\":{\"servers\":{\"pi-mcp\":{\"o\":1}}},\"z\":2}", place, *put)),
      "{\"z\":2}");
  EXPECT_EQ(
      text_of(undo_put("{\"mcp\":{\"servers\":{\"pi-mcp\":{},\"o\":{}}},\"z\":2}", place, *put)),
      "{\"mcp\":{\"servers\":{\"o\":{}}},\"z\":2}");
  EXPECT_EQ(text_of(undo_put("{\"mcp\":{\"servers\":{\"pi-mcp\":{}},\"k\":1}}", place, *put)),
            "{\"mcp\":{\"k\":1}}");
  EXPECT_THAT(text_of(undo_put("{}", place, *put)), HasSubstr("there is no \"pi-mcp\""));
  const Result<PutEntry> over = put_entry("{\"s\":{\"x\":{\"old\":1}}}", in_json("x", {"s"}), "{}");
  ASSERT_TRUE(over);
  EXPECT_EQ(over->replaced, R"({"old":1})");
  EXPECT_EQ(text_of(undo_put("{\"s\":{\"x\":{\"new\":1}}}", in_json("x", {"s"}), *over)),
            "{\"s\":{\"x\":{\"old\":1}}}");
}

TEST(HostEditJson, what_cannot_be_edited_is_refused) {
  EXPECT_THAT(text_of(put_entry("{\"x\": }", in_json("a"), "{}")), HasSubstr("line 1"));
  EXPECT_THAT(text_of(put_entry("{}", in_json("a"), "{")), HasSubstr("the new value"));
  EXPECT_THAT(text_of(put_entry("{}", in_json("a"), "[]")), HasSubstr("not an object"));
  EXPECT_THAT(text_of(put_entry("{\"mcpServers\":[]}", in_json("a"), "{}")),
              HasSubstr("\"mcpServers\" is not an object but an array"));
  EXPECT_THAT(text_of(remove_entry("{\"mcpServers\":{\"a\":1,\"a\":2}}", in_json("a"))),
              HasSubstr("more than once"));
  EXPECT_THAT(text_of(remove_entry("{}", in_json("a"))), HasSubstr("there is no \"a\""));
  EXPECT_EQ(value_of("", in_json("a")), "nothing");
}

EntryPlace in_toml(std::string name) {
  return {
      .format = FileFormat::toml, .at = {"mcp_servers"}, .name = std::move(name), .list = false};
}

// NOLINTBEGIN(bugprone-suspicious-missing-comma): long texts are written in parts
const std::vector<std::string> toml_shapes{
    "[mcp_servers.a]\ncommand = \"x\"\n[mcp_servers.b]\n[mcp_servers.c]\nargs = [\"1\"]\n",
    "model = \"o3\"  # the model\n\n# about a\n[mcp_servers.a]\ncommand = \"x\" # x\n\n"
    "[mcp_servers.a.env]\nK = \"v\"\n# L = \"off\"\n\n# floating\n\n# about b\n# and more\n"
    "[mcp_servers.\"b\"]\ncommand = 'y'\n\n\n[mcp_servers.c]\ncommand = \"\"\"\n[mcp_servers.b]\n"
    "\"\"\"\nargs = [\n  \"]\", # [\n  '#',\n]\n\n[tui]\ntheme = \"dark\"\n",
    "[mcp_servers]\na.command = \"x\"\na.args = []\n\n# about b\nb = { command = \"y\" } # b\n"
    "\"c\" = {}\n\n[other]\nx = 1\n",
    "mcp_servers.a.command = \"x\"\nmcp_servers.b = { env = { K = \"a,}\" } }\nmcp_servers.c.url = "
    "'u'\n[z]\n",
    "mcp_servers = { a = { command = \"x\" }, b = {}, c = { args = [\"}\", '{'] } } # all\nz = 1\n",
    "[mcp_servers.a]\ncommand = \"x\"\n\n[[profile]]\nn = 1\n\n[mcp_servers.b]\nn = 1979-05-27 "
    "07:32:00\n\n[[profile]]\nn = 2\n\n[ mcp_servers . 'c' ]\nd = 1\n# last words\n",
    "[mcp_servers.a]\n[mcp_servers.b]\n[mcp_servers.a.env]\nX = \"1\"\n[mcp_servers.c]\n",
};
// NOLINTEND(bugprone-suspicious-missing-comma)

TEST(HostEditToml, every_edit_is_taken_back_byte_for_byte) {
  for (const std::string& shape : toml_shapes) {
    expect_round_trips(shape, in_toml("a"));
  }
}

TEST(HostEditToml, a_put_into_a_file_without_servers_is_taken_back) {
  for (const std::string shape : {"",
                                  "\n",
                                  "# only a comment\n",
                                  "x = 1\n",
                                  "x = 1\n\n",
                                  "[a]\nx = 1\n# end\n",
                                  "[mcp_servers]\n",
                                  "mcp_servers = {}\n",
                                  "mcp_servers = { }\n[z]\n"}) {
    for (const std::string& text : dressed(shape)) {
      expect_put_is_undone(text, in_toml("pi-mcp"));
    }
  }
}

TEST(HostEditToml, an_entry_is_written_as_people_write_it) {
  EXPECT_EQ(
      text_of(put_entry(
          "[mcp_servers.a]\nx = 1\n\n# ui\n[tui]\n",
          in_toml("pi mcp"),
          R"({"command":"p","env":{"A.B":"\u007f\n"},"args":["x",{"y":[1.5,true]}],"e":{}})")),
      "[mcp_servers.a]\nx = 1\n\n[mcp_servers.\"pi mcp\"]\ncommand = \"p\"\nargs = [\"x\", { y = "
      "[1.5, "
      "true] }]\ne = {}\n\n[mcp_servers.\"pi mcp\".env]\n\"A.B\" = \"\\u007F\\n\"\n\n# "
      "ui\n[tui]\n");
  EXPECT_EQ(text_of(put_entry("x = 1", in_toml("p"), R"({"c":"d"})")),
            "x = 1\n\n[mcp_servers.p]\nc = \"d\"\n");
  EXPECT_EQ(text_of(put_entry(
                "# about\n[mcp_servers.p]\nold = 1 # why\n\n[z]\n", in_toml("p"), R"({"c":"d"})")),
            "# about\n[mcp_servers.p]\nc = \"d\" # why\n\n[z]\n");
  EXPECT_THAT(text_of(put_entry("", in_toml("p"), R"({"c":null})")), HasSubstr("has no null"));
  EXPECT_THAT(text_of(put_entry("x = \n", in_toml("p"), "{}")), HasSubstr("line 1"));
}

TEST(HostEditToml, what_belongs_to_an_entry_goes_with_it) {
  const Result<RemovedEntry> removed = remove_entry(toml_shapes[1], in_toml("a"));
  ASSERT_TRUE(removed);
  EXPECT_EQ(
      removed->piece,
      "# about a\n[mcp_servers.a]\ncommand = \"x\" # x\n\n[mcp_servers.a.env]\nK = \"v\"\n# L = "
      "\"off\"\n\n");
  EXPECT_EQ(removed->value, R"({"command":"x","env":{"K":"v"}})");
  EXPECT_EQ(removed->next, "b");
}

TEST(HostEditToml, a_put_is_taken_back_from_a_file_that_changed_around_it) {
  const Result<PutEntry> put = put_entry("z = 1\n", in_toml("pi"), R"({"env":{"A":"1"}})");
  ASSERT_TRUE(put);
  EXPECT_EQ(
      text_of(undo_put(
          "[mcp_servers.pi]\n[mcp_servers.pi.env]\nB = 1\n\n[tui]\nx = 1\n", in_toml("pi"), *put)),
      "[tui]\nx = 1\n");
}

TEST(HostEditToml, an_entry_comes_back_among_its_neighbours) {
  const Result<RemovedEntry> a = remove_entry(toml_shapes[1], in_toml("a"));
  const Result<RemovedEntry> item = remove_entry(toml_shapes[4], in_toml("b"));
  ASSERT_TRUE(a && item);
  EXPECT_EQ(text_of(restore_entry("# new b\n[mcp_servers.b]\n", in_toml("a"), *a)),
            a->piece + "# new b\n[mcp_servers.b]\n");
  EXPECT_EQ(text_of(restore_entry("x = 1\n", in_toml("a"), *a)),
            "x = 1\n\n" + a->piece.substr(0, a->piece.size() - 1));
  EXPECT_EQ(text_of(restore_entry("mcp_servers = { c = {} }\n", in_toml("b"), *item)),
            "mcp_servers = { b = {}, c = {} }\n");
  EXPECT_EQ(text_of(restore_entry("x = 1\n", in_toml("b"), *item)), "x = 1\n\n[mcp_servers.b]\n");
}

EntryPlace in_yaml(std::string name) {
  return {.format = FileFormat::yaml, .at = {"extensions"}, .name = std::move(name), .list = false};
}

EntryPlace in_list(std::string name) {
  return {.format = FileFormat::yaml, .at = {"mcpServers"}, .name = std::move(name), .list = true};
}

TEST(HostEdit, blanks_at_the_end_of_a_file_are_a_line) {
  const std::string value = R"({"command":"x"})";
  for (const std::string_view text : {"[mcp_servers]\n  \t", "[mcp_servers.a]\n\t", "x = 1\n  "}) {
    const Result<PutEntry> put = put_entry(text, in_toml("b"), value);
    ASSERT_TRUE(put) << text;
    EXPECT_EQ(undo_put(put->text, in_toml("b"), *put).value(), text);
  }
  const std::string_view yaml = "extensions:\n  a: {}\n  b: {}\n   ";
  const Result<RemovedEntry> removed = remove_entry(yaml, in_yaml("b"));
  ASSERT_TRUE(removed);
  EXPECT_EQ(restore_entry(removed->text, in_yaml("b"), *removed).value(), yaml);
}

// NOLINTBEGIN(bugprone-suspicious-missing-comma): long texts are written in parts
const std::vector<std::string> yaml_shapes{
    "extensions:\n  a:\n    cmd: x\n  b: {}\n  c:\n    args:\n    - 1\n    - 2\n",
    "# Goose\nGOOSE_MODEL: &m gpt # model\nextensions: # all\n  # about a\n  a:\n    cmd: x # x\n  "
    "  # in "
    "a\n\n  # about b\n  # and more\n  \"b\":\n    cmd: |\n      # not a comment\n\n      x: {\n   "
    " "
    "type: stdio\n\n\n  'c': # c\n    args: [\"}\", '{ it''s',\n      x # y\n      ]\n  # at the "
    "end\n# of z\nz: *m\n",
    "z: !tag {a: 1}\nextensions: {a: {cmd: x, args: [1, \"},\"]}, b: {it's: 'x,'}, \"c\":{}} # "
    "end\nlast: "
    "1\n",
    "extensions: {\n  a: {cmd: x}, # a\n  # of b\n  b: {\n    cmd: y\n  },\n  c: {}\n}\n",
    "---\nextensions:\n    a: {cmd: x}\n    b:\n        text: \"two\n          lines\"\n    c: "
    "plain\n...\n",
    "{\"extensions\": {\"a\": {\"x\":1}, \"b\":{}, \"c\": {},}}\n",
};
// NOLINTEND(bugprone-suspicious-missing-comma)

// NOLINTBEGIN(bugprone-suspicious-missing-comma): long texts are written in parts
const std::vector<std::string> list_shapes{
    "name: mine\nmcpServers:\n  - name: a\n    command: x\n  - name: b\n    env:\n      K: v\n  - "
    "command: "
    "y\n    name: c\nz: 1\n",
    "mcpServers:\n# about a\n- name: a\n  args:\n  - 1\n  - -2\n\n# about b\n-\n  name: "
    "b\n- {name: "
    "c, command: x} # c\n\n# models\nmodels:\n- name: a\n",
    "mcpServers: [{name: a}, {name: b, args: [\"]\"]}, {\"name\": \"c\"}]\n",
};
// NOLINTEND(bugprone-suspicious-missing-comma)

TEST(HostEditYaml, every_edit_is_taken_back_byte_for_byte) {
  for (const std::string& shape : yaml_shapes) {
    expect_round_trips(shape, in_yaml("a"));
  }
  for (const std::string& shape : list_shapes) {
    expect_round_trips(shape, in_list("a"));
  }
}

TEST(HostEditYaml, a_put_into_a_file_without_servers_is_taken_back) {
  for (const std::string at : {"extensions", "mcpServers"}) {
    for (const std::string& shape :
         {std::string(),
          std::string("\n"),
          std::string("# only a comment\n"),
          std::string("---\nx: 1\n# end\n"),
          std::string("x:\n  y: 1\n\n# end\n...\n"),
          std::string("{}\n"),
          std::string("{x: 1}\n"),
          at + ":\n",
          at + ": # none\nx: 1\n",
          at + ": ~\n",
          at + (at == "extensions" ? ": {}\n" : ": []\n"),
          "x: 1\n" + at + (at == "extensions" ? ": { } # none\n" : ": [ ]\n")}) {
      for (const std::string& text : dressed(shape)) {
        expect_put_is_undone(text, at == "extensions" ? in_yaml("pi-mcp") : in_list("pi-mcp"));
      }
    }
  }
}

TEST(HostEditYaml, an_entry_is_written_as_people_write_it) {
  const std::string value =
      R"({"cmd":"p","args":["-y","a b"],"envs":{"A":"1"},"m":[[1],{"k":true,"l":{}}]})";
  EXPECT_EQ(text_of(put_entry("extensions:\n  a: {}\n  # end\nz: 1\n", in_yaml("pi"), value)),
            "extensions:\n  a: {}\n  pi:\n    cmd: p\n    args:\n      - \"-y\"\n      - \"a b\"\n "
            "   envs:\n   "
            "   A: \"1\"\n    m:\n      - - 1\n      - k: true\n        l: {}\n  # end\nz: 1\n");
  EXPECT_EQ(text_of(put_entry("mcpServers: []\n", in_list("pi"), R"({"command":"p"})")),
            "mcpServers:\n  - name: pi\n    command: p\n");
  EXPECT_EQ(text_of(put_entry("", in_list("pi"), R"({"command":"p"})")),
            "mcpServers:\n  - name: pi\n    command: p\n");
  EXPECT_EQ(text_of(put_entry("extensions: {a: {}}", in_yaml("pi"), R"({"c":"d e"})")),
            "extensions: {a: {}, pi: {c: \"d e\"}}");
}

TEST(HostEditYaml, an_item_without_a_name_is_left_alone) {
  const std::string_view text = "mcpServers:\n- command: x\n";
  EXPECT_THAT(remove_entry(text, in_list("")).error().message(), HasSubstr("without a name"));
  EXPECT_FALSE(put_entry(text, in_list(""), R"({"command":"x"})"));
  EXPECT_FALSE(read_entry(text, in_list("")));
  const auto put = put_entry(text, in_list("b"), R"({"command":"x"})");
  ASSERT_TRUE(put);
  EXPECT_EQ(undo_put(put->text, in_list("b"), *put).value(), text);
}

TEST(HostEditYaml, what_belongs_to_an_entry_goes_with_it) {
  const Result<RemovedEntry> a = remove_entry(yaml_shapes[1], in_yaml("a"));
  const Result<RemovedEntry> b = remove_entry(yaml_shapes[1], in_yaml("b"));
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->piece, "  # about a\n  a:\n    cmd: x # x\n    # in a\n");
  EXPECT_EQ(
      b->piece,
      "  # about b\n  # and more\n  \"b\":\n    cmd: |\n      # not a comment\n\n      x: {\n    "
      "type: stdio\n");
  EXPECT_EQ(b->value, R"({"cmd":"# not a comment\n\nx: {\n","type":"stdio"})");
  EXPECT_EQ(text_of(remove_entry("extensions: # all\n  a:\n    x: 1\n# z\nz: 1\n", in_yaml("a"))),
            "extensions: {} # all\n# z\nz: 1\n");
}

TEST(HostEditYaml, an_entry_comes_back_among_its_neighbours) {
  const Result<RemovedEntry> b = remove_entry(yaml_shapes[1], in_yaml("b"));
  const Result<RemovedEntry> item = remove_entry(list_shapes[0], in_list("b"));
  ASSERT_TRUE(b && item);
  EXPECT_EQ(text_of(restore_entry("extensions:\n  # c\n  c: 1\n", in_yaml("b"), *b)),
            "extensions:\n" + b->piece + "  # c\n  c: 1\n");
  EXPECT_EQ(text_of(restore_entry("extensions:\n  a: 1\n  d: 1\n", in_yaml("b"), *b)),
            "extensions:\n  a: 1\n" + b->piece + "  d: 1\n");
  EXPECT_EQ(text_of(restore_entry("extensions: {}\n", in_yaml("b"), *b)),
            "extensions:\n" + b->piece);
  EXPECT_EQ(
      value_of(text_of(restore_entry("extensions:\n    a: 1\n", in_yaml("b"), *b)), in_yaml("b")),
      b->value);
  EXPECT_EQ(text_of(restore_entry("mcpServers:\n  - name: c\n", in_list("b"), *item)),
            "mcpServers:\n" + item->piece + "  - name: c\n");
  EXPECT_EQ(text_of(restore_entry("mcpServers: [{name: c}]\n", in_list("b"), *item)),
            "mcpServers: [{name: c}, {name: b, env: {K: v}}]\n");
}

TEST(HostEditYaml, a_put_is_taken_back_from_a_file_that_changed_around_it) {
  for (const EntryPlace& place : {in_yaml("pi"), in_list("pi")}) {
    const Result<PutEntry> put = put_entry("z: 1\n", place, "{}");
    ASSERT_TRUE(put);
    EXPECT_EQ(put->parents_made, 1U);
    const std::string entry = place.list ? "  - name: pi\n    o: 1\n" : "  pi:\n    o: 1\n";
    EXPECT_EQ(text_of(undo_put(place.at[0] + ":\n" + entry + "y: 2\n", place, *put)), "y: 2\n");
    const std::string other = place.list ? "  - name: o\n" : "  o: 1\n";
    EXPECT_EQ(text_of(undo_put(place.at[0] + ":\n" + other + entry, place, *put)),
              place.at[0] + ":\n" + other);
  }
}

TEST(HostEditYaml, what_cannot_be_edited_is_refused) {
  const std::string text =
      "x: &x {a: 1}\nextensions:\n  a: &a\n    k: *x\n  b: &b {}\n  c: {}\nz: *b\n";
  EXPECT_THAT(text_of(remove_entry(text, in_yaml("a"))), HasSubstr("uses an alias"));
  EXPECT_THAT(text_of(remove_entry(text, in_yaml("b"))), HasSubstr("by hand"));
  EXPECT_THAT(text_of(put_entry(text, in_yaml("c"), R"({"k":"v"})")),
              HasSubstr("  c:\n    k: v\nz: *b\n"));
  EXPECT_THAT(text_of(put_entry("extensions: x}", in_yaml("a"), "{}")),
              HasSubstr("\"extensions\" is not an object but a string"));
  EXPECT_THAT(text_of(put_entry("extensions: {}", in_list("a"), "{}")), HasSubstr("mcpServers:\n"));
  EXPECT_THAT(text_of(put_entry("a: [", in_yaml("a"), "{}")), HasSubstr("line 1"));
}

}  // namespace
}  // namespace pi_mcp::config
