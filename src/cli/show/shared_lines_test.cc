#include "cli/show/shared_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

using servers::PartedBy;
using testing::ElementsAre;

TEST(SharedLines, say_who_shares_the_process_and_what_each_uses) {
  const tool::SharedView view{
      .process_id = 7,
      .sessions = {{.client = "pi 1.0",
                    .folder = "/srv/a",
                    .age = std::chrono::minutes(61),
                    .servers = {"files", "we\nb"}},
                   {.client = "", .folder = "/srv/b", .age = std::chrono::hours(3), .servers = {}}},
      .resting = {"browser"},
      .copies = {}};
  EXPECT_EQ(sessions_text(view),
            "Shared process 7: 2 sessions\n"
            "  pi 1.0 in /srv/a, for 61 minutes: files, we b\n"
            "  a host in /srv/b, for 3 hours\n"
            "  kept for the next command: browser\n");
  EXPECT_EQ(sessions_text({.process_id = 7, .sessions = {}, .resting = {}, .copies = {}}),
            "Shared process 7: no session\n");
}

TEST(SharedLines, have_room_for_a_client_that_says_much_of_itself) {
  const std::string text = sessions_text(
      {.process_id = 7,
       .sessions = {{.client = std::string(5000, 'x'), .folder = "/a", .age = {}, .servers = {}}},
       .resting = {},
       .copies = {}});
  EXPECT_LT(text.size(), 150U) << text;
  EXPECT_THAT(text, testing::HasSubstr("… in /a, for less than a minute"));
}

TEST(SharedLines, say_what_parts_copies_and_what_joins_them) {
  EXPECT_THAT(copies_lines({.server = "files",
                            .count = 2,
                            .parted_by = {{.by = PartedBy::folder},
                                          {.by = PartedBy::variable, .name = "TOKEN"}},
                            .join = R"("share": "user")"}),
              ElementsAre("2 copies run, parted by the folder and the variable TOKEN",
                          R"("share": "user" in its entry makes them one)"));
  EXPECT_THAT(copies_lines({.server = "files", .count = 3, .parted_by = {{.by = PartedBy::umask}}}),
              ElementsAre("3 copies run, parted by the umask"));
}

TEST(SharedLines, name_the_first_of_many_variables) {
  servers::Copies copies{.server = "files", .count = 2, .parted_by = {}};
  for (const char* const name : {"A", "B", "C", "D", "E", "F"}) {
    copies.parted_by.push_back({.by = PartedBy::variable, .name = name});
  }
  EXPECT_EQ(
      copies_lines(copies).front(),
      "2 copies run, parted by the variable A, the variable B, the variable C, the variable D "
      "and 2 more");
}

}  // namespace
}  // namespace pi_mcp::cli
