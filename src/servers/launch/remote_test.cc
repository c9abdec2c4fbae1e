#include "servers/launch/remote.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/loop.h"

namespace pi_mcp::servers {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

// A server "s" behind a url and the session that reaches it.
class ResolveRemote : public testing::Test {
 protected:
  ResolveRemote() {
    server.name = "s";
    server.url = "https://example.com/mcp";
    environment.variables = {{"PATH", "/bin:/usr/bin"}, {"TOKEN", "t-secret"}, {"EMPTY", ""}};
    environment.home = "/home/u";
    environment.cwd = "/srv";
  }

  Result<Launch> resolve() {
    return io::run(
        [this](const io::Executor&) { return resolve_launch(server, environment, settings); });
  }
  RemoteLaunch remote() {
    const Result<Launch> launch = resolve();
    EXPECT_TRUE(launch) << launch.error().message();
    return launch && launch->remote ? *launch->remote : RemoteLaunch();
  }
  std::string refusal() {
    const Result<Launch> launch = resolve();
    return launch ? "resolved" : launch.error().message();
  }
  std::string key() {
    const Result<Launch> launch = resolve();
    return launch ? launch->key() : launch.error().message();
  }

  config::Server server;
  config::Environment environment;
  config::Settings settings;
};

TEST_F(ResolveRemote, url_and_headers_are_interpolated) {
  server.url = "https://${HOST:-example.com}/mcp";
  server.headers = {{"X-Key", "${TOKEN}"}, {"X-Run", "!printf '%s ' out"}, {"X-Not", "!!x"}};
  const RemoteLaunch launch = remote();
  EXPECT_EQ(launch.url, "https://example.com/mcp");
  EXPECT_THAT(
      launch.headers,
      UnorderedElementsAre(Pair("X-Key", "t-secret"), Pair("X-Run", "out"), Pair("X-Not", "!x")));
}

TEST_F(ResolveRemote, a_missing_variable_is_an_error_that_names_it) {
  server.url = "https://${NOPE}/mcp";
  EXPECT_THAT(refusal(), HasSubstr("s: url uses the variable NOPE, which is not set"));
  server.url = "https://example.com/mcp";
  server.headers = {{"X-Team", "${NOPE}"}};
  EXPECT_THAT(refusal(), HasSubstr("s: header X-Team uses the variable NOPE, which is not set"));
  server.headers.clear();
  server.bearer_token_env = "NOPE";
  EXPECT_EQ(refusal(), "s: bearerTokenEnv names the variable NOPE, which is not set; set it");
  server.bearer_token_env = "EMPTY";
  EXPECT_THAT(refusal(), HasSubstr("EMPTY"));
}

TEST_F(ResolveRemote, a_bearer_token_replaces_a_configured_authorization) {
  server.headers = {{"authorization", "Basic x"}, {"X-A", "1"}};
  server.bearer_token = "${TOKEN}";
  EXPECT_THAT(remote().headers,
              UnorderedElementsAre(Pair("Authorization", "Bearer t-secret"), Pair("X-A", "1")));
  server.bearer_token.reset();
  server.bearer_token_env = "TOKEN";
  EXPECT_THAT(remote().headers, testing::Contains(Pair("Authorization", "Bearer t-secret")));
}

TEST_F(ResolveRemote, the_command_of_a_bearer_token_is_left_to_the_connection) {
  server.headers = {{"authorization", "Basic x"}};
  server.bearer_token = "!printf command";
  RemoteLaunch launch = remote();
  EXPECT_THAT(launch.headers, testing::IsEmpty());
  ASSERT_TRUE(launch.token_command);
  EXPECT_THAT(launch.token_command->args, testing::ElementsAre("-c", "printf command"));
  EXPECT_EQ(launch.token_command->env.at("TOKEN"), "t-secret");
  EXPECT_EQ(launch.token_command->cwd, "/srv");
  EXPECT_EQ(launch.token_ttl, Milliseconds(300'000));
  environment.variables["PI_MCP_ADAPTER_BEARER_COMMAND_TTL_MS"] = "1500";
  EXPECT_EQ(remote().token_ttl, Milliseconds(1500));
  environment.variables["PI_MCP_ADAPTER_BEARER_COMMAND_TTL_MS"] = "soon";
  EXPECT_EQ(remote().token_ttl, Milliseconds(300'000));
  server.bearer_token = "!!printf";
  EXPECT_THAT(remote().headers, testing::Contains(Pair("Authorization", "Bearer !printf")));
}

TEST_F(ResolveRemote, a_command_for_headers_is_resolved_and_must_name_a_program) {
  server.request_headers_command = config::RequestHeadersCommand{
      .command = "bin/${NAME:-sign}", .args = {"--key", "${TOKEN}"}, .env = {{"A", "${TOKEN}"}}};
  const RemoteLaunch launch = remote();
  ASSERT_TRUE(launch.headers_command);
  EXPECT_EQ(launch.headers_command->program, "/srv/bin/sign");
  EXPECT_THAT(launch.headers_command->args, testing::ElementsAre("--key", "t-secret"));
  EXPECT_EQ(launch.headers_command->env.at("A"), "t-secret");
  EXPECT_EQ(launch.headers_command->env.at("PATH"), "/bin:/usr/bin");
  EXPECT_FALSE(launch.access) << "it shows who we are";
  server.request_headers_command->args = {"${NOPE}"};
  EXPECT_THAT(refusal(),
              HasSubstr("s: requestHeadersCommand.args[0] uses the variable NOPE, which is not "
                        "set"));
  server.request_headers_command = config::RequestHeadersCommand{};
  EXPECT_EQ(refusal(), "s: its requestHeadersCommand names no program; give it a \"command\"");
}

TEST_F(ResolveRemote, what_cannot_be_sent_or_reached_is_refused_without_repeating_it) {
  server.headers = {{"X-A", "${BREAK}"}};
  environment.variables["BREAK"] = "t-secret\nX-B: 1";
  EXPECT_THAT(refusal(), HasSubstr("the header X-A cannot be sent"));
  EXPECT_THAT(refusal(), Not(HasSubstr("t-secret")));
  server.headers.clear();
  server.url = "ftp://t-secret/";
  EXPECT_EQ(refusal(), "s: the url does not begin with http:// or https://; correct \"url\"");
  server.url = "http://example.com/";
  server.ca_file = "ca.pem";
  EXPECT_THAT(refusal(), HasSubstr("caFile is for https:// addresses"));
}

TEST_F(ResolveRemote, the_ca_file_is_found_from_the_folder_of_the_session) {
  server.ca_file = "ca.pem";
  EXPECT_EQ(remote().ca_file, "/srv/ca.pem");
  server.ca_file = "~/ca.pem";
  EXPECT_EQ(remote().ca_file, "/home/u/ca.pem");
}

TEST_F(ResolveRemote, everything_that_decides_what_is_reached_is_in_the_launch_key) {
  std::vector<std::string> keys{key()};
  server.url = "https://example.com/other";
  keys.push_back(key());
  server.headers = {{"X-A", "1"}};
  keys.push_back(key());
  server.bearer_token = "x";
  keys.push_back(key());
  server.bearer_token = "!printf x";
  keys.push_back(key());
  server.request_headers_command =
      config::RequestHeadersCommand{.command = "sign", .args = {}, .env = {}};
  keys.push_back(key());
  server.request_headers_command->env = {{"A", "1"}};
  keys.push_back(key());
  server.ca_file = "/ca.pem";
  keys.push_back(key());
  server.http_transport = config::HttpTransport::sse;
  keys.push_back(key());
  environment.variables["HTTPS_PROXY"] = "http://p:1";
  keys.push_back(key());
  server.url.reset();
  server.socket = "/run/s";
  keys.push_back(key());
  const std::set<std::string> different(keys.begin(), keys.end());
  EXPECT_EQ(different.size(), keys.size());
  environment.variables["OTHER"] = "of no interest";
  EXPECT_EQ(key(), keys.back());
}

TEST_F(ResolveRemote, a_principal_has_logins_of_its_own_and_what_is_configured_is_everybodys) {
  settings.auto_auth = true;
  settings.agent_dir = "/home/u/agent";
  const RemoteLaunch users = remote();
  EXPECT_EQ(users.access->principal, "");
  EXPECT_TRUE(users.access->may_ask);
  settings.principal = "1f";
  const RemoteLaunch theirs = remote();
  EXPECT_EQ(theirs.access->principal, "1f");
  EXPECT_EQ(theirs.access->agent_dir, "/home/u/agent");
  EXPECT_FALSE(theirs.access->may_ask) << "the browser of this machine is the user's";
  server.bearer_token = "${TOKEN}";
  EXPECT_THAT(remote().headers, UnorderedElementsAre(Pair("Authorization", "Bearer t-secret")));
}

TEST_F(ResolveRemote, a_socket_has_an_absolute_path) {
  server.url.reset();
  server.socket = "run/${NAME:-s}.sock";
  const Result<Launch> launch = resolve();
  ASSERT_TRUE(launch) << launch.error().message();
  EXPECT_EQ(launch->socket, "/srv/run/s.sock");
}

}  // namespace
}  // namespace pi_mcp::servers
