#include "cli/show/status_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/count_text.h"
#include "base/text.h"

namespace pi_mcp::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using State = servers::ServerStatus::State;

servers::ServerStatus server(const std::string& name, State state, std::size_t tools) {
  servers::ServerStatus status;
  status.name = name;
  status.state = state;
  status.tools = tools;
  return status;
}

RunningServer running(const std::string& name) {
  RunningServer found;
  found.status = server(name, State::connected, 7);
  found.status.process_id = 4711;
  found.status.connected_seconds = 7300;
  found.owner = 4000;
  found.client = "claude-code 2.1.0";
  found.cwd = "/srv/project";
  found.use = io::TreeUse{.processes = 3, .memory_bytes = std::size_t{84} << 20U};
  return found;
}

TEST(StatusView, every_server_has_an_aligned_row_and_trouble_a_line_of_its_own) {
  servers::ServerStatus broken = server("b", State::failed, 0);
  broken.failed_seconds_ago = 75;
  broken.reason = "program \x1b[31m\"nxp\" was\nnot found";
  const std::vector<servers::ServerStatus> servers = {server("github", State::cached, 12),
                                                      broken,
                                                      server("old", State::disabled, 3),
                                                      server("new", State::not_connected, 0)};
  EXPECT_EQ(status_view(servers, {}, {}, Style(), 80),
            "3 servers, 12 tools (1 disabled)\n"
            "\n"
            "     server  state       tools\n"
            "  ○  github  ready          12\n"
            "  ✗  b       failed\n"
            "       1 min ago: program \"nxp\" was not found\n"
            "  ⊘  old     disabled        3\n"
            "  ○  new     never used\n"
            "\n"
            "pi-mcp logs b shows its last words\n");
}

TEST(StatusView, servers_of_other_processes_are_shown_with_what_they_take) {
  RunningServer again = running("files");
  again.status.restarts = 2;
  again.status.last_error = "killed by SIGKILL";
  again.status.last_error_seconds_ago = 5;
  RunningServer theirs = running("theirs");
  theirs.status.process_id = 4712;
  EXPECT_EQ(
      status_view({server("github", State::cached, 12), server("files", State::cached, 7)},
                  {again, theirs},
                  {},
                  Style(),
                  100),
      "2 servers, 19 tools, 2 running\n"
      "\n"
      "     server  state      tools  process  memory  up   for\n"
      "  ○  github  ready         12\n"
      "  ✓  files   connected      7     4711   84 MB  2 h  claude-code 2.1.0\n"
      "       restarted 2 times; 5 s ago: killed by SIGKILL\n"
      "  ✓  theirs  connected      7     4712   84 MB  2 h  claude-code 2.1.0 in /srv/project\n"
      "\n"
      "pi-mcp search WORDS finds a tool\n");
}

TEST(StatusView, the_first_line_counts_what_the_rows_show) {
  const std::string view =
      status_view({server("files", State::cached, 3), server("off", State::disabled, 4)},
                  {running("files"), running("off")},
                  {},
                  Style(),
                  80);
  EXPECT_THAT(view, HasSubstr("2 servers, 14 tools, 1 running\n"));
}

TEST(StatusView, a_server_that_two_processes_run_has_two_rows) {
  RunningServer second = running("files");
  second.status.process_id = 4712;
  const std::string view =
      status_view({server("files", State::cached, 7)}, {running("files"), second}, {}, Style(), 80);
  EXPECT_NE(view.find("✓  files"), view.rfind("✓  files"));
  EXPECT_THAT(view, HasSubstr("2 running"));
  EXPECT_THAT(view, Not(HasSubstr("○")));
}

TEST(StatusView, a_process_that_sessions_share_is_one_row) {
  RunningServer codex = running("files");
  codex.client = "codex 1.0";
  EXPECT_EQ(
      status_view({server("files", State::cached, 7)},
                  {running("files"), codex, running("files")},
                  {},
                  Style(),
                  100),
      "1 server, 7 tools, 1 running\n"
      "\n"
      "     server  state      tools  process  memory  up   for\n"
      "  ✓  files   connected      7     4711   84 MB  2 h  claude-code 2.1.0 (2), codex 1.0\n"
      "\n"
      "pi-mcp search WORDS finds a tool\n");
}

TEST(StatusView, of_two_entries_that_are_one_process_the_second_says_so) {
  EXPECT_EQ(status_view({server("files", State::cached, 7), server("again", State::cached, 7)},
                        {running("files"), running("again")},
                        {},
                        Style(),
                        80),
            "2 servers, 14 tools, 1 running\n"
            "\n"
            "     server  state      tools  process  memory  up   for\n"
            "  ✓  files   connected      7     4711   84 MB  2 h  claude-code 2.1.0\n"
            "  ✓  again   connected      7     4711          2 h  claude-code 2.1.0\n"
            "       the same process as files: their entries start the same\n"
            "\n"
            "pi-mcp search WORDS finds a tool\n");
}

TEST(StatusView, a_server_that_failed_elsewhere_says_so_here) {
  RunningServer failed = running("files");
  failed.status.state = State::failed;
  failed.status.reason = "exited with status 1";
  failed.status.failed_seconds_ago = 4;
  const std::string view =
      status_view({server("files", State::cached, 7)}, {failed}, {}, Style(), 80);
  EXPECT_THAT(view, HasSubstr("✗  files"));
  EXPECT_THAT(view, HasSubstr("4 s ago: exited with status 1\n"));
  EXPECT_THAT(view, HasSubstr("pi-mcp logs files shows its last words"));
}

TEST(StatusView, a_server_that_was_used_and_stopped_again_is_ready) {
  RunningServer idle = running("files");
  idle.status.state = State::cached;
  EXPECT_THAT(status_view({server("files", State::cached, 7)}, {idle}, {}, Style(), 80),
              HasSubstr("○  files"));
}

TEST(StatusView, no_line_is_longer_than_the_terminal) {
  servers::ServerStatus broken = server(std::string(50, 'b'), State::failed, 0);
  broken.reason = std::string(200, 'x');
  RunningServer other = running("a-server-with-a-long-name");
  for (const std::size_t columns : {40U, 60U, 61U, 70U, 80U, 100U}) {
    const std::string view = status_view({broken}, {other}, {}, Style(), columns);
    for (const std::string_view line : text::split(view, '\n')) {
      EXPECT_LE(columns_of(line), columns) << view;
    }
    EXPECT_THAT(view, HasSubstr("…"));
    EXPECT_THAT(view, HasSubstr("connected"));
  }
  EXPECT_THAT(status_view({broken}, {other}, {}, Style(), 60), HasSubstr("84 MB"));
}

TEST(StatusView, under_a_server_that_runs_twice_stands_what_parts_the_copies) {
  RunningServer other = running("files");
  other.status.process_id = 4712;
  other.cwd = "/srv/other";
  const std::vector<servers::Copies> copies = {{.server = "files",
                                                .count = 2,
                                                .parted_by = {{.by = servers::PartedBy::folder}},
                                                .join = R"("share": "user")"},
                                               {.server = "gone", .count = 2, .parted_by = {}}};
  const std::string view = status_view(
      {server("files", State::cached, 7)}, {running("files"), other}, copies, Style(), 80);
  EXPECT_THAT(view,
              HasSubstr("\n       2 copies run, parted by the folder\n"
                        "       \"share\": \"user\" in its entry makes them one\n\n"));
  EXPECT_THAT(view, Not(HasSubstr("gone")));
}

TEST(StatusView, without_servers_it_says_how_to_get_some) {
  EXPECT_THAT(status_view({}, {}, {}, Style(), 80), HasSubstr("pi-mcp setup"));
  EXPECT_THAT(status_view({}, {}, {}, Style(), 80), HasSubstr("pi-mcp add NAME -- COMMAND"));
}

TEST(StatusView, the_next_step_fits_what_is_missing) {
  EXPECT_THAT(status_view({server("a", State::cached, 2)}, {}, {}, Style(), 80),
              HasSubstr("pi-mcp search WORDS finds a tool"));
  EXPECT_THAT(
      status_view({server("a", State::not_connected, 0), server("b b", State::not_connected, 0)},
                  {},
                  {},
                  Style(),
                  80),
      HasSubstr("pi-mcp connect --all learns the tools of 2 servers"));
}

TEST(StatusView, without_a_width_nothing_is_left_out_or_cut) {
  RunningServer wide = running(std::string(90, 'n'));
  wide.client = std::string(200, 'c');
  wide.status.state = State::failed;
  wide.status.reason = std::string(300, 'r');
  const std::string view = status_view(
      {server(wide.status.name, State::cached, 7)}, {wide}, {}, Style(), std::string::npos);
  EXPECT_THAT(view, HasSubstr(wide.status.name));
  EXPECT_THAT(view, HasSubstr(wide.client));
  EXPECT_THAT(view, HasSubstr(wide.status.reason));
}

TEST(StatusView, a_configuration_problem_is_said) {
  servers::ServerStatus odd = server("a", State::not_connected, 0);
  odd.reason = "has neither command nor url";
  EXPECT_THAT(status_view({odd}, {}, {}, Style(), 80),
              HasSubstr("  ○  a       wrong\n       has neither command nor url\n"));
}

TEST(StatusView, ages_and_sizes_are_short) {
  EXPECT_EQ(text::age_text(0) + ", " + text::age_text(61) + ", " + text::age_text(7199) + ", " +
                text::age_text(172'800),
            "0 s, 1 min, 1 h, 2 d");
  EXPECT_EQ(memory_text(0) + ", " + memory_text(std::size_t{9} << 20U) + ", " +
                memory_text(std::size_t{2000} << 20U),
            "0.0 MB, 9.0 MB, 2000 MB");
}

}  // namespace
}  // namespace pi_mcp::cli
