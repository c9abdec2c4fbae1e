// A Session with a real pool whose servers are scripted links: the whole gateway without a process.
// Each call runs the loop until its answer is there, so that tests read like a conversation.
#pragma once

#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "gateway/gateway.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "json/document.h"
#include "servers/pool.h"
#include "support/scripted_link.h"

namespace pi_mcp::test {

// What one server offers and how it answers.
struct FakeServer {
  std::string tools = "[]";      // of tools/list
  std::string resources;         // of resources/list; empty: the server has none to list
  std::string templates = "[]";  // with resources
  std::string prompts;           // the same for prompts/list
  std::string instructions;
  // Not empty: a server of 2026-07-28, and these members of its lists: R"("ttlMs":0,)".
  std::string caching;
  std::string refuses;  // not empty: it cannot be started, for this reason
  ErrorCode refusal = ErrorCode::unavailable;
  bool hangs = false;  // it never answers initialize
  // The rest of the answer to any other request, as tools/call or resources/read:
  // R"("result":{...})" or R"("error":{...})"; empty: no answer, ever.
  std::function<std::string(ScriptedLink& link, const rpc::Message& request)> on_call;
  // Changes the configured entry.
  std::function<void(config::Server&)> configure;
};

// Tools of compat.md's fixture "echo".
inline constexpr const char* echo_tools =
    R"([{"name":"echo","description":"Echoes text back","inputSchema":{"type":"object",)"
    R"("properties":{"text":{"type":"string"}},"required":["text"]}},)"
    R"({"name":"add","description":"Adds two numbers","inputSchema":{"type":"object",)"
    R"("properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}}])";

// R"("result":{"content":[{"type":"text","text":...}]})" with the text of params.arguments.text.
inline std::string echo_answer(ScriptedLink& /*link*/, const rpc::Message& request) {
  const json::Value text = request.params().at({"arguments", "text"});
  return R"("result":{"content":[{"type":"text","text":)" +
         (text ? std::string(text.raw()) : R"("")") + "}]}";
}

inline FakeServer echo_server() {
  FakeServer server;
  server.tools = echo_tools;
  server.on_call = echo_answer;
  return server;
}

// An answer as it is written for a model.
struct Said {
  std::string text;  // our own; empty: `passed`
  std::string details;
  SharedText passed;
  bool is_error = false;
  tool::Failure failure = tool::Failure::none;
};

class SessionFixture : public testing::Test {
 protected:
  SessionFixture() {
    std::string pattern = testing::TempDir() + "/pi-mcp-session-XXXXXX";
    dir = ::mkdtemp(pattern.data());
  }
  SessionFixture(const SessionFixture&) = delete;
  SessionFixture& operator=(const SessionFixture&) = delete;
  SessionFixture(SessionFixture&&) = delete;
  SessionFixture& operator=(SessionFixture&&) = delete;

  ~SessionFixture() override {
    stop();
    std::filesystem::remove_all(dir);
  }

  // Servers are configured in the order of add().
  FakeServer& add(const std::string& name, FakeServer server) {
    names.push_back(name);
    return servers[name] = std::move(server);
  }

  // The session; begins with the first use.
  gateway::Session& session() {
    if (session_ == nullptr) {
      session_ = &gateway().open(make_settings(), make_environment(), options);
    }
    return *session_;
  }

  // That of the session; begins with the first use.
  gateway::Gateway& gateway() {
    if (!gateway_) {
      gateway_ = make_gateway();
    }
    return *gateway_;
  }

  // Ends all sessions and their servers; the next use begins another one with the same files.
  void stop() {
    if (gateway_) {
      wait(gateway_->close());
      session_ = nullptr;
      gateway_.reset();
    }
  }

  // Fills the cache: every server is connected once, then all is stopped.
  void remember() {
    for (const std::string& name : names) {
      EXPECT_FALSE(mcp(R"({"connect":")" + name + "\"}").is_error) << name;
    }
    stop();
    starts.clear();
  }

  // The same for one server, by a session of another process; ours goes on.
  void learn_elsewhere(const std::string& name) {
    const std::unique_ptr<gateway::Gateway> other = make_gateway();
    tool::ToolRequest request;
    request.mode = tool::Mode::connect;
    request.subject = name;
    gateway::Session& its = other->open(make_settings(), make_environment(), options);
    EXPECT_FALSE(wait(its.run(std::move(request), {})).is_error()) << name;
    wait(other->close());
    starts.clear();
  }

  // One call of the mcp tool with these arguments.
  tool::Answer answer(const std::string& arguments, tool::CallContext context_of_call = {}) {
    const Result<json::Document> document = json::Document::parse(arguments);
    EXPECT_TRUE(document.has_value()) << arguments;
    auto request = tool::parse_tool_request(*document, document->root());
    EXPECT_TRUE(request.has_value()) << arguments;
    return wait(session().run(*std::move(request), std::move(context_of_call)));
  }
  Said mcp(const std::string& arguments, tool::CallContext context_of_call = {}) {
    return said(answer(arguments, std::move(context_of_call)));
  }
  // What a model is told.
  Said said(const tool::Answer& answer) {
    return {.text = session().text_of(answer, tool::Reader::model),
            .details = details_of(answer, tool::Reader::model),
            .passed = answer.passed,
            .is_error = answer.is_error(),
            .failure = answer.failure};
  }
  // Its text: ours, or that of the first block of a passed result.
  std::string text(const std::string& arguments) { return text_of(mcp(arguments)); }

  static std::string text_of(const Said& result) {
    if (result.passed.empty()) {
      return result.text;
    }
    const Result<json::Document> passed = json::Document::parse(result.passed);
    return passed->root().find("content").element(0).find("text").string_or("(no text)");
  }
  // details.<name> as JSON.
  static std::string detail(const Said& result, std::string_view name) {
    const Result<json::Document> details = json::Document::parse_view(result.details);
    EXPECT_TRUE(details.has_value()) << result.details;
    return details ? std::string(details->root().find(name).raw()) : "";
  }

  // Runs the loop until the task is over.
  template <class T>
  T wait(io::Task<T> task) {
    std::optional<T> result;
    boost::asio::co_spawn(context, io::detail::run_into<T>(&result, std::move(task)), rethrow);
    run_until([&result] { return result.has_value(); });
    return std::move(result).value();
  }
  void wait(io::Task<void> task) { (void)wait<bool>(and_true(std::move(task))); }

  template <class Predicate>
  void run_until(Predicate predicate) {
    const TimePoint deadline = io::now() + std::chrono::seconds(10);
    while (!predicate() && io::now() < deadline) {
      if (context.stopped()) {
        context.restart();
      }
      context.run_one_for(std::chrono::milliseconds(100));
    }
    ASSERT_TRUE(predicate()) << "not within 10 s";
  }

  config::Settings make_settings() {
    config::Settings made = settings;
    made.agent_dir = dir;
    for (const std::string& name : names) {
      config::Server server;
      server.name = name;
      server.command = "/bin/true";  // never run
      server.args = {name};
      server.entry_json = R"({"command":"/bin/true","args":[")" + name + "\"]}";
      if (servers[name].configure) {
        servers[name].configure(server);
      }
      made.servers.push_back(std::move(server));
    }
    return made;
  }

  config::Environment make_environment() {
    config::Environment made = environment;
    made.home = dir;
    made.cwd = dir;
    return made;
  }

  std::string dir;  // agent directory, working directory and home
  std::vector<std::string> names;
  std::map<std::string, FakeServer> servers;
  std::map<std::string, int> starts;
  std::map<std::string, int> closes;           // by us
  std::map<std::string, ScriptedLink*> links;  // the newest of each server
  config::Settings settings;                   // servers are added to a copy of it
  config::Environment environment;
  servers::Pool::Options pool_options;
  gateway::Session::Options options;
  boost::asio::io_context context{1};

 private:
  static io::Task<bool> and_true(io::Task<void> task) {
    co_await std::move(task);
    co_return true;
  }
  static void rethrow(const std::exception_ptr& error) {
    if (error) {
      std::rethrow_exception(error);
    }
  }

  io::Task<Result<std::unique_ptr<transport::Transport>>> connect(servers::Launch launch) {
    ++starts[launch.server];
    const std::string name = launch.server;
    if (!servers[name].refuses.empty()) {
      co_return fail(servers[name].refusal, servers[name].refuses);
    }
    auto link = std::make_unique<ScriptedLink>(
        context.get_executor(), [this, name](ScriptedLink& from, const rpc::Message& message) {
          answer(from, message, name);
        });
    link->process = 4711;
    link->on_closed = [this, name] {
      ++closes[name];
    };
    links[name] = link.get();
    co_return link;
  }

  void answer(ScriptedLink& link, const rpc::Message& message, const std::string& name) {
    FakeServer& server = servers[name];
    if (message.kind() != rpc::Message::Kind::request || server.hangs) {
      return;
    }
    if (message.method() == "initialize" && !server.caching.empty()) {
      link.deliver(R"({"jsonrpc":"2.0","id":)" + message.id().json() +
                   R"(,"error":{"code":-32601,"message":"no such method"}})");
    } else if (message.method() == "server/discover") {
      link.answer(message, R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})");
    } else if (message.method() == "initialize") {
      link.answer(
          message,
          R"({"protocolVersion":"2025-06-18","capabilities":{"tools":)"
          R"({"listChanged":true},"logging":{})" +
              std::string(server.resources.empty() ? "" : R"(,"resources":{"subscribe":true})") +
              std::string(server.prompts.empty() ? "" : R"(,"prompts":{})") +
              R"(},"serverInfo":{"name":"fake","version":"1"},"instructions":")" +
              server.instructions + "\"}");
    } else if (message.method() == "tools/list") {
      link.answer(message, "{" + server.caching + R"("tools":)" + server.tools + "}");
    } else if (message.method() == "resources/list") {
      link.answer(message, R"({"resources":)" + server.resources + "}");
    } else if (message.method() == "resources/templates/list") {
      link.answer(message, R"({"resourceTemplates":)" + server.templates + "}");
    } else if (message.method() == "prompts/list") {
      link.answer(message, R"({"prompts":)" + server.prompts + "}");
    } else if (server.on_call) {
      const std::string rest = server.on_call(link, message);
      if (!rest.empty()) {
        link.deliver(R"({"jsonrpc":"2.0","id":)" + message.id().json() + "," + rest + "}");
      }
    }
  }

  std::unique_ptr<gateway::Gateway> make_gateway() {
    return std::make_unique<gateway::Gateway>(
        context.get_executor(), pool_options, [this](servers::Launch launch) {
          return connect(std::move(launch));
        });
  }

  std::unique_ptr<gateway::Gateway> gateway_;
  gateway::Session* session_ = nullptr;  // of gateway_
};

}  // namespace pi_mcp::test
