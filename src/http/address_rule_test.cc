#include "http/address_rule.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::http {
namespace {

using testing::HasSubstr;

bool allows(const std::string& own, const std::string& named) {
  return check_named_url(named, {.own_urls = {own}, .private_hosts = {}}).has_value();
}

TEST(AddressRule, a_public_server_names_public_https_addresses_alone) {
  const std::string own = "https://mcp.example/mcp";
  EXPECT_TRUE(allows(own, "https://as.example:8443/token"));
  EXPECT_TRUE(allows(own, "https://8.8.8.8/"));
  for (const std::string named : {"http://as.example/",
                                  "https://127.0.0.1/",
                                  "https://localhost:8443/",
                                  "https://LOCALHOST./",
                                  "https://a.localhost/",
                                  "https://[::1]/",
                                  "https://[::ffff:127.0.0.1]/",
                                  "https://2130706433/",
                                  "https://0x7f.1/",
                                  "https://0177.1/",
                                  "https://0/",
                                  "https://10.0.0.1/",
                                  "https://172.16.0.1/",
                                  "https://192.168.1.1/",
                                  "https://100.64.0.1/",
                                  "https://198.18.0.1/",
                                  "https://169.254.169.254/latest/meta-data",
                                  "https://[fe80::1]/",
                                  "https://[fd00::1]/",
                                  "https://[2002:7f00:1::]/",
                                  "https://[64:ff9b::a00:1]/",
                                  "https://224.0.0.1/",
                                  "https://user:pw@as.example/",
                                  "file:///etc/passwd",
                                  "javascript:alert(1)",
                                  "--help",
                                  "",
                                  "http://127.0.0.1/"}) {
    EXPECT_FALSE(allows(own, named)) << named;
  }
}

TEST(AddressRule, what_is_where_the_users_own_url_is_may_be_named) {
  EXPECT_TRUE(allows("http://localhost:1/mcp", "http://127.0.0.1:2/as"));
  EXPECT_TRUE(allows("http://127.0.0.1:1/mcp", "https://[::1]:2/as"));
  EXPECT_TRUE(allows("https://10.0.0.1/mcp", "https://192.168.0.2/as"));
  // Not further: the metadata service of a cloud is not a neighbour of an intranet server.
  EXPECT_FALSE(allows("https://10.0.0.1/mcp", "https://169.254.169.254/"));
  EXPECT_FALSE(allows("https://10.0.0.1/mcp", "https://127.0.0.1/"));
  EXPECT_FALSE(allows("http://127.0.0.1/mcp", "https://10.0.0.1/"));
  EXPECT_FALSE(allows("https://10.0.0.1/mcp", "http://10.0.0.2/"));
}

TEST(AddressRule, every_url_that_the_user_configured_for_the_server_counts) {
  const AddressRule rule{.own_urls = {"https://mcp.example/mcp", "https://10.1.1.1/idp"},
                         .private_hosts = {}};
  EXPECT_TRUE(check_named_url("https://10.2.2.2/token", rule));
  EXPECT_TRUE(check_named_url("https://mcp.example/x", rule));
  EXPECT_FALSE(check_named_url("https://127.0.0.1/token", rule));
}

TEST(AddressRule, a_host_that_the_user_names_may_be_private_but_not_plain_http) {
  const AddressRule rule{.own_urls = {"https://mcp.example/mcp"},
                         .private_hosts = {"10.0.0.*", "Sso.Corp.Example", "[fd00::1]"}};
  EXPECT_TRUE(check_named_url("https://10.0.0.7/", rule));
  EXPECT_TRUE(check_named_url("https://[fd00::1]/", rule));
  EXPECT_TRUE(is_private_host(rule, "sso.corp.example"));
  EXPECT_FALSE(is_private_host(rule, "evil-sso.corp.example"));
  EXPECT_FALSE(check_named_url("https://10.0.1.7/", rule));
  EXPECT_FALSE(check_named_url("http://10.0.0.7/", rule));
}

TEST(AddressRule, the_refusal_names_the_host_the_rule_and_the_setting) {
  const Result<void> checked = check_named_url(
      "https://10.0.0.1:8443/secret", {.own_urls = {"https://mcp.example"}, .private_hosts = {}});
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code(), ErrorCode::protocol);
  EXPECT_EQ(checked.error().message(),
            "\"https://10.0.0.1:8443\" is in a private network, and what a server names has to be "
            "a public https address; if this one is right, add \"10.0.0.1\" to privateHosts in "
            "your own settings");
}

}  // namespace
}  // namespace pi_mcp::http
