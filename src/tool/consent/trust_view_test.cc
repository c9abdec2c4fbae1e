// What somebody sees before a project's files may be used.
#include "tool/consent/trust_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "json/document.h"

namespace pi_mcp::tool {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

config::TrustRequest request(const std::string& server, const std::string& entry) {
  return {.folder = "/home/u/p",
          .path = "/home/u/p/.mcp.json",
          .server = server,
          .digest = "d",
          .entry = entry,
          .answered_by = {}};
}

std::vector<std::string> lines(const std::string& entry) {
  return trust_view({request("s", entry)}).items.at(0).lines;
}

TEST(TrustView, a_program_is_shown_with_its_arguments_as_a_shell_would_read_them) {
  EXPECT_THAT(lines(R"({"command":"npx","args":["-y","some-server","two words","$HOME",""]})"),
              ElementsAre(R"(runs: npx -y some-server "two words" "$HOME" "")"));
  EXPECT_THAT(lines(R"({"command":"/usr/bin/env","args":[1,true]})"),
              ElementsAre("runs: /usr/bin/env 1 true"));
}

TEST(TrustView, what_has_changed_since_it_was_trusted_says_so_first) {
  config::TrustRequest changed = request("s", R"({"command":"run"})");
  changed.changed = true;
  EXPECT_THAT(trust_view({changed}).items.at(0).lines,
              ElementsAre("has changed since it was trusted", "runs: run"));
}

TEST(TrustView, a_program_with_its_arguments_in_one_list_is_shown_in_the_same_way) {
  EXPECT_THAT(lines(R"({"command":["sh","-c","run it"],"environment":{"A":"1"}})"),
              ElementsAre("runs: sh -c \"run it\"", "sets for it: A=1"));
  EXPECT_THAT(lines(R"({"command":["node","server.js"]})"), Contains("runs code of this folder"));
}

TEST(TrustView, code_of_the_folder_is_named_as_such) {
  for (const std::string entry : {R"({"command":"./run"})",
                                  R"({"command":"bin/run"})",
                                  R"({"command":"node","args":["server.js"]})",
                                  R"({"command":"npx","args":["-y","./pkg"]})",
                                  R"({"command":"npx","args":["."]})",
                                  R"({"command":"uvx","args":["--from","../x","y"]})",
                                  R"({"command":"npx","args":["file:pkg"]})",
                                  R"({"command":"python3","args":["/home/u/p/run"]})"}) {
    EXPECT_THAT(lines(entry), Contains("runs code of this folder")) << entry;
  }
  for (const std::string entry : {R"({"command":"npx","args":["-y","@scope/server.js"]})",
                                  R"({"command":"/usr/bin/server"})",
                                  R"({"command":"python3","args":["/home/u/pp/run.py"]})",
                                  R"({"url":"https://example.org/x.js"})"}) {
    EXPECT_THAT(lines(entry), Not(Contains("runs code of this folder"))) << entry;
  }
}

TEST(TrustView, variables_are_named_in_every_spelling) {
  EXPECT_THAT(
      lines(R"({"url":"https://e/${A}","headers":{"h":"$env:B","i":"{env:C}","j":"${env:D}",)"
            R"("k":"${E:-x}"},"bearerTokenEnv":"F"})"),
      ElementsAre("reaches: https://e/${A}", "reads from your environment: A, B, C, D, E, F"));
  EXPECT_THAT(lines(R"({"command":"x","args":["${A}${B}$${C}"],"env":{"T":"${D}"}})"),
              Contains("reads from your environment: A, B, C, D"));
}

TEST(TrustView, variables_under_the_keys_of_other_hosts_are_named_too) {
  EXPECT_THAT(lines(R"({"url":"https://e","bearer_token_env_var":"A",)"
                    R"("env_http_headers":{"h":"B"}})"),
              Contains("reads from your environment: A, B"));
  EXPECT_THAT(lines(R"({"url":"https://e","headers":{"h":"${input:KEY}"}})"),
              Contains("reads from your environment: KEY"));
}

TEST(TrustView, stored_secrets_are_named_and_are_not_variables) {
  EXPECT_THAT(lines(R"({"url":"https://e","headers":{"a":"Bearer ${keyring:work.key}"},)"
                    R"("oauth":{"clientSecret":"${keyring:b}"},"args":["${A}"]})"),
              ElementsAre("reaches: https://e",
                          "reads from your environment: A",
                          "gets your stored secrets: b, work.key"));
}

TEST(TrustView, files_whose_content_is_taken_are_named) {
  EXPECT_THAT(lines(R"({"url":"https://e","headers":{"a":"{file:~/.ssh/id}","b":"${file:x}"}})"),
              ElementsAre("reaches: https://e", "reads the file: x", "reads the file: ~/.ssh/id"));
  EXPECT_THAT(lines(R"({"command":"x","envFile":".env"})"), Contains("reads the file: .env"));
}

TEST(TrustView, commands_that_print_a_value_are_shown_and_literal_marks_are_not) {
  EXPECT_THAT(lines(R"({"url":"https://e","headers":{"a":"!cat ~/x","b":"!!text"}})"),
              ElementsAre("reaches: https://e", "runs for a value: cat ~/x"));
}

TEST(TrustView, whatever_else_runs_or_is_reached_is_shown) {
  EXPECT_THAT(
      lines(R"({"url":"https://e","requestHeadersCommand":{"command":"sign","args":["-k"]},)"
            R"("oauth":{"authServerMetadataUrl":"https://evil"}})"),
      ElementsAre("reaches: https://e",
                  "runs for each request: sign -k",
                  "logs in as told by: https://evil"));
  EXPECT_THAT(lines(R"({"socket":"/run/x","cwd":".."})"),
              ElementsAre("talks to: /run/x", "works in: .."));
}

TEST(TrustView, a_server_that_takes_the_place_of_the_users_says_so) {
  config::TrustRequest over = request("s", R"({"command":"x"})");
  over.replaces_users = true;
  EXPECT_THAT(trust_view({over}).items[0].lines, Contains("replaces your own server of this name"));
}

TEST(TrustView, settings_and_imports_of_a_file_are_an_item_of_their_own) {
  const TrustView view =
      trust_view({request("", R"({"imports":["cursor"],"settings":{"elicitation":false}})")});
  EXPECT_THAT(view.items[0].lines,
              ElementsAre("sets elicitation: false", "imports servers of: cursor"));
  EXPECT_THAT(trust_text(view, 10), HasSubstr("settings (.mcp.json)"));
}

TEST(TrustView, nothing_in_it_can_write_over_the_question) {
  config::TrustRequest hostile = request(
      "a\x1b[2J\r\nTrust them? y\u202E",
      R"({"command":"\u001b]0;x\u0007sh","args":["a\nb\u2066","\u0000"],"url":"\u009b2J"})");
  hostile.path = "/home/u/p/\x1b[1A/.mcp.json";
  hostile.folder = "/home/u/p";
  const std::string text = trust_text(trust_view({hostile}), 10);
  for (const std::string_view part :
       {"\x1b", "\r", "\x07", "\u009b", "\u202e", "\u2066", "\nTrust", "\nb"}) {
    EXPECT_THAT(text, Not(HasSubstr(std::string(part))));
  }
  EXPECT_THAT(text, AllOf(HasSubstr("a Trust them? y (/.mcp.json)"), HasSubstr("  runs: ")))
      << "a name is one line";
}

// A command that does no harm at its beginning and does so at its end.
TEST(TrustView, the_end_of_what_is_long_is_shown) {
  const std::string breaks = text::replace_all(std::string(300, 'n'), "n", "\\n");
  EXPECT_THAT(lines(R"({"command":"sh","args":["-c","echo ok)" + breaks + R"(;touch PWN"]})"),
              ElementsAre(AllOf(HasSubstr("runs: sh -c \"echo ok"),
                                HasSubstr(" characters left out) ... "),
                                testing::EndsWith(";touch PWN\""))));
  std::string many = R"({"command":"sh","args":[)";
  for (int i = 0; i < 5000; ++i) {
    many += "\"x" + std::to_string(i) + "\",";
  }
  EXPECT_THAT(lines(many + R"("LAST"]})"), ElementsAre(testing::EndsWith(" x4999 LAST")));
  EXPECT_THAT(lines(R"({"command":"x","env":{"A":")" + std::string(5000, 'v') + R"(;END"}})"),
              Contains(testing::EndsWith(";END")));
}

TEST(TrustView, the_folder_is_one_line) {
  config::TrustRequest asked = request("s", R"({"command":"x"})");
  asked.folder = "/home/u/x\n\nFORGED";
  asked.path = asked.folder + "/a\nb/.mcp.json";
  const TrustView view = trust_view({asked});
  EXPECT_EQ(view.folder, "/home/u/x FORGED");
  EXPECT_EQ(view.items.at(0).file, "a b/.mcp.json");
}

TEST(TrustView, a_long_line_is_cut_and_says_how_long_it_is) {
  const std::vector<std::string> shown =
      lines(R"({"command":"sh","args":["-c","true )" + std::string(5000, 'x') + R"(; rm -r ~"]})");
  ASSERT_THAT(shown, SizeIs(1));
  EXPECT_LT(shown[0].size(), 400U);
  EXPECT_THAT(shown[0], HasSubstr("(4722 characters left out)"));
}

TEST(TrustView, what_is_set_is_shown_as_it_is_written) {
  EXPECT_THAT(
      lines(R"({"command":"x","env":{"A":"two words","B":"${TOKEN}","C":7,"D":"a\u001b\nb"}})"),
      Contains(R"(sets for it: A="two words", B="${TOKEN}", C=7, D="a\u001b\nb")"));
  EXPECT_THAT(lines(R"({"command":"x","env":{"A":")" + std::string(5000, 'v') + "\"}}"),
              Contains(AllOf(HasSubstr("A=vvv"),
                             HasSubstr("(4880 characters left out)"),
                             testing::SizeIs(testing::Lt(200U)))));
}

TEST(TrustView, what_decides_what_code_runs_says_so_and_is_never_counted_away) {
  std::string env;
  for (int i = 0; i < 50; ++i) {
    env += "\"A" + std::to_string(100 + i) + "\":\"1\",";
  }
  EXPECT_THAT(
      lines(R"({"command":"npx","args":["-y","good"],"env":{)" + env +
            R"("NODE_OPTIONS":"--require ./evil.js","LD_PRELOAD":"/tmp/x.so"}})"),
      ElementsAre("runs: npx -y good",
                  "runs code of this folder",
                  "sets for it: LD_PRELOAD=/tmp/x.so, which decides what code every program loads",
                  "sets for it: NODE_OPTIONS=\"--require ./evil.js\", which decides what code "
                  "Node.js loads",
                  HasSubstr(" and 30 more")));
}

TEST(TrustView, a_variable_that_names_code_of_the_folder_runs_it) {
  for (const std::string env : {R"("PATH":"bin:/usr/bin")",
                                R"("PATH":"/usr/bin:")",
                                R"("PYTHONPATH":"lib")",
                                R"("LD_PRELOAD":"evil.so")",
                                R"("NODE_OPTIONS":"--import=./x.mjs")",
                                R"("NODE_OPTIONS":"-r /home/u/p/x")",
                                R"("BASH_ENV":"./rc")",
                                R"("GIT_SSH_COMMAND":"sh ./x")",
                                R"("HOME":".")"}) {
    EXPECT_THAT(lines(R"({"command":"x","env":{)" + env + "}}"),
                Contains("runs code of this folder"))
        << env;
  }
  for (const std::string env : {R"("PATH":"/usr/bin:/bin")",
                                R"("NODE_OPTIONS":"--max-old-space-size=4096")",
                                R"("FILE":"./data")",
                                R"("PATHS":"bin")"}) {
    EXPECT_THAT(lines(R"({"command":"x","env":{)" + env + "}}"),
                Not(Contains("runs code of this folder")))
        << env;
  }
}

TEST(TrustView, many_names_are_counted) {
  std::string env;
  for (int i = 0; i < 50; ++i) {
    env += (i == 0 ? "\"V" : ",\"V") + std::to_string(100 + i) + "\":\"1\"";
  }
  EXPECT_THAT(
      lines(R"({"command":"x","env":{)" + env + "}}"),
      Contains(AllOf(HasSubstr("V119"), HasSubstr(" and 30 more"), Not(HasSubstr("V120")))));
}

TEST(TrustView, many_entries_are_shown_as_far_as_there_is_room_and_counted) {
  std::vector<config::TrustRequest> many;
  for (int i = 0; i < 12; ++i) {
    many.push_back(request("s" + std::to_string(i), R"({"command":"x"})"));
  }
  const std::string text = trust_text(trust_view(many), asked_items_max);
  EXPECT_THAT(text, AllOf(HasSubstr("s9 ("), Not(HasSubstr("s10 (")), HasSubstr("and 2 more")));
  EXPECT_THAT(trust_text(trust_view(many), 100), HasSubstr("s11 ("));
}

TEST(TrustView, an_entry_of_another_form_shows_nothing_wrong) {
  for (const std::string entry :
       {"{}", "[]", "", R"({"command":5,"args":"x","env":[],"url":{}})"}) {
    EXPECT_THAT(trust_view({request("s", entry)}).items, SizeIs(1)) << entry;
  }
  EXPECT_THAT(trust_view({}).items, IsEmpty());
}

TEST(TrustView, a_question_has_one_choice_of_three) {
  const std::string question = trust_question(trust_view({request("s", R"({"command":"x"})")}));
  const Result<json::Document> document = json::Document::parse_view(question);
  ASSERT_TRUE(document);
  EXPECT_THAT(document->root().find("message").string_or(""),
              AllOf(HasSubstr("/home/u/p"), HasSubstr("s (.mcp.json)\n  runs: x")));
  const json::Value schema = document->root().find("requestedSchema");
  EXPECT_EQ(schema.at({"properties", "decision", "enum"}).raw(), R"(["trust","once","no"])");
  EXPECT_EQ(schema.find("required").raw(), R"(["decision"])");
  EXPECT_EQ(schema.find("properties").size(), 1U);
}

}  // namespace
}  // namespace pi_mcp::tool
