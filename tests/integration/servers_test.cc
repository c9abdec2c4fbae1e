// The pool and its connections against real processes that misbehave.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "io/loop/loop.h"
#include "io/process/environment.h"
#include "json/writer.h"
#include "servers/launch/stdio_connector.h"
#include "servers/link/live_connection.h"
#include "servers/pool.h"
#include "support/processes.h"
#include "test_programs.h"

namespace pi_mcp::servers {
namespace {

using test::eventually;
using test::TempFolder;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

// A pool of fake servers that write their process ids and what they receive into a folder.
class Servers {
 public:
  explicit Servers(const io::Executor& executor, Pool::Options options = {})
      : stdio(executor),
        pool(executor,
             std::move(options),
             [this](Launch launch) { return stdio.connect(std::move(launch)); }),
        tasks(executor) {}

  // A server by its options; its name is also that of its log and process id files.
  Launch& add(const std::string& name, std::vector<std::string> options = {}) {
    Launch& launch = launches[name];
    launch.server = name;
    launch.command = PI_MCP_FAKE_SERVER;
    launch.args = {"--tools",
                   "all",
                   "--log",
                   folder.file(name + ".log"),
                   "--pid-file",
                   folder.file(name + ".pid")};
    launch.args.insert(launch.args.end(), options.begin(), options.end());
    launch.env = io::process_environment();
    launch.cwd = "/";
    return launch;
  }

  io::Task<Result<std::shared_ptr<Connection>>> open(const std::string& name,
                                                     Use use = Use::implicit) {
    return pool.acquire(launches.at(name), use);
  }

  // "ok" or the reason.
  io::Task<std::string> outcome(std::string name, Use use = Use::implicit) {
    const auto connection = co_await open(std::move(name), use);
    co_return connection ? "ok" : connection.error().message();
  }

  // The text of a tool's answer, or the error; opens the server if need be.
  io::Task<std::string> ask(std::string name,
                            std::string tool,
                            std::string arguments = "{}",
                            CallOptions options = {}) {
    const auto connection = co_await open(std::move(name));
    if (!connection) {
      co_return connection.error().message();
    }
    const Result<rpc::Message> answer = co_await (*connection)
                                            ->call("tools/call",
                                                   SharedText(R"({"name":)" + json::quoted(tool) +
                                                              R"(,"arguments":)" + arguments + "}"),
                                                   std::move(options));
    if (!answer) {
      co_return answer.error().message();
    }
    co_return answer->result().find("content").element(0).find("text").string_or(
        answer->error().find("message").string_or("?"));
  }

  io::Task<void> ask_into(std::string* into,
                          std::string name,
                          std::string tool,
                          std::string arguments = "{}") {
    *into = co_await ask(std::move(name), std::move(tool), std::move(arguments));
  }
  io::Task<void> open_into(std::string* into, std::string name, Use use) {
    *into = co_await outcome(std::move(name), use);
  }

  [[nodiscard]] std::vector<int> processes(const std::string& name) const {
    return folder.numbers(name + ".pid");
  }
  [[nodiscard]] bool received(const std::string& name, const std::string& text) const {
    return folder.text(name + ".log").find(text) != std::string::npos;
  }
  [[nodiscard]] PoolStatus status(const std::string& name) const {
    return pool.status(launches.at(name).key());
  }

  TempFolder folder;
  std::map<std::string, Launch> launches;
  StdioConnector stdio;
  Pool pool;
  io::TaskGroup tasks;
};

// Runs a test body, which is a coroutine function, on a loop of its own.
void run(io::Task<bool> (*body)(io::Executor)) {
  io::run(body);
}

io::Task<bool> one_process_for_five_calls(io::Executor executor) {
  Servers servers(executor);
  servers.add("echo", {"--delay", "20"});
  std::array<std::string, 5> answers;
  for (std::string& answer : answers) {
    servers.tasks.spawn("call", servers.ask_into(&answer, "echo", "pid"), io::log_only);
  }
  co_await servers.tasks.join();
  const std::vector<int> processes = servers.processes("echo");
  EXPECT_EQ(processes.size(), 1U);
  for (const std::string& answer : answers) {
    EXPECT_EQ(answer, std::to_string(processes.at(0)));
  }
  EXPECT_EQ(servers.status("echo").process_id, processes.at(0));
  co_await servers.pool.close();
  EXPECT_FALSE(test::is_alive(processes.at(0)));
  co_return true;
}

TEST(Servers, five_first_calls_at_once_start_one_process) {
  run(one_process_for_five_calls);
}

io::Task<bool> failed_starts(io::Executor executor) {
  Servers servers(executor);
  servers.add("token", {"--exit-at", "initialize", "--stderr", "Error: GITHUB_TOKEN is required"});
  EXPECT_EQ(
      co_await servers.outcome("token"),
      "token: exited with status 1 during initialize; stderr: Error: GITHUB_TOKEN is required");
  servers.add("start", {"--exit-at", "start", "--exit-status", "3"});
  EXPECT_THAT(
      co_await servers.outcome("start"),
      StartsWith("start: exited with status 3 during initialize; it wrote nothing to stderr"));
  servers.add("lists", {"--kill-at", "tools/list"});
  // All lists are asked for at once; the end of the link meets whichever is looked at first.
  EXPECT_THAT(co_await servers.outcome("lists"),
              ContainsRegex("^lists: killed by SIGKILL during (tools|resources|prompts)/list"));
  servers.add("refuses", {"--refuse", "tools/list"});
  EXPECT_THAT(co_await servers.outcome("refuses"),
              StartsWith("refuses: tools/list: the server refused: "));
  servers.add("old", {"--protocol", "1999-01-01"});
  EXPECT_THAT(co_await servers.outcome("old"), HasSubstr("speaks protocol version \"1999-01-01\""));
  servers.add("missing").command = "no-such-program-here";
  EXPECT_THAT(co_await servers.outcome("missing"), StartsWith("missing: starting: "));
  EXPECT_THAT(co_await servers.outcome("missing", Use::on_demand),
              HasSubstr("no-such-program-here"));
  co_await servers.pool.close();
  EXPECT_TRUE(test::child_processes().empty());
  co_return true;
}

TEST(Servers, a_failed_start_says_phase_reason_and_last_words) {
  run(failed_starts);
}

io::Task<bool> hung_initialize(io::Executor executor) {
  Servers servers(executor);
  servers.add("hung", {"--hang", "initialize", "--stdout", "Listening on port 80"})
      .deadlines.start = Milliseconds(1500);
  servers.add("echo");
  std::string hung;
  servers.tasks.spawn("call", servers.ask_into(&hung, "hung", "echo"), io::log_only);
  EXPECT_EQ(co_await servers.ask("echo", "echo", R"({"text":"at once"})"), "at once");
  EXPECT_EQ(hung, "") << "still waiting";
  co_await servers.tasks.join();
  EXPECT_THAT(hung, StartsWith("hung: no answer to initialize within "));
  EXPECT_THAT(hung, HasSubstr("; a line on its stdout was no MCP message:"));
  co_await servers.pool.close();
  co_return true;
}

TEST(Servers, a_hung_initialize_delays_nobody_else_and_ends_at_its_deadline) {
  run(hung_initialize);
}

io::Task<bool> crash_in_a_call(io::Executor executor) {
  Servers servers(executor);
  servers.add("s", {"--stderr", "last words"});
  std::string slow;
  EXPECT_EQ(co_await servers.outcome("s"), "ok");
  const int first = servers.status("s").process_id;
  servers.tasks.spawn("call", servers.ask_into(&slow, "s", "slow"), io::log_only);
  EXPECT_EQ(co_await servers.ask("s", "crash"),
            "killed by SIGKILL before it answered tools/call; stderr: last words");
  co_await servers.tasks.join();
  EXPECT_EQ(slow, "killed by SIGKILL before it answered tools/call; stderr: last words");
  EXPECT_EQ(servers.status("s").state, LifecycleState::stopped);
  EXPECT_EQ(co_await servers.ask("s", "echo", R"({"text":"again"})"), "again");
  EXPECT_NE(servers.status("s").process_id, first);
  co_await servers.pool.close();
  co_return true;
}

TEST(Servers, a_crash_fails_every_call_at_once_and_the_next_one_restarts) {
  run(crash_in_a_call);
}

io::Task<bool> timed_out_call(io::Executor executor) {
  Servers servers(executor);
  servers.add("s");
  CallOptions options;
  options.quiet_max = Milliseconds(100);
  EXPECT_EQ(co_await servers.ask("s", "slow", "{}", options),
            "no answer to tools/call within 100 ms; a larger requestTimeoutMs gives it more time");
  const auto told = [&servers] {
    return servers.received("s", R"("reason":"no answer to tools/call within 100 ms")");
  };
  EXPECT_TRUE(co_await eventually(told));
  EXPECT_EQ(co_await servers.ask("s", "echo", R"({"text":"fine"})"), "fine");
  co_await servers.pool.close();
  co_return true;
}

TEST(Servers, a_call_that_takes_too_long_is_cancelled_at_the_server) {
  run(timed_out_call);
}

io::Task<bool> cancelled_call(io::Executor executor) {
  Servers servers(executor);
  servers.add("s");
  EXPECT_EQ(co_await servers.outcome("s"), "ok");
  std::string answer;
  const auto id = servers.tasks.spawn("call", servers.ask_into(&answer, "s", "slow"), io::log_only);
  EXPECT_TRUE(co_await eventually([&servers] { return servers.received("s", "\"slow\""); }));
  servers.tasks.cancel(id);
  co_await servers.tasks.join();
  EXPECT_EQ(answer, "cancelled");
  EXPECT_TRUE(
      co_await eventually([&servers] { return servers.received("s", "notifications/cancelled"); }));
  EXPECT_EQ(co_await servers.ask("s", "echo", R"({"text":"fine"})"), "fine");
  co_await servers.pool.close();
  co_return true;
}

TEST(Servers, cancelling_a_call_returns_at_once_and_tells_the_server) {
  run(cancelled_call);
}

io::Task<bool> progress_of_a_call(io::Executor executor) {
  Servers servers(executor);
  servers.add("s");
  std::vector<std::string> steps;
  CallOptions options;
  options.on_progress = [&steps](json::Value params) {
    steps.push_back(params.find("message").string_or(""));
  };
  EXPECT_EQ(co_await servers.ask("s", "progress", R"({"steps":3})", options), "done");
  EXPECT_EQ(steps, (std::vector<std::string>{"step 1", "step 2", "step 3"}));
  co_await servers.pool.close();
  co_return true;
}

TEST(Servers, progress_reaches_the_call_before_its_answer) {
  run(progress_of_a_call);
}

io::Task<bool> changed_list(io::Executor executor) {
  Servers servers(executor);
  servers.add("s");
  std::vector<std::size_t> sizes;
  Lease lease;
  lease.events.listing_changed = [&sizes](const mcp::Listing& listing) {
    sizes.push_back(listing.tools.size());
  };
  servers.pool.lease(servers.launches.at("s").key(), &lease, lease);
  const auto connection = co_await servers.open("s");
  EXPECT_TRUE(connection);
  const std::size_t before = (*connection)->listing().tools.size();
  EXPECT_EQ(co_await servers.ask("s", "add_tool", R"({"name":"brand_new"})"), "added");
  EXPECT_TRUE(co_await eventually([&sizes] { return !sizes.empty(); }));
  EXPECT_EQ(sizes, std::vector<std::size_t>{before + 1});
  EXPECT_EQ((*connection)->listing().tools.back().name, "brand_new");
  co_await servers.pool.close();
  co_return true;
}

TEST(Servers, a_tool_added_at_run_time_is_offered) {
  run(changed_list);
}

io::Task<bool> noise(io::Executor executor) {
  Servers servers(executor);
  servers.add("s", {"--stdout", "Server ready!", "--resources", "a,b"});
  const auto connection = co_await servers.open("s");
  EXPECT_TRUE(connection);
  EXPECT_EQ((*connection)->server().label(), "fake 1.0");
  EXPECT_EQ((*connection)->listing().resources.size(), 2U);
  EXPECT_EQ(co_await servers.ask("s", "garbage"), "after garbage");
  EXPECT_THAT(co_await servers.ask("s", "bad_json"), HasSubstr("broken answer"));
  EXPECT_EQ(co_await servers.ask("s", "duplicate"), "first");
  EXPECT_EQ(co_await servers.ask("s", "stranger"), "for you");
  EXPECT_EQ(co_await servers.ask("s", "echo", R"({"text":"fine"})"), "fine");
  co_await servers.pool.close();
  co_return true;
}

TEST(Servers, noise_and_broken_answers_harm_only_their_own_call) {
  run(noise);
}

io::Task<bool> requests_of_the_server(io::Executor executor) {
  Servers servers(executor);
  servers.add("s");
  EXPECT_THAT(co_await servers.ask("s", "ask", R"({"method":"ping"})"), HasSubstr("{}"));
  EXPECT_THAT(co_await servers.ask("s", "ask", R"({"method":"roots/list"})"), HasSubstr("-32601"));
  co_await servers.pool.close();
  co_return true;
}

TEST(Servers, ping_of_the_server_is_answered_and_what_we_do_not_offer_is_refused) {
  run(requests_of_the_server);
}

io::Task<bool> endless_list(io::Executor executor) {
  Servers servers(executor);
  servers.add("s", {"--endless-cursor", "--pages", "2"});
  const auto connection = co_await servers.open("s");
  EXPECT_TRUE(connection) << connection.error().message();
  EXPECT_FALSE((*connection)->listing().tools.empty());
  EXPECT_EQ(co_await servers.ask("s", "echo", R"({"text":"fine"})"), "fine");
  co_await servers.pool.close();
  co_return true;
}

TEST(Servers, a_list_that_never_ends_is_cut) {
  std::vector<std::string> logged;
  log::set_sink([&logged](log::Level, std::string_view text) { logged.emplace_back(text); });
  run(endless_list);
  log::set_sink(nullptr);
  ASSERT_EQ(logged.size(), 1U);
  EXPECT_THAT(logged[0], StartsWith("server s: tools/list "));
}

io::Task<bool> backoff(io::Executor executor) {
  Servers servers(executor);
  servers.add("s", {"--fail-starts", "2", "--state", servers.folder.file("starts")});
  EXPECT_THAT(co_await servers.outcome("s"), StartsWith("s: exited with status 1 "));
  const std::size_t started = servers.folder.text("starts").size();
  EXPECT_THAT(co_await servers.outcome("s"), StartsWith("s: not available (last failed 0s ago): "));
  EXPECT_EQ(servers.folder.text("starts").size(), started) << "no process was started";
  EXPECT_THAT(co_await servers.outcome("s", Use::on_demand),
              StartsWith("s: exited with status 1 "));
  EXPECT_EQ(co_await servers.outcome("s", Use::on_demand), "ok");
  EXPECT_EQ(co_await servers.ask("s", "echo", R"({"text":"fine"})"), "fine");
  co_await servers.pool.close();
  co_return true;
}

TEST(Servers, after_a_failed_start_calls_are_refused_and_connect_tries_again) {
  run(backoff);
}

io::Task<bool> death(io::Executor executor) {
  Servers servers(executor);
  servers.add("s");
  std::vector<std::string> ends;
  Lease lease;
  lease.events.ended = [&ends](const transport::LinkEnd& end) {
    ends.push_back(end.reason);
  };
  servers.pool.lease(servers.launches.at("s").key(), &lease, lease);
  EXPECT_EQ(co_await servers.outcome("s"), "ok");
  EXPECT_EQ(servers.status("s").state, LifecycleState::ready);
  ::kill(servers.status("s").process_id, SIGKILL);
  EXPECT_TRUE(co_await eventually([&ends] { return !ends.empty(); }));
  EXPECT_EQ(ends, std::vector<std::string>{"killed by SIGKILL"});
  EXPECT_EQ(servers.status("s").state, LifecycleState::stopped);
  EXPECT_EQ(co_await servers.outcome("s"), "ok");
  EXPECT_EQ(servers.processes("s").size(), 2U);
  co_await servers.pool.close();
  co_return true;
}

TEST(Servers, the_death_of_an_idle_server_is_seen_at_once) {
  run(death);
}

io::Task<bool> thirty_starts(io::Executor executor) {
  Servers servers(executor);
  std::array<std::string, 30> outcomes;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const std::string name = "s" + std::to_string(i);
    servers.add(name, {"--hang", "initialize"});
    const Use use = i < 15 ? Use::background : Use::implicit;
    servers.tasks.spawn("open", servers.open_into(&outcomes.at(i), name, use), io::log_only);
  }
  const auto started = [&servers](std::size_t from, std::size_t to) {
    std::size_t count = 0;
    for (std::size_t i = from; i < to; ++i) {
      count += servers.processes("s" + std::to_string(i)).empty() ? 0 : 1;
    }
    return count;
  };
  EXPECT_TRUE(co_await eventually([&started] { return started(0, 30) == 10; }));
  EXPECT_LE(started(0, 15), 8U) << "calls find a slot free";
  // One that ends lets the next begin.
  co_await servers.pool.stop(servers.launches.at("s15").key());
  EXPECT_TRUE(co_await eventually([&started] { return started(0, 30) == 11; }));
  co_await servers.pool.close();
  co_await servers.tasks.join();
  EXPECT_EQ(outcomes[29], "s29: the start was stopped");
  EXPECT_TRUE(test::child_processes().empty());
  co_return true;
}

TEST(Servers, at_most_ten_of_thirty_starts_run_at_once) {
  run(thirty_starts);
}

io::Task<bool> stubborn_servers(io::Executor executor) {
  Servers servers(executor);
  for (const char* name : {"a", "b", "c"}) {
    servers.add(name, {"--ignore-eof", "--ignore-sigterm", "--grandchild"});
    EXPECT_EQ(co_await servers.outcome(name), "ok");
  }
  servers.add("starting", {"--hang", "initialize"});
  std::string outcome;
  servers.tasks.spawn(
      "open", servers.open_into(&outcome, "starting", Use::on_demand), io::log_only);
  EXPECT_TRUE(co_await eventually([&servers] { return !servers.processes("starting").empty(); }));
  const TimePoint start = io::now();
  co_await servers.pool.close();
  EXPECT_LT(io::now() - start, Milliseconds(8000)) << "all at once, not one after the other";
  co_await servers.tasks.join();
  EXPECT_EQ(outcome, "starting: the start was stopped");
  for (const char* name : {"a", "b", "c", "starting"}) {
    for (const int process : servers.processes(name)) {
      EXPECT_FALSE(test::is_alive(process)) << name;
    }
  }
  co_return true;
}

TEST(Servers, close_leaves_no_process_however_stubborn) {
  run(stubborn_servers);
}

io::Task<bool> environment_and_folder(io::Executor executor) {
  Servers servers(executor);
  config::Environment environment;
  for (const auto& [name, value] : io::process_environment()) {
    environment.variables[name] = value;
  }
  environment.variables["FROM_PARENT"] = "inherited";
  environment.cwd = servers.folder.path();
  config::Server server;
  server.name = "s";
  server.command = PI_MCP_FAKE_SERVER;
  server.args = {"--tools", "all"};
  server.env = {{"OWN", "${FROM_PARENT} and !own"}, {"SECRET", "!printf %s \"$FROM_PARENT\""}};
  auto launch = co_await resolve_launch(server, environment, {});
  EXPECT_TRUE(launch) << launch.error().message();
  servers.launches["s"] = *launch;
  EXPECT_EQ(co_await servers.ask("s", "env", R"({"name":"FROM_PARENT"})"), "inherited");
  EXPECT_EQ(co_await servers.ask("s", "env", R"({"name":"OWN"})"), "inherited and !own");
  EXPECT_EQ(co_await servers.ask("s", "env", R"({"name":"SECRET"})"), "inherited");
  EXPECT_EQ(co_await servers.ask("s", "cwd"), servers.folder.path());
  co_await servers.pool.close();
  co_return true;
}

TEST(Servers, a_server_sees_the_sessions_environment_and_folder) {
  run(environment_and_folder);
}

}  // namespace
}  // namespace pi_mcp::servers
