// What is told of the servers of a session that shares its process.
#include "gateway/run_publisher.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/identity.h"
#include "support/session_fixture.h"

namespace pi_mcp::gateway {
namespace {

using testing::HasSubstr;

class SharedRun : public test::SessionFixture {
 protected:
  std::unique_ptr<RunPublisher> tell_who_asks() {
    auto publisher = std::make_unique<RunPublisher>(
        context.get_executor(), &session(), dir, RunTelling::when_asked);
    publisher->start();
    publisher->set_client("editor 1");
    return publisher;
  }
  const config::Server& configured(const std::string& name) {
    return *session().settings().find(name);
  }
  std::optional<runs::LastRun> last_run(const std::string& name) {
    return runs::RunFolder(dir).last_run(configured(name));
  }
};

TEST_F(SharedRun, is_told_to_who_asks_and_stands_in_no_file) {
  add("echo", test::echo_server());
  add("unused", test::echo_server());
  const auto publisher = tell_who_asks();
  EXPECT_TRUE(publisher->run("").servers.empty()) << "none was used";
  EXPECT_FALSE(mcp(R"({"connect":"echo"})").is_error);
  const runs::RunRecord run = publisher->run("");
  EXPECT_TRUE(publisher->run("unused").servers.empty());
  EXPECT_EQ(publisher->run("echo").servers.size(), 1U);
  wait(publisher->stop());
  publisher->bury();
  EXPECT_FALSE(std::filesystem::exists(dir + "/mcp-run"));
  EXPECT_EQ(run.client, "editor 1");
  EXPECT_EQ(run.cwd, dir);
  ASSERT_EQ(run.servers.size(), 1U);
  EXPECT_EQ(run.servers[0].status.name, "echo");
  EXPECT_EQ(run.servers[0].status.state, servers::ServerStatus::State::connected);
  EXPECT_EQ(run.servers[0].status.process_id, 4711);
  EXPECT_EQ(run.servers[0].identity, config::entry_identity(configured("echo")));
}

TEST_F(SharedRun, keeps_a_failure_at_once_and_until_the_server_works) {
  add("echo", test::echo_server()).refuses = "no such database";
  const auto publisher = tell_who_asks();
  EXPECT_TRUE(mcp(R"({"connect":"echo"})").is_error);
  run_until([this] { return last_run("echo").has_value(); });
  const runs::LastRun failed = last_run("echo").value_or(runs::LastRun());
  EXPECT_THAT(failed.error, HasSubstr("no such database"));
  EXPECT_EQ(failed.client, "editor 1");
  servers["echo"].refuses.clear();
  EXPECT_FALSE(mcp(R"({"connect":"echo"})").is_error);
  run_until([this] { return !last_run("echo").has_value(); });
  wait(publisher->stop());
}

}  // namespace
}  // namespace pi_mcp::gateway
