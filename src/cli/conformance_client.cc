#include "cli/conformance_client.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/conformance_plan.h"
#include "config/load.h"
#include "io/loop.h"
#include "json/writer.h"
#include "mcp/methods.h"
#include "servers/connector.h"
#include "servers/host_link.h"
#include "servers/launch.h"
#include "servers/pool.h"

namespace pi_mcp::cli {
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

Result<ConformanceScenario> read_scenario(const Setup& setup) {
  ConformanceScenario scenario;
  scenario.name = setup.environment.variable("MCP_CONFORMANCE_SCENARIO").value_or("");
  scenario.url = setup.line.words().back();
  const std::string context = setup.environment.variable("MCP_CONFORMANCE_CONTEXT").value_or("{}");
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
                           const Setup* setup,
                           const ConformanceScenario* scenario) {
  const config::Settings settings =
      config::load(setup->environment,
                   OnlyFile(conformance_configuration(*scenario)),
                   {.config_file = std::string(configuration_path), .registered = {}, .trust = {}});
  const config::Server* server = settings.find("conformance");
  if (server == nullptr) {
    co_return fail(ErrorCode::invalid_argument, "the server's entry was not understood");
  }
  Result<servers::Launch> launch =
      co_await servers::resolve_launch(*server, setup->environment, settings);
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
  const auto steps = conformance_steps(*scenario, (*connection)->offer());
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

io::Task<ExitStatus> client_main(io::Executor executor,
                                 const Setup* setup,
                                 const ConformanceScenario* scenario) {
  servers::Connector connector(executor);
  servers::Pool pool(executor, {}, [&connector](servers::Launch launch) {
    return connector.connect(std::move(launch));
  });
  const Result<void> acted = co_await act(&pool, setup, scenario);
  co_await connector.close();
  co_await pool.close();
  co_return acted ? ExitStatus::done : report(*setup, acted.error());
}

}  // namespace

ExitStatus run_conformance_client(const Setup& setup) {
  const std::vector<std::string>& words = setup.line.words();
  if (words.size() != 2 || words.front() != "conformance-client") {
    return report(setup, {ErrorCode::invalid_argument, "dev wants conformance-client URL"});
  }
  const Result<ConformanceScenario> scenario = read_scenario(setup);
  if (!scenario) {
    return report(setup, scenario.error());
  }
  return io::run([&setup, &scenario](const io::Executor& executor) {
    return client_main(executor, &setup, &*scenario);
  });
}

}  // namespace pi_mcp::cli
