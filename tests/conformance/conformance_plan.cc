#include "conformance/conformance_plan.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "json/writer.h"
#include "mcp/methods.h"

namespace pi_mcp::test {
namespace {

// The suite never serves it; a client id is compared with it.
constexpr std::string_view metadata_url = "https://conformance-test.local/client-metadata.json";

constexpr std::string_view auth_prefix = "auth/";
constexpr std::string_view client_credentials_prefix = "auth/client-credentials-";

// A text of the suite's context and the name it has in a configuration.
using Named = std::pair<std::string_view, std::string_view>;

// Scenarios that only want to see the handshake and the lists.
constexpr std::array looking = {
    std::string_view("initialize"),
    std::string_view("request-metadata"),
    std::string_view("json-schema-ref-no-deref"),
};

void add_given(json::Writer& out, json::Value context, std::span<const Named> names) {
  for (const auto& [given, configured] : names) {
    if (const json::Value value = context.find(given); value.is_string()) {
      out.member(configured, value.string_or(""));
    }
  }
}

void add_oauth(json::Writer& out, const ConformanceScenario& scenario) {
  const json::Value context = scenario.context.root();
  out.key("oauth").begin_object();
  add_given(out,
            context,
            std::array{Named("client_id", "clientId"),
                       Named("client_secret", "clientSecret"),
                       Named("private_key_pem", "privateKey")});
  if (context.find("idp_id_token")) {
    out.member("grantType", "cross_app_access").key("idp").begin_object();
    add_given(out,
              context,
              std::array{Named("idp_issuer", "issuer"),
                         Named("idp_client_id", "clientId"),
                         Named("idp_id_token", "idToken")});
    out.end_object();
  } else if (scenario.name.starts_with(client_credentials_prefix)) {
    out.member("grantType", "client_credentials");
  } else {
    out.member("clientMetadataUrl", metadata_url);
  }
  out.end_object();
}

ConformanceStep call(std::string_view tool, std::string_view arguments) {
  json::Writer params;
  params.begin_object().member("name", tool).member_raw("arguments", arguments).end_object();
  return {.method = std::string(mcp::method::tools_call), .params = params.take()};
}

ConformanceStep ask(std::string_view method, std::string_view key, std::string_view value) {
  json::Writer params;
  params.begin_object().member(key, value).end_object();
  return {.method = std::string(method), .params = params.take()};
}

// One of everything that is offered.
std::vector<ConformanceStep> one_of_each(const mcp::Listing& listing) {
  std::vector<ConformanceStep> steps;
  if (!listing.tools.empty()) {
    steps.push_back(call(listing.tools.front().name, "{}"));
  }
  if (!listing.resources.empty()) {
    steps.push_back(ask(mcp::method::resources_read, "uri", listing.resources.front().uri));
  }
  if (!listing.prompts.empty()) {
    steps.push_back(ask(mcp::method::prompts_get, "name", listing.prompts.front().name));
  }
  return steps;
}

// The tool that tells which schema it was given gets the one that another tool came with.
std::vector<ConformanceStep> echo_schema(const mcp::Listing& listing) {
  std::vector<ConformanceStep> steps;
  for (const mcp::Tool& tool : listing.tools) {
    if (tool.name == "json_schema_2020_12_tool") {
      const std::string schema(tool.input_schema.view());
      steps.push_back(call("json_schema_echo", R"({"schema":)" + schema + "}"));
    }
  }
  return steps;
}

std::vector<ConformanceStep> calls_of_context(json::Value context) {
  std::vector<ConformanceStep> steps;
  for (const json::Value wanted : context.find("toolCalls").elements()) {
    const json::Value arguments = wanted.find("arguments");
    steps.push_back(call(wanted.find("name").string_or(""),
                         arguments.is_object() ? arguments.raw() : std::string_view("{}")));
  }
  return steps;
}

std::vector<ConformanceStep> call_every_tool(const mcp::Listing& listing) {
  std::vector<ConformanceStep> steps;
  steps.reserve(listing.tools.size());
  for (const mcp::Tool& tool : listing.tools) {
    steps.push_back(call(tool.name, R"({"region":"us"})"));
  }
  return steps;
}

std::vector<ConformanceStep> round_trips() {
  std::vector<ConformanceStep> steps = {call("test_mrtr_echo_state", "{}"),
                                        call("test_mrtr_no_state", "{}"),
                                        call("test_mrtr_unrelated", "{}"),
                                        call("test_mrtr_no_result_type", "{}")};
  steps.back().may_fail = true;
  return steps;
}

}  // namespace

std::string conformance_configuration(const ConformanceScenario& scenario) {
  json::Writer out;
  out.begin_object()
      .key("settings")
      .begin_object()
      .member("autoAuth", true)
      .end_object()
      .key("mcpServers")
      .begin_object()
      .key("conformance")
      .begin_object()
      .member("url", scenario.url);
  if (scenario.name.starts_with(auth_prefix)) {
    out.member("auth", "oauth");
    add_oauth(out, scenario);
  }
  out.end_object().end_object().end_object();
  return out.take();
}

Result<std::vector<ConformanceStep>> conformance_steps(const ConformanceScenario& scenario,
                                                       const mcp::Listing& listing) {
  using Steps = std::vector<ConformanceStep>;
  const std::string& name = scenario.name;
  if (std::find(looking.begin(), looking.end(), name) != looking.end()) {
    return Steps{};
  }
  if (name.starts_with(auth_prefix)) {
    return Steps{call("test-tool", "{}")};
  }
  if (name == "tools_call") {
    return Steps{call("add_numbers", R"({"a":5,"b":3})")};
  }
  if (name == "sse-retry") {
    return Steps{call("test_reconnection", "{}")};
  }
  if (name == "elicitation-sep1034-client-defaults") {
    return Steps{call("test_client_elicitation_defaults", "{}")};
  }
  if (name == "http-standard-headers") {
    return one_of_each(listing);
  }
  if (name == "http-custom-headers") {
    return calls_of_context(scenario.context.root());
  }
  if (name == "http-invalid-tool-headers") {
    return call_every_tool(listing);
  }
  if (name == "json-schema-2020-12-preservation") {
    return echo_schema(listing);
  }
  if (name == "sep-2322-client-request-state") {
    return round_trips();
  }
  return fail(ErrorCode::not_found, "there is no plan for the scenario " + json::quoted(name));
}

std::string untouched_form(json::Value requested_schema) {
  json::Writer content;
  content.begin_object();
  for (const auto [name, field] : requested_schema.find("properties").members()) {
    if (const json::Value value = field.find("default"); value.exists()) {
      content.member_raw(name.string_or(""), value.raw());
    } else if (field.find("type").equals("boolean")) {
      content.member(name.string_or(""), true);
    }
  }
  return content.end_object().take();
}

}  // namespace pi_mcp::test
