#include "servers/launch/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "io/loop/loop.h"
#include "servers/launch/host_remedy.h"

namespace pi_mcp::servers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A server "s" and the session that starts it; what is logged on the way.
class ResolveLaunch : public testing::Test {
 protected:
  ResolveLaunch() {
    server.name = "s";
    server.command = "prog";
    environment.variables = {{"PATH", "/bin:/usr/bin"}, {"HOME", "/home/u"}, {"SET", "value"}};
    environment.home = "/home/u";
    environment.cwd = "/usr";
    log::set_sink([this](log::Level, std::string_view text) { logged.emplace_back(text); });
  }
  void TearDown() override { log::set_sink(nullptr); }

  Result<Launch> resolve() {
    return io::run(
        [this](const io::Executor&) { return resolve_launch(server, environment, settings); });
  }
  Launch launch() {
    Result<Launch> resolved = resolve();
    EXPECT_TRUE(resolved) << resolved.error().message();
    return resolved ? *std::move(resolved) : Launch();
  }
  std::string refusal(ErrorCode code = ErrorCode::invalid_argument) {
    const Result<Launch> resolved = resolve();
    if (resolved) {
      return "resolved";
    }
    EXPECT_EQ(resolved.error().code(), code);
    return resolved.error().message();
  }

  config::Server server;
  config::Environment environment;
  config::Settings settings;
  std::vector<std::string> logged;
};

TEST_F(ResolveLaunch, refuses_a_server_that_cannot_be_started) {
  server.problem = "server \"s\": \"command\" is empty; correct it in /f";
  EXPECT_EQ(refusal(), *server.problem);
  server.problem.reset();
  server.command.reset();
  EXPECT_EQ(
      refusal(),
      "s: it has nothing to start or to reach; add \"command\" or \"url\" to its configuration");
  server.command = "${UNSET}";
  EXPECT_EQ(refusal(), "s: its command is empty once variables are replaced");
}

TEST_F(ResolveLaunch, a_missing_variable_in_a_secret_is_an_error_that_names_it) {
  for (const char* name :
       {"GITHUB_TOKEN", "apiKey", "Client_Secret", "DB_PASSWORD", "AUTH_HEADER"}) {
    server.env = {{name, "Bearer ${UNSET}"}};
    EXPECT_EQ(refusal(),
              "s: env " + std::string(name) +
                  " uses the variable UNSET, which is not set; set it, or give a default: "
                  "${UNSET:-...}");
  }
  server.env = {{"GITHUB_TOKEN", "${UNSET:-anonymous}"}};
  EXPECT_EQ(launch().env["GITHUB_TOKEN"], "anonymous");
}

TEST_F(ResolveLaunch, what_a_host_keeps_back_is_said_with_its_own_remedy) {
  server.env = {{"API_TOKEN", "${FOO_TOKEN}"}, {"OTHER", "${SET} ${WITH:-default}"}};
  server.bearer_token_env = "BAR";
  const std::vector<std::string> missing = missing_variables(server, environment);
  EXPECT_THAT(missing, ElementsAre("BAR", "FOO_TOKEN"));
  EXPECT_THAT(host_remedy("codex-mcp-client", missing),
              HasSubstr(R"(Codex does not pass it on: put env_vars = ["BAR", "FOO_TOKEN"] under )"
                        "[mcp_servers.pi-mcp] in ~/.codex/config.toml"));
  EXPECT_THAT(host_remedy("gemini-cli-mcp-client", {"FOO"}),
              HasSubstr(R"(put "env": {"FOO": "$FOO"} in the entry of pi-mcp)"));
  EXPECT_THAT(host_remedy("claude-code", {"FOO"}), HasSubstr(R"("env": {"FOO": "${FOO}"})"));
  EXPECT_THAT(host_remedy("some-host", {"FOO"}), HasSubstr("the host does not pass it on"));
  EXPECT_EQ(host_remedy("pi", {"FOO"}), "");
  EXPECT_EQ(host_remedy("", {"FOO"}), "");
  EXPECT_EQ(host_remedy("codex-mcp-client", {}), "");
}

TEST_F(ResolveLaunch, a_missing_variable_elsewhere_is_a_warning_said_once) {
  server.name = "warned";
  server.args = {"--level", "${LEVEL_UNSET}"};
  server.env = {{"MODE", "x${LEVEL_UNSET}y"}};
  for (int i = 0; i < 3; ++i) {
    const Launch resolved = launch();
    EXPECT_THAT(resolved.args, ElementsAre("--level", ""));
    EXPECT_EQ(resolved.env.at("MODE"), "xy");
  }
  EXPECT_THAT(logged,
              ElementsAre("server warned: args[1] uses the variable LEVEL_UNSET, which is not set "
                          "and counts as empty",
                          "server warned: env MODE uses the variable LEVEL_UNSET, which is not set "
                          "and counts as empty"));
}

TEST_F(ResolveLaunch, replaces_variables_everywhere) {
  server.command = "${SET}-prog";
  server.args = {"$env:SET", "{env:SET}", "plain"};
  server.env = {{"A", "${SET}"}, {"SET", "overlaid"}};
  server.cwd = "${HOME_DIR:-/tmp}";
  const Launch resolved = launch();
  EXPECT_EQ(resolved.command, "value-prog");
  EXPECT_THAT(resolved.args, ElementsAre("value", "value", "plain"));
  EXPECT_EQ(resolved.env.at("A"), "value");
  EXPECT_EQ(resolved.env.at("SET"), "overlaid") << "configured variables win";
  EXPECT_EQ(resolved.env.at("PATH"), "/bin:/usr/bin") << "the rest is inherited";
  EXPECT_EQ(resolved.cwd, "/tmp");
}

TEST_F(ResolveLaunch, literal_values_are_left_alone) {
  server.literal_env = true;
  server.env = {{"TOKEN", "${UNSET}"}, {"B", "!echo x"}};
  const Launch resolved = launch();
  EXPECT_EQ(resolved.env.at("TOKEN"), "${UNSET}");
  EXPECT_EQ(resolved.env.at("B"), "!echo x");
}

TEST_F(ResolveLaunch, without_inheritance_only_safe_variables_pass) {
  environment.variables["LC_ALL"] = "C";
  environment.variables["AWS_SECRET"] = "x";
  server.inherit_env = false;
  server.env = {{"MINE", "1"}};
  const Launch resolved = launch();
  EXPECT_EQ(resolved.env,
            (std::map<std::string, std::string>{
                {"HOME", "/home/u"}, {"LC_ALL", "C"}, {"MINE", "1"}, {"PATH", "/bin:/usr/bin"}}));
}

TEST_F(ResolveLaunch, paths_are_against_the_folder_of_the_session) {
  server.command = "./bin/tool";
  server.cwd = "bin";
  const Launch resolved = launch();
  EXPECT_EQ(resolved.command, "/usr/bin/tool") << "not against its own cwd";
  EXPECT_EQ(resolved.cwd, "/usr/bin");
  server.command = "~/tool";
  server.cwd.reset();
  EXPECT_EQ(launch().command, "/home/u/tool");
  EXPECT_EQ(launch().cwd, "/usr");
  server.command = "npx";
  EXPECT_EQ(launch().command, "npx") << "left to PATH";
}

TEST_F(ResolveLaunch, a_folder_that_does_not_exist_is_named) {
  server.cwd = "nowhere";
  EXPECT_EQ(refusal(),
            "s: its cwd \"/usr/nowhere\" is not an existing folder; correct \"cwd\" or make it");
}

TEST_F(ResolveLaunch, refuses_what_no_process_can_be_given) {
  server.args = {std::string("a\0b", 3)};
  EXPECT_EQ(refusal(), "s: args[0] contains a zero byte");
  server.args.clear();
  server.env = {{"A=B", "x"}};
  EXPECT_EQ(refusal(), "s: env \"A=B\" is not the name of a variable");
}

TEST_F(ResolveLaunch, secrets_come_from_commands) {
  server.env = {{"TOKEN", "!printf ' s3cret\\n'"}, {"LITERAL", "!!echo"}};
  const Launch resolved = launch();
  EXPECT_EQ(resolved.env.at("TOKEN"), "s3cret");
  EXPECT_EQ(resolved.env.at("LITERAL"), "!echo");
}

TEST_F(ResolveLaunch, a_secret_command_that_fails_is_named_without_its_output) {
  server.env = {{"TOKEN", "!echo s3cret; exit 3"}};
  EXPECT_EQ(refusal(ErrorCode::unavailable),
            "s: the command of env TOKEN exited with status 3; run it in a shell to see why");
  server.env = {{"TOKEN", "!true"}};
  EXPECT_EQ(refusal(ErrorCode::unavailable), "s: the command of env TOKEN printed nothing");
  server.env = {{"TOKEN", "!yes s3cret"}};
  EXPECT_THAT(refusal(ErrorCode::unavailable), Not(HasSubstr("s3cret")));
}

TEST_F(ResolveLaunch, a_launcher_is_kept_out_of_the_folder_of_the_session) {
  server.command = "npx";
  server.args = {"-y", "pkg"};
  EXPECT_TRUE(launch().kept_out);
  server.args = {"-y", "./pkg"};
  EXPECT_FALSE(launch().kept_out) << "the user named a path";
  server.args = {"-y", "pkg"};
  server.cwd = "/tmp";
  EXPECT_FALSE(launch().kept_out) << "the user chose the folder";
  server.cwd.reset();
  server.standing = config::Standing::project;
  EXPECT_FALSE(launch().kept_out) << "an entry of the folder itself, which was allowed";
  server.standing = config::Standing::user;
  settings.folder_trusted = true;
  EXPECT_FALSE(launch().kept_out);
  settings.folder_trusted = false;
  server.command = "node";
  EXPECT_FALSE(launch().kept_out) << "not in the table";
}

TEST_F(ResolveLaunch, sessions_share_no_launcher_that_reads_the_folder_for_one_of_them) {
  server.command = "npx";
  server.args = {"-y", "pkg"};
  const std::string kept_out = launch().key();
  settings.folder_trusted = true;
  EXPECT_NE(launch().key(), kept_out);
  server.command = "node";
  const std::string trusted = launch().key();
  settings.folder_trusted = false;
  EXPECT_EQ(launch().key(), trusted) << "nothing depends on it";
}

TEST_F(ResolveLaunch, what_binds_the_process_of_a_session_binds_the_child_and_its_key) {
  environment.process = ProcessTraits{};
  const Launch first = launch();
  EXPECT_EQ(first.process, environment.process);
  environment.process->limits.at(open_files_resource).soft =
      4096;  // programs raise it by themselves
  EXPECT_EQ(launch().key(), first.key());
  const ProcessTraits before = *environment.process;
  environment.process->umask = 077;
  EXPECT_NE(launch().key(), first.key());
  environment.process = before;
  environment.process->niceness = 10;
  EXPECT_NE(launch().key(), first.key());
  environment.process = before;
  environment.process->limits.at(open_files_resource).hard = 4096;
  EXPECT_NE(launch().key(), first.key());
  environment.process = before;
  environment.process->limits[0].soft = 100;
  EXPECT_NE(launch().key(), first.key());
}

TEST_F(ResolveLaunch, a_relative_entry_of_path_finds_no_program_of_the_folder) {
  environment.variables["PATH"] = "node_modules/.bin::/usr/bin";
  environment.variables["PYTHONPATH"] = ":/x";
  EXPECT_EQ(launch().env.at("PATH"), "/usr/bin");
  EXPECT_EQ(launch().env.at("PYTHONPATH"), "/x");
  server.cwd = "/tmp";
  EXPECT_EQ(launch().env.at("PATH"), "node_modules/.bin::/usr/bin");
  server.cwd.reset();
  settings.folder_trusted = true;
  EXPECT_EQ(launch().env.at("PATH"), "node_modules/.bin::/usr/bin");
}

TEST_F(ResolveLaunch, deadlines_come_from_the_server_then_the_settings) {
  EXPECT_EQ(launch().deadlines.call_quiet, Milliseconds(60'000));
  settings.request_timeout = Milliseconds(5'000);
  EXPECT_EQ(launch().deadlines.call_quiet, Milliseconds(5'000));
  server.request_timeout = Milliseconds(0);
  EXPECT_EQ(launch().deadlines.call_quiet, Milliseconds(60'000)) << "0 is the default";
  server.request_timeout = Milliseconds(7'200'000);
  server.startup_timeout = Milliseconds(20'000);
  EXPECT_EQ(launch().deadlines.call_quiet, Milliseconds(7'200'000));
  EXPECT_EQ(launch().deadlines.call_total, Milliseconds(7'200'000));
  EXPECT_EQ(launch().deadlines.start, Milliseconds(20'000));
  settings.startup_timeout = Milliseconds(30'000);
  EXPECT_EQ(launch().deadlines.start, Milliseconds(20'000));
  server.startup_timeout.reset();
  EXPECT_EQ(launch().deadlines.start, Milliseconds(30'000));
  settings.install_timeout = Milliseconds(1'000);
  EXPECT_EQ(launch().deadlines.install, Milliseconds(30'000)) << "never less than the start";
  server.install_timeout = Milliseconds(900'000);
  EXPECT_EQ(launch().deadlines.install, Milliseconds(900'000));
  settings.request_total_timeout = Milliseconds(9'000'000);
  EXPECT_EQ(launch().deadlines.call_total, Milliseconds(9'000'000));
}

TEST_F(ResolveLaunch, looks_up_a_program_without_starting_anything) {
  server.command = "sh";
  EXPECT_EQ(missing_program(server, environment), std::nullopt);
  server.env = {{"PATH", "/nowhere"}};
  EXPECT_THAT(missing_program(server, environment).value_or(""), HasSubstr("sh not found in PATH"));
  server.env.clear();
  server.command = "./gone";
  EXPECT_EQ(missing_program(server, environment), "cannot run /usr/gone: no such file");
  server.command = "npx -y @example/server";
  EXPECT_THAT(missing_program(server, environment).value_or(""), HasSubstr("holds spaces"));
  server.command = "${NOT_SET}/gone";  // its launch says that
  EXPECT_EQ(missing_program(server, environment), std::nullopt);
  server.command.reset();
  server.url = "https://a.example/mcp";
  EXPECT_EQ(missing_program(server, environment), std::nullopt);
}

}  // namespace
}  // namespace pi_mcp::servers
