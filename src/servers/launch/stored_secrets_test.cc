#include "servers/launch/stored_secrets.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/files/file.h"
#include "io/loop/loop.h"
#include "io/loop/random.h"
#include "servers/launch/launch.h"

namespace pi_mcp::servers {
namespace {

using testing::HasSubstr;
using testing::Not;

// A server "s" in a session without a desktop, whose user has stored TOKEN and PEM in the file.
class StoredSecrets : public testing::Test {
 protected:
  StoredSecrets() {
    settings.agent_dir = testing::TempDir() + "/stored-secrets-" + io::random_hex(8);
    store("planted-token");
    server.name = "s";
    server.command = "prog";
    environment.cwd = "/usr";
    environment.variables = {{"PATH", "/bin:/usr/bin"}, {"DBUS_SESSION_BUS_ADDRESS", "disabled:"}};
  }
  void TearDown() override { std::filesystem::remove_all(settings.agent_dir); }

  void store(const std::string& token) const {
    EXPECT_TRUE(io::write_file(settings.agent_dir + "/mcp-secrets.json",
                               R"({"version":1,"secrets":{"TOKEN":{"value":")" + token +
                                   R"("},"PEM":{"value":"begin-line\nsecond-line\n"}}})"));
  }
  Result<Launch> resolve() {
    return io::run(
        [this](const io::Executor&) { return resolve_launch(server, environment, settings); });
  }
  Launch launch() {
    Result<Launch> resolved = resolve();
    EXPECT_TRUE(resolved) << resolved.error().message();
    return resolved ? *std::move(resolved) : Launch();
  }
  Error refusal() {
    const Result<Launch> resolved = resolve();
    return resolved ? Error(ErrorCode::io, "resolved") : resolved.error();
  }

  config::Server server;
  config::Environment environment;
  config::Settings settings;
};

TEST_F(StoredSecrets, are_put_into_what_is_started_and_into_no_other_variable) {
  server.args = {"--key=${keyring:TOKEN}"};
  server.env = {{"A", "Bearer ${keyring:TOKEN}"}};
  const Launch started = launch();
  EXPECT_EQ(started.args.at(0), "--key=planted-token");
  EXPECT_EQ(started.env.at("A"), "Bearer planted-token");
  EXPECT_EQ(started.env.size(), 3U) << "A and the two of the session";
}

TEST_F(StoredSecrets, are_put_into_what_is_reached) {
  server.command.reset();
  server.url = "https://e.example/${keyring:TOKEN}";
  server.headers = {{"X-Key", "${keyring:TOKEN}"}};
  server.bearer_token = "${keyring:TOKEN}";
  const Launch reached = launch();
  EXPECT_EQ(reached.remote->url, "https://e.example/planted-token");
  EXPECT_EQ(reached.remote->headers.at("X-Key"), "planted-token");
  EXPECT_EQ(reached.remote->headers.at("Authorization"), "Bearer planted-token");
  server.bearer_token.reset();
  server.oauth = config::OAuth{};
  server.oauth->texts = {{"clientId", "me"}, {"clientSecret", "${keyring:TOKEN}"}};
  server.oauth->authorization_params = {{"audience", "${keyring:TOKEN}"}};
  const Launch login = launch();
  EXPECT_EQ(login.remote->access->settings.client_secret, "planted-token");
  EXPECT_EQ(login.remote->access->settings.authorization_params.at("audience"), "planted-token");
}

TEST_F(StoredSecrets, are_hidden_wherever_they_stand_and_part_of_the_key) {
  server.args = {"${keyring:TOKEN}", "${keyring:PEM}"};
  const Launch first = launch();
  EXPECT_EQ(first.secrets.hidden_in("a planted-token, and second-line"), "a ***, and ***");
  store("another-token");
  EXPECT_NE(launch().key(), first.key());
  EXPECT_THAT(first.key(), Not(HasSubstr("planted")));
}

TEST_F(StoredSecrets, a_value_is_never_read_as_a_reference_or_a_command) {
  store("!echo ${PATH}");
  server.env = {{"A", "${keyring:TOKEN}"}};
  EXPECT_EQ(launch().env.at("A"), "!echo ${PATH}");
}

TEST_F(StoredSecrets, one_that_cannot_be_had_is_an_error_that_says_what_to_do) {
  server.env = {{"A", "${keyring:GONE}"}};
  EXPECT_EQ(refusal().code(), ErrorCode::unavailable);
  EXPECT_EQ(refusal().message(),
            "s: env A uses the secret GONE, which cannot be read: the keyring cannot be "
            "used: there is no desktop session here (DBUS_SESSION_BUS_ADDRESS is not set); unlock "
            "it, or store the secret in a file that only you can read");
  ASSERT_TRUE(refusal().remedy());
  EXPECT_EQ(*refusal().remedy(),
            (Remedy{.kind = Remedy::Kind::store_secret_in_file, .subject = "GONE"}));
  server.env = {{"A", "${keyring:not a name}"}};
  EXPECT_EQ(refusal().code(), ErrorCode::invalid_argument);
  EXPECT_THAT(refusal().message(), HasSubstr("s: env A has ${keyring:...} with something else"));
}

TEST_F(StoredSecrets, the_file_of_another_host_gets_none) {
  server.env = {{"A", "${keyring:TOKEN}"}};
  server.origins["env"] = {.path = "/theirs", .import_kind = "cursor", .project = false};
  EXPECT_EQ(refusal().code(), ErrorCode::invalid_argument);
  EXPECT_THAT(refusal().message(), HasSubstr("this entry is one of cursor"));
  server.origins["env"].import_kind.clear();
  EXPECT_EQ(launch().env.at("A"), "planted-token");
}

TEST_F(StoredSecrets, a_server_of_a_project_gets_none_before_it_is_trusted) {
  server.args = {"${keyring:TOKEN}"};
  server.standing = config::Standing::needs_trust;
  EXPECT_EQ(refusal().code(), ErrorCode::unauthorized);
  server.standing = config::Standing::project;
  EXPECT_EQ(launch().args.at(0), "planted-token");
}

}  // namespace
}  // namespace pi_mcp::servers
