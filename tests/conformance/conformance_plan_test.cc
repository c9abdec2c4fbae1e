#include "conformance/conformance_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ConformanceScenario scenario(std::string name, const std::string& context = "{}") {
  return {.name = std::move(name),
          .url = "http://localhost:1/mcp",
          .context = json::Document::parse(context).value_or(json::Document())};
}

mcp::Tool tool(std::string name, const std::string& schema = "{}") {
  mcp::Tool made;
  made.name = std::move(name);
  made.input_schema = SharedText(schema);
  return made;
}

std::vector<std::string> steps(const ConformanceScenario& scenario,
                               const mcp::Listing& listing = {}) {
  const auto found = conformance_steps(scenario, listing);
  if (!found) {
    return {found.error().message()};
  }
  std::vector<std::string> texts;
  for (const ConformanceStep& step : *found) {
    texts.push_back(step.method + " " + step.params);
  }
  return texts;
}

TEST(ConformancePlan, a_scenario_that_nobody_planned_for_is_not_taken_for_a_success) {
  EXPECT_THAT(steps(scenario("tomorrow")),
              ElementsAre("there is no plan for the scenario \"tomorrow\""));
  EXPECT_THAT(steps(scenario("initialize")), IsEmpty());
}

TEST(ConformancePlan, logins_are_configured_as_a_person_would) {
  EXPECT_EQ(conformance_configuration(scenario("initialize")),
            R"({"settings":{"autoAuth":true},"mcpServers":{"conformance":)"
            R"({"url":"http://localhost:1/mcp"}}})");
  EXPECT_EQ(conformance_configuration(scenario("auth/client-credentials-basic",
                                               R"({"client_id":"i","client_secret":"s"})")),
            R"({"settings":{"autoAuth":true},"mcpServers":{"conformance":)"
            R"({"url":"http://localhost:1/mcp","auth":"oauth","oauth":)"
            R"({"clientId":"i","clientSecret":"s","grantType":"client_credentials"}}}})");
}

TEST(ConformancePlan, a_company_that_vouches_for_its_user_is_configured_as_a_person_would) {
  EXPECT_EQ(
      conformance_configuration(scenario(
          "auth/cross-app-access-complete-flow",
          R"({"client_id":"i","client_secret":"s","idp_client_id":"j","idp_id_token":"t",)"
          R"("idp_issuer":"http://localhost:2","idp_token_endpoint":"http://localhost:2/token"})")),
      R"({"settings":{"autoAuth":true},"mcpServers":{"conformance":)"
      R"({"url":"http://localhost:1/mcp","auth":"oauth","oauth":)"
      R"({"clientId":"i","clientSecret":"s","grantType":"cross_app_access","idp":)"
      R"({"issuer":"http://localhost:2","clientId":"j","idToken":"t"}}}}})");
}

TEST(ConformancePlan, calls_come_from_the_context_and_from_what_is_offered) {
  EXPECT_THAT(steps(scenario("http-custom-headers",
                             R"({"toolCalls":[{"name":"a","arguments":{"x":1}},{"name":"b"}]})")),
              ElementsAre(R"(tools/call {"name":"a","arguments":{"x":1}})",
                          R"(tools/call {"name":"b","arguments":{}})"));
  mcp::Listing listing;
  listing.tools = {tool("one", R"({"type":"object"})"),
                   tool("json_schema_2020_12_tool", R"({"a":1})")};
  listing.resources.resize(1);
  listing.resources[0].uri = "file:///r";
  listing.prompts.resize(1);
  listing.prompts[0].name = "p";
  EXPECT_THAT(steps(scenario("http-standard-headers"), listing),
              ElementsAre(R"(tools/call {"name":"one","arguments":{}})",
                          R"(resources/read {"uri":"file:///r"})",
                          R"(prompts/get {"name":"p"})"));
  EXPECT_THAT(
      steps(scenario("json-schema-2020-12-preservation"), listing),
      ElementsAre(R"(tools/call {"name":"json_schema_echo","arguments":{"schema":{"a":1}}})"));
}

TEST(ConformancePlan, forms_are_left_as_they_are) {
  const auto schema = json::Document::parse(
      R"({"properties":{"n":{"type":"string","default":"x"},"f":{"type":"number","default":1.50},)"
      R"("ok":{"type":"boolean"},"free":{"type":"string"}}})");
  EXPECT_EQ(untouched_form(schema->root()), R"({"n":"x","f":1.50,"ok":true})");
}

}  // namespace
}  // namespace pi_mcp::test
