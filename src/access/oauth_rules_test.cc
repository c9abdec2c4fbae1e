#include "access/oauth_rules.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::access {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string good = R"({"http":{"oauth":{
  "resource": "https://gw.example/",
  "issuers": ["https://sso.example/realms/one", "http://127.0.0.1:9000"],
  "audience": ["api://gw"],
  "scopes": {
    "mcp": {},
    "docs": {"servers": ["docs", "my wiki"], "tools": ["get_*"]},
    "docs:write": {"servers": ["docs"], "tools": ["put_*"]},
    "jira": {"servers": ["jira"]}
  }}}})";

OAuthRules rules() {
  Result<std::optional<OAuthRules>> read = OAuthRules::read(good);
  EXPECT_TRUE(read && *read) << (read ? "nothing" : read.error().message());
  return read && *read ? **read : OAuthRules();
}

std::string problem(const std::string& oauth) {
  const Result<std::optional<OAuthRules>> read =
      OAuthRules::read("{\"http\":{\"oauth\":" + oauth + "}}");
  return read ? "" : read.error().message();
}
// Of one that is good but for the members in front.
std::string problem_of(const std::string& members) {
  return problem(R"({"resource":"https://gw.example","issuers":["https://sso.example"],)"
                 R"("scopes":{"mcp":{}},)" +
                 members + "}");
}

using Texts = std::vector<std::string>;

TEST(OAuthRules, are_not_there_where_nobody_wrote_them) {
  for (const char* none : {"{}", R"({"shared":false})", R"({"http":{}})"}) {
    const Result<std::optional<OAuthRules>> read = OAuthRules::read(none);
    ASSERT_TRUE(read) << none;
    EXPECT_FALSE(*read) << none;
  }
}

TEST(OAuthRules, how_long_somebody_is_remembered_may_be_said_without_them) {
  const auto days = [](const std::string& http) {
    return OAuthRules::forget_after("{\"http\":" + http + "}");
  };
  EXPECT_EQ(days("{}"), std::chrono::days(90));
  EXPECT_EQ(days(R"({"forgetAfterDays":30})"), std::chrono::days(30));
  EXPECT_FALSE(*OAuthRules::read(R"({"http":{"forgetAfterDays":30}})"));
  for (const char* wrong : {"0", "-1", "3651", "1.5", "\"30\"", "null"}) {
    const auto read = days("{\"forgetAfterDays\":" + std::string(wrong) + "}");
    ASSERT_FALSE(read) << wrong;
    EXPECT_THAT(read.error().message(), HasSubstr("settings.http.forgetAfterDays")) << wrong;
  }
}

TEST(OAuthRules, a_token_gives_what_its_scopes_give_each_by_itself) {
  const auto grants = [](const Texts& scopes) {
    const OAuthRules::Given given = rules().give({"https://gw.example"}, scopes);
    EXPECT_TRUE(given.is_for_us);
    return given.grants;
  };
  EXPECT_THAT(grants({"mcp"}), ElementsAre(Grant()));
  EXPECT_THAT(grants({"openid", "jira", "docs"}),
              ElementsAre(Grant{.servers = {"docs", "my wiki"}, .tools = {"get_*"}},
                          Grant{.servers = {"jira"}, .tools = {}}));
  EXPECT_THAT(grants({}), IsEmpty());
  EXPECT_THAT(grants({"openid", "MCP", "docs:"}), IsEmpty());
}

TEST(OAuthRules, the_highest_rate_of_its_scopes_counts) {
  const auto read = OAuthRules::read(
      R"({"http":{"rate":{"perSecond":1},"oauth":{"resource":"https://gw.example",)"
      R"("issuers":["https://sso.example"],"scopes":{"a":{"rate":{"perSecond":2}},)"
      R"("b":{"rate":{"perMinute":240}},"free":{"rate":"none"},"silent":{},)"
      R"("docs":{"servers":["docs"],"rate":{"perSecond":9}}}}}})");
  ASSERT_TRUE(read && *read);
  const auto rate = [&](const Texts& scopes, const char* audience = "https://gw.example") {
    return (*read)->give({audience}, scopes).rate;
  };
  const auto per_second = [](std::uint32_t count) {
    return Rate{.count = count, .period = Milliseconds(1'000), .burst = count};
  };
  EXPECT_EQ(rate({"a", "silent"}), per_second(2));
  EXPECT_EQ(rate({"a", "b"})->count, 240U);
  EXPECT_EQ(rate({"b", "docs"}), per_second(9));
  EXPECT_EQ(rate({"a", "free"}), Rate());
  EXPECT_EQ(rate({"silent"}), std::nullopt) << "as everybody's";
  EXPECT_EQ(rate({"a", "docs"}, "https://gw.example/servers/jira/mcp"), per_second(2))
      << "a scope that gives nothing there";
}

TEST(OAuthRules, it_is_for_us_by_our_own_addresses_or_what_was_configured) {
  for (const char* ours :
       {"https://gw.example", "https://gw.example/", "https://gw.example/mcp", "api://gw"}) {
    const auto given = rules().give({"https://other.example", ours}, {"mcp"});
    EXPECT_TRUE(given.is_for_us) << ours;
    EXPECT_THAT(given.grants, ElementsAre(Grant())) << ours;
  }
  for (const char* other : {"",
                            "https://gw.example.evil.example",
                            "https://gw.example/other",
                            "https://gw.example/mcp/",
                            "https://gw.example/servers//mcp",
                            "https://gw.example:8443",
                            "https://GW.example",
                            "http://gw.example",
                            "https://sso.example/realms/one",
                            "api://gw/"}) {
    EXPECT_FALSE(rules().give({other}, {"mcp"}).is_for_us) << other;
  }
  EXPECT_FALSE(rules().give({}, {"mcp"}).is_for_us);
}

TEST(OAuthRules, a_token_for_the_address_of_one_server_is_for_that_one) {
  const auto grants = [](const Texts& audiences, const Texts& scopes) {
    const OAuthRules::Given given = rules().give(audiences, scopes);
    EXPECT_TRUE(given.is_for_us);
    return given.grants;
  };
  const std::string wiki = "https://gw.example/servers/my%20wiki/mcp";
  const std::string jira = "https://gw.example/servers/jira/mcp";
  EXPECT_THAT(grants({wiki}, {"mcp"}), ElementsAre(Grant{.servers = {"my wiki"}, .tools = {}}));
  EXPECT_THAT(grants({wiki, jira}, {"docs", "docs:write", "jira"}),
              ElementsAre(Grant{.servers = {"my wiki"}, .tools = {"get_*"}},
                          Grant{.servers = {"jira"}, .tools = {}}));
  EXPECT_THAT(grants({jira}, {"docs"}), IsEmpty());
}

TEST(OAuthRules, clients_are_told_where_to_log_in_for_each_address) {
  EXPECT_EQ(rules().metadata(""),
            R"({"resource":"https://gw.example","authorization_servers":)"
            R"(["https://sso.example/realms/one","http://127.0.0.1:9000"],"scopes_supported":)"
            R"(["mcp","docs","docs:write","jira"],"bearer_methods_supported":["header"],)"
            R"("resource_name":"pi-mcp"})");
  EXPECT_THAT(rules().metadata("/mcp?x=1"), HasSubstr(R"("resource":"https://gw.example/mcp")"));
  EXPECT_THAT(rules().metadata("/servers/jira/mcp"),
              HasSubstr(R"("scopes_supported":["mcp","jira"])"));
  EXPECT_EQ(rules().challenge("/mcp/"),
            "resource_metadata=\"https://gw.example/.well-known/oauth-protected-resource/mcp\", "
            "scope=\"mcp docs docs:write jira\"");
  EXPECT_EQ(rules().challenge("/servers/my%20wiki/mcp?tools=a"),
            "resource_metadata=\"https://gw.example/.well-known/oauth-protected-resource/servers/"
            "my%20wiki/mcp\", scope=\"mcp docs\"");
  for (const char* other : {"/metrics", "/", "*", "", "/servers/a\"b/mcp", "/servers/a\\/mcp"}) {
    EXPECT_THAT(rules().challenge(other),
                HasSubstr("resource_metadata=\"https://gw.example/.well-known/"
                          "oauth-protected-resource\", "))
        << other;
  }
}

TEST(OAuthRules, its_host_is_as_clients_send_it) {
  const auto host = [](const std::string& resource) {
    const auto read = OAuthRules::read(R"({"http":{"oauth":{"issuers":["https://s.example"],)"
                                       R"("scopes":{"a":{}},"resource":")" +
                                       resource + "\"}}}");
    return read && *read ? (*read)->host() : "none";
  };
  EXPECT_EQ(host("https://gw.example"), "gw.example");
  EXPECT_EQ(host("https://gw.example:8443/"), "gw.example");
  EXPECT_EQ(host("http://[::1]:8808"), "[::1]");
  EXPECT_EQ(host("http://[::1]"), "[::1]");
}

TEST(OAuthRules, what_could_not_be_understood_lets_nobody_in_and_says_why) {
  EXPECT_THAT(problem("true"), HasSubstr("settings.http.oauth has to be an object"));
  EXPECT_THAT(problem("{}"), HasSubstr("http.oauth.resource has to be the address by which"));
  EXPECT_THAT(problem_of(R"("audiences":["x"])"),
              HasSubstr("has an unknown key \"audiences\"; it may have resource, issuers, "
                        "audience, scopes"));
  for (const char* resource : {"",
                               "gw.example",
                               "ftp://gw.example",
                               "https://gw.example/mcp",
                               "https://gw.example?x",
                               "https://u:p@gw.example"}) {
    EXPECT_THAT(problem_of(R"("resource":")" + std::string(resource) + "\""),
                HasSubstr("http.oauth.resource has to be"))
        << resource;
  }
  for (const char* issuers : {"[]",
                              "\"https://sso.example\"",
                              "[1]",
                              "[\"\"]",
                              "null",
                              "[\"http://sso.example\"]",
                              "[\"sso.example\"]",
                              "[\"https://sso.example?x\"]",
                              "[\"https://sso.example#x\"]",
                              "[\"https://u@sso.example\"]"}) {
    EXPECT_THAT(problem_of(R"("issuers":)" + std::string(issuers)),
                HasSubstr("http.oauth.issuers has to"))
        << issuers;
  }
  EXPECT_THAT(problem_of(R"("audience":[])"), HasSubstr("http.oauth.audience has to be a list"));
  EXPECT_THAT(problem_of(R"("audience":"x")"), HasSubstr("http.oauth.audience has to be a list"));
  for (const char* scopes : {"{}", "[]", "null", "[\"mcp\"]"}) {
    EXPECT_THAT(problem_of(R"("scopes":)" + std::string(scopes)),
                HasSubstr("http.oauth.scopes has to say what each scope gives"))
        << scopes;
  }
  EXPECT_THAT(problem_of(R"("scopes":{"a b":{}})"), HasSubstr("\"a b\" is no name of a scope"));
  EXPECT_THAT(problem_of(R"("scopes":{"a\"":{}})"), HasSubstr("is no name of a scope"));
  EXPECT_THAT(problem_of(R"("scopes":{"a":true})"), HasSubstr("scopes.\"a\" has to be an object"));
  EXPECT_THAT(problem_of(R"("scopes":{"a":{"server":["x"]}})"),
              HasSubstr("has an unknown key \"server\"; it may have servers, tools"));
  EXPECT_THAT(problem_of(R"("scopes":{"a":{"servers":[]}})"),
              HasSubstr("scopes.\"a\".servers has to be a list with at least one"));
  EXPECT_THAT(problem_of(R"("scopes":{"a":{"tools":"get_*"}})"),
              HasSubstr("scopes.\"a\".tools has to be a list"));
  EXPECT_THAT(problem_of(R"("scopes":{"a":{"rate":{"perDay":5}}})"),
              HasSubstr("scopes.\"a\".rate has an unknown key \"perDay\""));
  const auto http = OAuthRules::read(R"({"http":{"oaut":{}}})");
  ASSERT_FALSE(http);
  EXPECT_THAT(http.error().message(), HasSubstr("settings.http has an unknown key \"oaut\""));
}

}  // namespace
}  // namespace pi_mcp::access
