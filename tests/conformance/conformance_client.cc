// The client that the official MCP conformance suite starts, once for each scenario:
// conformance_client URL. Connects to the url as a configured server, does what the scenario in the
// suite's environment variables wants, and ends: with 0 when all of it succeeded, with 2 for a
// scenario without a plan. It has no protocol code of its own.
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "config/load.h"
#include "conformance/conformance_plan.h"
#include "io/loop/loop.h"
#include "io/loop/signals.h"
#include "io/process/environment.h"
#include "json/writer.h"
#include "mcp/methods.h"
#include "servers/launch/connector.h"
#include "servers/launch/launch.h"
#include "servers/link/host_link.h"
#include "servers/pool.h"

namespace pi_mcp::test {
namespace {

constexpr std::string_view configuration_path = "/conformance/mcp.json";

// The machine as it would be with nothing but our one file.
class OnlyFile final : public config::FileSource {
 public:
  explicit OnlyFile(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] Result<std::optional<std::string>> read(const std::string& path) const override {
    return path == configuration_path ? std::optional(text_) : std::nullopt;
  }
  [[nodiscard]] Result<std::optional<std::string>> read_regular(
      const std::string& path) const override {
    return read(path);
  }
  [[nodiscard]] std::string canonical(const std::string& path) const override { return path; }
  [[nodiscard]] bool is_directory(const std::string& /*path*/) const override { return false; }
  [[nodiscard]] bool is_file(const std::string& path) const override {
    return path == configuration_path;
  }

 private:
  std::string text_;
};

constexpr int done = 0;
constexpr int failed = 1;
constexpr int wrong_usage = 2;

int report(int status, const Error& error) {
  (void)std::fprintf(stderr, "conformance_client: %s\n", error.message().c_str());
  return status;
}

config::Environment environment_of_process() {
  const std::map<std::string, std::string> variables = io::process_environment();
  return {.variables = {variables.begin(), variables.end()},
          .home = io::home_directory(),
          .cwd = io::working_directory()};
}

Result<ConformanceScenario> read_scenario(const config::Environment& environment, std::string url) {
  ConformanceScenario scenario;
  scenario.name = environment.variable("MCP_CONFORMANCE_SCENARIO").value_or("");
  scenario.url = std::move(url);
  const std::string context = environment.variable("MCP_CONFORMANCE_CONTEXT").value_or("{}");
  Result<json::Document> document = json::Document::parse(context);
  if (!document) {
    return fail(std::move(document).error().while_doing("MCP_CONFORMANCE_CONTEXT"));
  }
  scenario.context = *std::move(document);
  if (const auto known = conformance_steps(scenario, {}); !known) {
    return fail(ErrorCode::invalid_argument, known.error().message());
  }
  return scenario;
}

// The host of the calls, and the person in front of it.
class Host final : public servers::HostLink {
 public:
  Host() { features_.elicitation_form = true; }
  [[nodiscard]] const mcp::ClientFeatures& features() const override { return features_; }
  io::Task<Result<rpc::Message>> ask(std::string method, SharedText params) override {
    const Result<json::Document> asked = json::Document::parse(params);
    if (!asked || method != mcp::method::elicitation_create) {
      co_return fail(ErrorCode::protocol, "this host is asked what it cannot do: " + method);
    }
    json::Writer result;
    result.begin_object()
        .member("action", "accept")
        .member_raw("content", untouched_form(asked->root().find("requestedSchema")))
        .end_object();
    co_return rpc::Message::parse(rpc::result(rpc::Id(1), rpc::Outgoing(result.take())).flat());
  }

 private:
  mcp::ClientFeatures features_;
};

io::Task<Result<void>> take_step(servers::Connection* connection,
                                 std::shared_ptr<servers::HostLink> host,
                                 ConformanceStep step) {
  servers::CallOptions options;
  options.host = std::move(host);
  const Result<rpc::Message> answer =
      co_await connection->call(step.method, SharedText(step.params), std::move(options));
  if (!answer && !step.may_fail) {
    co_return fail(Error(answer.error()).while_doing(step.method));
  }
  if (answer && answer->kind() == rpc::Message::Kind::failure && !step.may_fail) {
    co_return fail(ErrorCode::protocol,
                   step.method + ": " + std::string(answer->error().raw()) + " for " + step.params);
  }
  co_return Result<void>();
}

io::Task<Result<void>> act(servers::Pool* pool,
                           const config::Environment* environment,
                           const ConformanceScenario* scenario) {
  const config::Settings settings =
      config::load(*environment,
                   OnlyFile(conformance_configuration(*scenario)),
                   {.config_file = std::string(configuration_path), .registered = {}, .trust = {}});
  const config::Server* server = settings.find("conformance");
  if (server == nullptr) {
    co_return fail(ErrorCode::invalid_argument, "the server's entry was not understood");
  }
  Result<servers::Launch> launch =
      co_await servers::resolve_launch(*server, *environment, settings);
  if (!launch) {
    co_return fail(std::move(launch).error());
  }
  const auto host = std::make_shared<Host>();
  launch->features = host->features();
  const Result<std::shared_ptr<servers::Connection>> connection =
      co_await pool->acquire(*std::move(launch), servers::Use::on_demand);
  if (!connection) {
    co_return fail(connection.error());
  }
  const auto steps = conformance_steps(*scenario, (*connection)->listing());
  if (!steps) {
    co_return fail(steps.error());
  }
  for (const ConformanceStep& step : *steps) {
    Result<void> taken = co_await take_step(connection->get(), host, step);
    if (!taken) {
      co_return taken;
    }
  }
  co_return Result<void>();
}

io::Task<int> client_main(io::Executor executor,
                          const config::Environment* environment,
                          const ConformanceScenario* scenario) {
  servers::Connector connector(executor);
  servers::Pool pool(executor, {}, [&connector](servers::Launch launch) {
    return connector.connect(std::move(launch));
  });
  const Result<void> acted = co_await act(&pool, environment, scenario);
  co_await connector.close();
  co_await pool.close();
  co_return acted ? done : report(failed, acted.error());
}

int run_client(std::string url) {
  io::ignore_broken_pipes();
  const config::Environment environment = environment_of_process();
  const Result<ConformanceScenario> scenario = read_scenario(environment, std::move(url));
  if (!scenario) {
    return report(wrong_usage, scenario.error());
  }
  return io::run([&environment, &scenario](const io::Executor& executor) {
    return client_main(executor, &environment, &*scenario);
  });
}

}  // namespace
}  // namespace pi_mcp::test

int main(int count, char** values) {
  if (count != 2) {
    (void)std::fputs("usage: conformance_client URL\n", stderr);
    return 2;
  }
  return pi_mcp::test::run_client(values[1]);
}
