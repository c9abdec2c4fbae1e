#include "io/process/terminal.h"

#include <fcntl.h>

#include <gtest/gtest.h>

#include "io/files/fd.h"

namespace pi_mcp::io {
namespace {

TEST(Terminal, a_file_is_no_terminal_and_gets_no_colour) {
  const Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_FALSE(is_terminal(nothing.get()));
  EXPECT_FALSE(colour_wanted(nothing.get(), {}));
  EXPECT_EQ(terminal_columns(nothing.get(), {}), 80U);
  EXPECT_EQ(terminal_columns(nothing.get(), {{"COLUMNS", "120"}}), 120U);
  EXPECT_EQ(terminal_columns(nothing.get(), {{"COLUMNS", "wide"}}), 80U);
}

TEST(Terminal, colour_can_be_forced_and_forbidden) {
  const Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_TRUE(colour_wanted(nothing.get(), {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", ""}}));
  EXPECT_FALSE(colour_wanted(nothing.get(), {{"CLICOLOR_FORCE", "0"}}));
  EXPECT_FALSE(colour_wanted(nothing.get(), {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}));
}

TEST(Terminal, a_terminal_gets_colour_unless_it_is_dumb) {
  const Fd terminal(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(terminal.is_open());
  EXPECT_TRUE(colour_wanted(terminal.get(), {{"TERM", "xterm"}}));
  EXPECT_FALSE(colour_wanted(terminal.get(), {{"TERM", "dumb"}}));
  EXPECT_FALSE(colour_wanted(terminal.get(), {{"TERM", ""}}));
  EXPECT_FALSE(colour_wanted(terminal.get(), {}));
  EXPECT_FALSE(is_capable_terminal(terminal.get(), {{"TERM", "dumb"}, {"CLICOLOR_FORCE", "1"}}));
  EXPECT_TRUE(is_capable_terminal(terminal.get(), {{"TERM", "xterm"}, {"NO_COLOR", "1"}}));
}

}  // namespace
}  // namespace pi_mcp::io
