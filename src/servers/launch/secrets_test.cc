#include "servers/launch/secrets.h"

#include <gtest/gtest.h>

#include "io/loop/loop.h"

namespace pi_mcp::servers {
namespace {

// A server "s" and the session that starts it.
class LaunchSecrets : public testing::Test {
 protected:
  LaunchSecrets() {
    server.name = "s";
    server.command = "prog";
    environment.variables = {{"PATH", "/bin:/usr/bin"}};
    environment.home = "/home/u";
    environment.cwd = "/usr";
  }

  // What is left of `text` in a message.
  std::string shown(const std::string& text) {
    const Result<Launch> launch =
        io::run([this](const io::Executor&) { return resolve_launch(server, environment, {}); });
    return launch ? launch->secrets.hidden_in(text) : launch.error().message();
  }

  config::Server server;
  config::Environment environment;
};

TEST_F(LaunchSecrets, what_a_command_printed_is_hidden_whatever_it_is_called) {
  server.env = {{"REGION", "!printf 'south-7\\n/tmp/second-line'"}};
  EXPECT_EQ(shown("in south-7, at /tmp/second-line"), "in ***, at ***");
}

TEST_F(LaunchSecrets, variables_are_hidden_where_they_were_put_in) {
  environment.variables["WORD"] = "open-sesame";
  EXPECT_EQ(shown("say open-sesame"), "say open-sesame") << "nobody configured it";
  server.env = {{"GREETING", "say ${WORD} ${UNSET:-default-text}"}};
  EXPECT_EQ(shown("say open-sesame default-text"), "say *** default-text");
  server.literal_env = true;
  EXPECT_EQ(shown("say open-sesame"), "say open-sesame");
}

TEST_F(LaunchSecrets, paths_and_short_values_are_shown) {
  environment.variables["FOLDER"] = "/srv/data";
  environment.variables["LEVEL"] = "debug";
  server.env = {{"ROOT", "${FOLDER}/x"}, {"LOG", "${LEVEL}"}};
  EXPECT_EQ(shown("debug: /srv/data/x"), "debug: /srv/data/x");
}

TEST_F(LaunchSecrets, names_and_looks_count_for_every_variable_of_the_child) {
  environment.variables["SERVICE_TOKEN"] = "inherited-text";
  environment.variables["SSH_AUTH_SOCK"] = "/run/agent.sock";
  environment.variables["ANY"] = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
  environment.variables["DATABASE"] = "postgres://me:pass-of-me@db/x";
  server.env = {{"API_KEY", "/configured+text"}};
  EXPECT_EQ(shown("inherited-text /run/agent.sock /configured+text pass-of-me "
                  "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
            "*** /run/agent.sock *** *** ***");
}

TEST_F(LaunchSecrets, of_arguments_variables_that_are_called_like_a_secret_are_hidden) {
  environment.variables["SERVICE_TOKEN"] = "token-text";
  environment.variables["HOST"] = "example.com";
  server.inherit_env = false;
  server.args = {"--key=${SERVICE_TOKEN}", "${HOST}"};
  EXPECT_EQ(shown("prog --key=token-text example.com"), "prog --key=*** example.com");
}

TEST_F(LaunchSecrets, of_a_remote_server_headers_and_the_url_behind_its_host_are_hidden) {
  environment.variables["TEAM"] = "team-text";
  server.command.reset();
  server.url = "https://me:pass-of-me@example.com/mcp?key=query-text";
  server.headers = {{"X-Team", "${TEAM}"}};
  server.bearer_token = "bearer-text";
  EXPECT_EQ(shown("example.com me:pass-of-me query-text team-text bearer-text"),
            "example.com *** *** *** ***");
}

}  // namespace
}  // namespace pi_mcp::servers
