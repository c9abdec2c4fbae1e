// Credentials that programs of the user print, against a scripted server: `bearerToken: "!command"`
// and `requestHeadersCommand`.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/text.h"
#include "io/loop/loop.h"
#include "io/process/environment.h"
#include "json/document.h"
#include "servers/launch/connector.h"
#include "servers/pool.h"
#include "support/processes.h"
#include "support/remote_server.h"

namespace pi_mcp::servers {
namespace {

using test::http_answer;
using test::RemoteServer;
using test::SeenRequest;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr bool done = true;

// A pool with one configured server, "far".
struct Far {
  explicit Far(const io::Executor& executor)
      : server(executor),
        connector(executor),
        pool(executor, {}, [this](Launch each) { return connector.connect(std::move(each)); }),
        tasks(executor) {
    configured.name = "far";
    configured.url = server.script.url("/mcp?key=1");
    configured.protocol = mcp::Protocol::handshake;
    const std::map<std::string, std::string> variables = io::process_environment();
    environment.variables.insert(variables.begin(), variables.end());
    environment.home = environment.cwd = folder.path();
  }

  // The text of the tool's answer, or the error.
  io::Task<std::string> ask(std::string tool) {
    Result<Launch> launch = co_await resolve_launch(configured, environment, {});
    if (!launch) {
      co_return launch.error().message();
    }
    const auto connection = co_await pool.acquire(*std::move(launch), Use::on_demand);
    if (!connection) {
      co_return connection.error().message();
    }
    const SharedText params(R"({"name":")" + tool + R"(","arguments":{}})");
    const Result<rpc::Message> answer =
        co_await (*connection)->call("tools/call", params, CallOptions());
    if (!answer) {
      co_return answer.error().message();
    }
    co_return answer->result().find("content").element(0).find("text").string_or("?");
  }
  io::Task<void> ask_into(std::string* into, std::string tool) {
    *into = co_await ask(std::move(tool));
  }
  io::Task<void> close() {
    co_await connector.close();
    co_await pool.close();
    co_await server.script.close();
  }

  test::TempFolder folder;
  RemoteServer server;
  config::Server configured;
  config::Environment environment;
  Connector connector;
  Pool pool;
  io::TaskGroup tasks;
};

// Prints TEXT-1, TEXT-2 and so on, as often as it runs.
std::string counting(const Far& far, const std::string& text) {
  const std::string file = far.folder.file("runs");
  return "echo x >> " + file + "; printf " + text + "-; wc -l < " + file;
}

std::size_t runs(const Far& far) {
  return far.folder.text("runs").size() / 2;
}

// Refuses every token but this one.
std::function<std::optional<std::string>(const SeenRequest&)> wants(std::string token) {
  return [token = std::move(token)](const SeenRequest& request) -> std::optional<std::string> {
    const bool is_right = request.head.find("authorization") == "Bearer " + token;
    return is_right ? std::nullopt : std::optional(http_answer("401 Unauthorized", "", ""));
  };
}

io::Task<bool> tokens_that_change(io::Executor executor) {
  Far far(executor);
  far.configured.bearer_token = "!" + counting(far, "token");
  far.server.instead = wants("token-1");
  EXPECT_EQ(co_await far.ask("json"), "json");
  EXPECT_EQ(runs(far), 1U) << "one run for the whole connection";
  far.server.instead = wants("token-2");
  std::string first;
  std::string second;
  far.tasks.spawn("call", far.ask_into(&first, "json"), io::log_only);
  far.tasks.spawn("call", far.ask_into(&second, "events"), io::log_only);
  co_await far.tasks.join();
  EXPECT_EQ(first + " " + second, "json events");
  EXPECT_EQ(runs(far), 2U) << "one more for both calls";
  EXPECT_EQ(far.server.sessions, 1) << "the connection stays";
  co_await far.close();
  co_return done;
}
TEST(CredentialCommands, a_refused_bearer_token_is_printed_anew_and_the_call_repeated) {
  io::run(tokens_that_change);
}

io::Task<bool> tokens_of_a_moment(io::Executor executor) {
  Far far(executor);
  far.configured.bearer_token = "!" + counting(far, "token");
  far.environment.variables["PI_MCP_ADAPTER_BEARER_COMMAND_TTL_MS"] = "0";
  EXPECT_EQ(co_await far.ask("json"), "json");
  EXPECT_EQ(co_await far.ask("json"), "json");
  const SeenRequest* const first = far.server.find("initialize");
  EXPECT_THAT(far.server.seen, Not(testing::IsEmpty()));
  if (first != nullptr) {
    EXPECT_EQ(first->head.find("authorization"), "Bearer token-1");
    EXPECT_NE(far.server.seen.back().head.find("authorization"), "Bearer token-1");
  }
  EXPECT_GT(runs(far), 2U);
  co_await far.close();
  co_return done;
}
TEST(CredentialCommands, a_bearer_token_is_printed_anew_after_its_time) {
  io::run(tokens_of_a_moment);
}

io::Task<bool> wrong_tokens(io::Executor executor) {
  Far far(executor);
  far.configured.bearer_token = "!" + counting(far, "planted");
  far.server.instead = wants("another");
  EXPECT_THAT(co_await far.ask("json"),
              HasSubstr("server far refuses the token that the command of bearerToken prints"));
  EXPECT_EQ(runs(far), 2U) << "once more, not for ever";
  far.configured.bearer_token = "!echo planted; exit 3";
  const std::string said = co_await far.ask("json");
  EXPECT_THAT(said, HasSubstr("server far: the command of bearerToken exited with status 3"));
  EXPECT_THAT(said, Not(HasSubstr("planted")));
  co_await far.close();
  co_return done;
}
TEST(CredentialCommands, a_bearer_token_that_stays_wrong_fails_with_the_next_step) {
  io::run(wrong_tokens);
}

void sign_with(Far& far, const std::string& script) {
  far.configured.request_headers_command =
      config::RequestHeadersCommand{.command = "sh", .args = {"-c", script}, .env = {{"A", "7"}}};
}

io::Task<bool> signed_requests(io::Executor executor) {
  Far far(executor);
  far.configured.headers = {{"x-signature", "to be replaced"}, {"X-Other", "stays"}};
  sign_with(far, R"(cat > /dev/null; printf '{"X-Signature":"%s-%s","Host":"x"}' "$A" $$)");
  EXPECT_EQ(co_await far.ask("json"), "json");
  std::set<std::string> signatures;
  for (const SeenRequest& request : far.server.seen) {
    EXPECT_THAT(request.head.find_all("x-signature"), SizeIs(1));
    EXPECT_THAT(request.head.find("host"), testing::StartsWith("127.0.0.1:"));
    EXPECT_THAT(request.head.find_all("host"), SizeIs(1));
    EXPECT_EQ(request.head.find("x-other"), "stays");
    EXPECT_THAT(request.head.find("x-signature"), testing::StartsWith("7-"));
    signatures.emplace(request.head.find("x-signature"));
  }
  EXPECT_GE(far.server.seen.size(), 4U);
  EXPECT_EQ(signatures.size(), far.server.seen.size()) << "each request has its own";
  co_await far.close();
  co_return done;
}
TEST(CredentialCommands, a_program_signs_each_request) {
  io::run(signed_requests);
}

io::Task<bool> shown_requests(io::Executor executor) {
  Far far(executor);
  sign_with(far, "cat >> " + far.folder.file("requests") + "; echo '{}'");
  EXPECT_EQ(co_await far.ask("json"), "json");
  co_await far.close();
  const std::string text = "[" + text::replace_all(far.folder.text("requests"), "}{", "},{") + "]";
  const Result<json::Document> shown = json::Document::parse_view(text);
  EXPECT_TRUE(shown) << text;
  const json::Value first = shown ? shown->root().element(0) : json::Value();
  EXPECT_EQ(first.find("method").string_or(""), "POST");
  EXPECT_EQ(first.find("url").string_or(""), far.configured.url.value_or("?"));
  EXPECT_EQ(base64_decoded(first.find("bodyBase64").string_or("")).value_or(""),
            far.server.seen.front().body);
  co_return done;
}
TEST(CredentialCommands, the_program_reads_what_it_signs) {
  io::run(shown_requests);
}

io::Task<bool> broken_signatures(io::Executor executor) {
  Far far(executor);
  sign_with(far, "test -e " + far.folder.file("broken") + " && exit 5; echo '{\"X-A\":\"1\"}'");
  EXPECT_EQ(co_await far.ask("json"), "json");
  const auto calls = [&far] {
    const auto story = far.server.story();
    return std::count(story.begin(), story.end(), "tools/call json");
  };
  const auto before = calls();
  std::ofstream(far.folder.file("broken")) << "now";
  EXPECT_THAT(co_await far.ask("json"),
              HasSubstr("server far: its requestHeadersCommand sh exited with status 5"));
  EXPECT_EQ(calls(), before) << "nothing unsigned was sent";
  std::filesystem::remove(far.folder.file("broken"));
  EXPECT_EQ(co_await far.ask("json"), "json") << "it failed that call alone";
  co_await far.close();
  co_return done;
}
TEST(CredentialCommands, a_program_that_fails_fails_its_request_which_is_not_sent) {
  io::run(broken_signatures);
}

io::Task<bool> repeated_signatures(io::Executor executor) {
  Far far(executor);
  sign_with(far, R"(echo '{"X-Signature":"planted-signature"}')");
  EXPECT_EQ(co_await far.ask("json"), "json");
  far.server.instead = [](const SeenRequest& request) {
    const std::string said(request.head.find("x-signature"));
    return std::optional(http_answer("500 Internal Server Error",
                                     "Content-Type: application/json",
                                     R"({"error":{"message":"you sent )" + said + "\"}}"));
  };
  EXPECT_THAT(co_await far.ask("json"), HasSubstr("you sent ***"));
  co_await far.close();
  co_return done;
}
TEST(CredentialCommands, what_they_print_is_not_repeated_in_errors) {
  io::run(repeated_signatures);
}

}  // namespace
}  // namespace pi_mcp::servers
