#include "tool/message.h"

#include <gtest/gtest.h>

#include "tool/failures.h"

namespace pi_mcp::tool {
namespace {

// Each step as a model and as a shell is told it.
struct Told {
  NextStep step;
  std::string_view model;
  std::string_view shell;
};

TEST(NextStep, is_told_to_each_reader_in_its_own_words) {
  const std::vector<Told> all = {
      {{}, "mcp({})", "pi-mcp status"},
      {{.mode = Mode::list}, R"(mcp({ server: "name" }))", "pi-mcp list SERVER"},
      {{.mode = Mode::list, .subject = "fs"}, R"(mcp({ server: "fs" }))", "pi-mcp list fs"},
      {{.mode = Mode::search}, R"(mcp({ search: "..." }))", "pi-mcp search WORDS"},
      {{.mode = Mode::search, .server = "fs"},
       R"(mcp({ search: "...", server: "fs" }))",
       "pi-mcp search WORDS --server fs"},
      {{.mode = Mode::connect, .subject = "my files"},
       R"(mcp({ connect: "my files" }))",
       "pi-mcp connect 'my files'"},
      {{.mode = Mode::describe, .subject = "a_b", .offset = 55},
       R"(mcp({ describe: "a_b", offset: 55 }))",
       "pi-mcp describe a_b --offset 55"},
      {{.mode = Mode::instructions, .subject = "fs"},
       R"(mcp({ instructions: "fs" }))",
       "pi-mcp list fs --instructions"},
      {{.mode = Mode::call, .subject = "a_b", .server = "fs"},
       R"(mcp({ tool: "a_b", server: "fs" }))",
       "pi-mcp call a_b key=value --server fs"},
      {{.mode = Mode::call, .args = "{}"},
       R"(mcp({ tool: "...", args: {} }))",
       "pi-mcp call TOOL key=value"},
      {{.mode = Mode::call, .subject = "a_b", .args = "{...}", .writes = true},
       R"(mcp_write({ tool: "a_b", args: {...} }))",
       "pi-mcp call a_b key=value"},
      {{.mode = Mode::auth_start, .subject = "hub"},
       R"(mcp({ action: "auth-start", server: "hub" }))",
       "pi-mcp auth hub"},
      {{.mode = Mode::reconnect}, R"(mcp({ action: "reconnect" }))", "pi-mcp connect SERVER"},
  };
  for (const Told& told : all) {
    EXPECT_EQ(said_to(Reader::model, told.step), told.model);
    EXPECT_EQ(said_to(Reader::shell, told.step), told.shell);
  }
}

TEST(NextStep, a_name_cannot_run_anything_in_a_shell) {
  EXPECT_EQ(said_to(Reader::shell, {.mode = Mode::connect, .subject = "x; reboot"}),
            "pi-mcp connect 'x; reboot'");
}

TEST(Message, what_others_wrote_reaches_every_reader_as_it_is) {
  const std::string theirs = "Paging \u2014 offset: rows. Never write mcp({ server: \"a\" }).";
  EXPECT_EQ(Message(theirs).said_to(Reader::shell), theirs);
  EXPECT_EQ(Message(theirs).said_to(Reader::model), theirs);
}

TEST(Message, says_where_the_next_page_begins) {
  const Message text = "12 of 40 \u2014 " + Message(NextPage{12}) + " for more";
  EXPECT_EQ(text.said_to(Reader::model), "12 of 40 \u2014 offset: 12 for more");
  EXPECT_EQ(text.said_to(Reader::shell), "12 of 40 \u2014 --offset 12 for more");
}

TEST(Message, keeps_what_is_meant_for_one_reader_from_the_other) {
  const Message text = "It waits." + Message(Reader::shell, " Run " + Message(NextStep{}) + ".");
  EXPECT_EQ(text.said_to(Reader::model), "It waits.");
  EXPECT_EQ(text.said_to(Reader::shell), "It waits. Run pi-mcp status.");
}

TEST(Message, commands_no_terminal) {
  EXPECT_EQ(Message("a\x1b[2Jb").said_to(Reader::shell).find('\x1b'), std::string::npos);
}

TEST(Message, what_people_do_is_a_word_of_the_host_in_pi) {
  const Message text = "Run " + Message(PersonStep{.shell = "enable x", .pi = "/mcp enable x"}) +
                       Message(Reader::model, " or " + Message(NextStep{}));
  EXPECT_EQ(text.said_to(Reader::model), "Run pi-mcp enable x or mcp({})");
  EXPECT_EQ(text.said_to(Reader::pi), "Run /mcp enable x or mcp({})");
  EXPECT_EQ(text.said_to(Reader::shell), "Run pi-mcp enable x");
}

TEST(Remedies, are_said_in_the_words_of_who_reads_them) {
  struct Told {
    Remedy remedy;
    std::string_view shell;
    std::string_view pi;
  };
  using Kind = Remedy::Kind;
  const std::vector<Told> all = {
      {{.kind = Kind::log_in, .subject = "my hub"},
       "; to log in, run: pi-mcp auth 'my hub'",
       "; to log in, run: /mcp-auth my hub"},
      {{.kind = Kind::store_secret, .subject = "KEY"},
       "; to store it, run: pi-mcp secret set KEY",
       "; to store it, run: /mcp secret KEY"},
      {{.kind = Kind::store_secret_in_file, .subject = "KEY"},
       "; to store it there, run: pi-mcp secret set KEY --file",
       "; to store it there, run: /mcp secret KEY"},
      {{.kind = Kind::trust_folder, .subject = ""},
       "; to trust it, run: pi-mcp trust",
       "; to trust it, run: /mcp trust"},
  };
  for (const Told& told : all) {
    EXPECT_EQ(remedy_step(&told.remedy).said_to(Reader::shell), told.shell);
    EXPECT_EQ(remedy_step(&told.remedy).said_to(Reader::model), told.shell) << "of another host";
    EXPECT_EQ(remedy_step(&told.remedy).said_to(Reader::pi), told.pi);
  }
  EXPECT_TRUE(remedy_step(nullptr).empty());
}

TEST(Remedies, stay_with_their_error_on_its_way_up) {
  const Error below = Error(ErrorCode::unavailable, "the keyring is locked")
                          .with({.kind = Remedy::Kind::log_in, .subject = "hub"});
  const Error above = Error(below).while_doing("hub").saying("it did not start");
  EXPECT_EQ(above.code(), ErrorCode::unavailable);
  EXPECT_EQ(told(above).said_to(Reader::pi), "it did not start; to log in, run: /mcp-auth hub");
}

}  // namespace
}  // namespace pi_mcp::tool
