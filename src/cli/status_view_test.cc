#include "cli/status_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

using testing::HasSubstr;
using State = gateway::ServerStatus::State;

gateway::ServerStatus server(const std::string& name, State state, std::size_t tools) {
  gateway::ServerStatus status;
  status.name = name;
  status.state = state;
  status.tools = tools;
  return status;
}

TEST(StatusView, every_server_has_one_aligned_line) {
  gateway::ServerStatus broken = server("b", State::failed, 0);
  broken.failed_seconds_ago = 75;
  broken.reason = "program \x1b[31m\"nxp\" was\nnot found";
  const std::vector<gateway::ServerStatus> servers = {server("github", State::cached, 12),
                                                      server("files", State::connected, 1),
                                                      broken,
                                                      server("old", State::disabled, 3),
                                                      server("new", State::not_connected, 0)};
  EXPECT_EQ(status_view(servers, Style(), 80),
            "4 servers, 13 tools (1 disabled)\n"
            "\n"
            "  ○  github  12 tools  ready, starts when needed\n"
            "  ✓  files   1 tool    connected\n"
            "  ✗  b                 failed 1 min ago: program \"nxp\" was not found\n"
            "  ⊘  old     3 tools   disabled\n"
            "  ○  new               never connected\n"
            "\n"
            "pi-mcp connect new learns its tools\n");
}

TEST(StatusView, long_reasons_are_cut_to_the_terminal) {
  gateway::ServerStatus broken = server("b", State::failed, 0);
  broken.reason = std::string(200, 'x');
  const std::string view = status_view({broken}, Style(), 60);
  for (std::size_t at = 0, end = 0; (end = view.find('\n', at)) != std::string::npos;
       at = end + 1) {
    EXPECT_LE(columns_of(view.substr(at, end - at)), 60U);
  }
  EXPECT_THAT(view, HasSubstr("…"));
}

TEST(StatusView, without_servers_it_says_how_to_get_some) {
  EXPECT_THAT(status_view({}, Style(), 80), HasSubstr("pi-mcp import --all"));
  EXPECT_THAT(status_view({}, Style(), 80), HasSubstr("pi-mcp add NAME -- COMMAND"));
}

TEST(StatusView, the_next_step_fits_what_is_missing) {
  EXPECT_THAT(status_view({server("a", State::cached, 2)}, Style(), 80),
              HasSubstr("pi-mcp search WORDS finds a tool"));
  EXPECT_THAT(
      status_view({server("a", State::not_connected, 0), server("b b", State::not_connected, 0)},
                  Style(),
                  80),
      HasSubstr("pi-mcp connect --all learns the tools of 2 servers"));
}

TEST(StatusView, a_configuration_problem_is_said_instead_of_the_state) {
  gateway::ServerStatus odd = server("a", State::not_connected, 0);
  odd.reason = "has neither command nor url";
  EXPECT_THAT(status_view({odd}, Style(), 80),
              HasSubstr("  ○  a    has neither command nor url\n"));
}

}  // namespace
}  // namespace pi_mcp::cli
