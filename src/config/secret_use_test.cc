#include "config/secret_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> uses_of(const Server& server) {
  std::vector<std::string> found;
  for (const SecretUse& use : secret_uses(server)) {
    found.push_back(use.field + "=" + use.name);
  }
  return found;
}

TEST(SecretUse, every_string_that_may_have_a_variable_may_have_a_secret) {
  Server server;
  server.command = "${keyring:a}";
  server.args = {"x", "${keyring:b}${keyring:c}"};
  server.cwd = "/${keyring:d}";
  server.env = {{"E", "${keyring:e}"}};
  server.url = "https://e/${keyring:f}";
  server.socket = "${keyring:g}";
  server.headers = {{"H", "Bearer ${keyring:h}"}};
  server.bearer_token = "${keyring:i}";
  server.ca_file = "${keyring:j}";
  server.request_headers_command = RequestHeadersCommand{
      .command = "${keyring:k}", .args = {"${keyring:l}"}, .env = {{"M", "${keyring:m}"}}};
  server.oauth = OAuth{};
  server.oauth->texts = {{"clientSecret", "${keyring:n}"}};
  server.oauth->authorization_params = {{"o", "${keyring:o}"}};
  EXPECT_THAT(uses_of(server),
              ElementsAre("command=a",
                          "args[1]=b",
                          "args[1]=c",
                          "cwd=d",
                          "env E=e",
                          "url=f",
                          "socket=g",
                          "header H=h",
                          "bearerToken=i",
                          "caFile=j",
                          "requestHeadersCommand.command=k",
                          "requestHeadersCommand.args[0]=l",
                          "requestHeadersCommand.env M=m",
                          "oauth.clientSecret=n",
                          "oauth.authorizationParams.o=o"));
}

TEST(SecretUse, what_is_taken_as_written_names_none) {
  Server server;
  server.env = {{"A", "!print ${keyring:a}"}, {"B", "${TOKEN}"}};
  EXPECT_THAT(uses_of(server), IsEmpty());
  server.env = {{"A", "${keyring:a}"}};
  server.literal_env = true;
  EXPECT_THAT(uses_of(server), IsEmpty());
}

TEST(SecretUse, a_wrong_name_and_the_file_are_told) {
  Server server;
  server.args = {"${keyring:two words}"};
  server.origin = {.path = "/mine", .import_kind = "", .project = false};
  server.origins["args"] = {.path = "/theirs", .import_kind = "cursor", .project = false};
  server.headers = {{"H", "${keyring:h}"}};
  const std::vector<SecretUse> uses = secret_uses(server);
  ASSERT_EQ(uses.size(), 2U);
  EXPECT_EQ(uses[0].name, "two words");
  EXPECT_EQ(uses[0].origin.import_kind, "cursor");
  EXPECT_EQ(uses[1].origin.path, "/mine");
}

}  // namespace
}  // namespace pi_mcp::config
