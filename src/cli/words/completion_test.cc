#include "cli/words/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class FakeFacts : public CompletionFacts {
 public:
  [[nodiscard]] std::vector<Candidate> servers() const override {
    return {{"files", "3 tools"}, {"github", ""}};
  }
  [[nodiscard]] std::vector<Candidate> tools() const override {
    return {{"files_read", "Read\ta\nfile"}, {"files_write", ""}};
  }
  [[nodiscard]] std::vector<Candidate> host_kinds() const override {
    return {{"cursor", "Cursor"}, {"pi", "Pi"}};
  }
  [[nodiscard]] std::vector<Candidate> import_kinds() const override {
    return {{"cursor", ""}, {"codex", ""}};
  }
  [[nodiscard]] std::vector<Candidate> secrets() const override {
    return {{"GITHUB", "github"}, {"linear", ""}};
  }
  [[nodiscard]] std::vector<Candidate> tokens() const override { return {{"ci", ""}, {"bob", ""}}; }
  [[nodiscard]] std::vector<Candidate> tools_of(const std::string& server) const override {
    return server == "files" ? std::vector<Candidate>{{"read", ""}, {"write", ""}}
                             : std::vector<Candidate>{};
  }
  [[nodiscard]] SharedText schema(const std::vector<std::string>& words) const override {
    const bool two_words = words.size() > 1 && words[0] == "files" && words[1] == "read";
    if (words.front() != "files_read" && words.front() != "files.read" && !two_words) {
      return {};
    }
    return SharedText(std::string(
        R"({"properties":{"path":{"type":"string","description":"Where"},"deep":{"type":"boolean"},)"
        R"("mode":{"type":"string","enum":["text","raw"]},"level":{"enum":[1,2]}}})"));
  }
};

Completions completed(const std::vector<std::string>& words) {
  return complete(words, FakeFacts());
}

std::vector<std::string> texts(const std::vector<std::string>& words) {
  std::vector<std::string> found;
  for (const Candidate& candidate : completed(words).candidates) {
    found.push_back(candidate.text);
  }
  return found;
}

TEST(Completion, the_first_word_is_a_command) {
  EXPECT_THAT(texts({"s"}), ElementsAre("status", "search", "stop", "serve", "secret", "setup"));
  EXPECT_THAT(texts({""}), Contains("call"));
  EXPECT_THAT(texts({}), Not(Contains("__complete")));
  EXPECT_THAT(texts({"--quiet", "de"}), ElementsAre("describe"));
  EXPECT_THAT(texts({"help", "de"}), ElementsAre("describe"));
}

TEST(Completion, every_spelling_of_a_tool_is_known) {
  EXPECT_THAT(texts({"call", "files.r"}), ElementsAre("files.read"));
  EXPECT_THAT(texts({"call", "files/"}), ElementsAre("files/read", "files/write"));
  EXPECT_THAT(texts({"call", "files", "w"}), ElementsAre("write"));
  EXPECT_THAT(texts({"describe", "files", ""}), ElementsAre("read", "write"));
  EXPECT_THAT(texts({"call", "files", "read", "pa"}), ElementsAre("path="));
  EXPECT_THAT(texts({"call", "files.read", "path:x", "--de"}), ElementsAre("--deep"));
  EXPECT_THAT(texts({"call", "files_read", "--path", "x", "--pa"}), IsEmpty());
  EXPECT_THAT(texts({"files.r"}), ElementsAre("files.read")) << "without call";
  EXPECT_THAT(texts({"files.read", "pa"}), ElementsAre("path="));
}

TEST(Completion, words_are_what_the_command_takes) {
  EXPECT_THAT(texts({"list", ""}), ElementsAre("files", "github"));
  EXPECT_THAT(texts({"list", "files", ""}), IsEmpty()) << "list takes one server";
  EXPECT_THAT(texts({"connect", "files", "g"}), ElementsAre("github"));
  EXPECT_THAT(texts({"describe", "files_w"}), ElementsAre("files_write"));
  EXPECT_THAT(texts({"import", "c"}), ElementsAre("cursor", "codex"));
  EXPECT_THAT(texts({"setup", "--hosts", "c"}), ElementsAre("cursor"));
  EXPECT_THAT(texts({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(texts({"secret", ""}), ElementsAre("set", "list", "rm"));
  EXPECT_THAT(texts({"secret", "set", "G"}), ElementsAre("GITHUB"));
  EXPECT_THAT(texts({"token", ""}), ElementsAre("add", "list", "remove"));
  EXPECT_THAT(texts({"token", "remove", "c"}), ElementsAre("ci"));
  EXPECT_THAT(texts({"frobnicate", ""}), IsEmpty());
  EXPECT_THAT(texts({"search", ""}), IsEmpty());
}

TEST(Completion, options_are_those_of_the_command_and_of_every_command) {
  EXPECT_THAT(texts({"search", "x", "--l"}), ElementsAre("--limit", "--log-level"));
  EXPECT_THAT(texts({"--ver"}), ElementsAre("--version"));
  EXPECT_THAT(texts({"search", "--server", ""}), ElementsAre("files", "github"));
  EXPECT_THAT(texts({"search", "--server=f"}), ElementsAre("--server=files"));
  EXPECT_THAT(texts({"serve", "--host", ""}), ElementsAre("mcp", "pi"));
  EXPECT_EQ(completed({"--config", ""}).also, Completions::Also::files);
  EXPECT_EQ(completed({"status", "--cwd="}).also, Completions::Also::directories);
  EXPECT_THAT(texts({"--config", "c.json", "list", "--timeout", "3", "g"}), ElementsAre("github"));
}

TEST(Completion, the_arguments_of_a_tool_come_from_its_schema) {
  EXPECT_THAT(texts({"call", "files_read", ""}), ElementsAre("path=", "deep=", "mode=", "level="));
  EXPECT_THAT(texts({"call", "files_read", "deep=true", "--json", "m"}), ElementsAre("mode="));
  EXPECT_THAT(texts({"call", "files_read", "mode=t"}), ElementsAre("mode=text"));
  EXPECT_THAT(texts({"call", "files_read", "level="}), ElementsAre("level=1", "level=2"));
  EXPECT_THAT(texts({"call", "files_read", "deep="}), ElementsAre("deep=true", "deep=false"));
  EXPECT_EQ(completed({"call", "files_read", "path="}).also, Completions::Also::files);
  EXPECT_THAT(texts({"call", "files_write", ""}), IsEmpty()) << "no schema";
}

TEST(Completion, a_command_of_a_server_gets_files) {
  EXPECT_EQ(completed({"add", "x", "--", ""}).also, Completions::Also::files);
}

TEST(Completion, an_answer_is_one_line_a_candidate_and_says_what_the_shell_adds) {
  EXPECT_EQ(completed({"call", "files_r"}).text(), "files_read\tRead a file\n:nothing\n");
  EXPECT_EQ(completed({"--config", ""}).text(), ":files\n");
}

TEST(Completion, there_is_a_script_for_each_shell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_THAT(std::string(completion_script(shell).value_or("")), HasSubstr("__complete"));
  }
  EXPECT_FALSE(completion_script("tcsh"));
}

}  // namespace
}  // namespace pi_mcp::cli
