#include "servers/launch/request_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/loop.h"

namespace pi_mcp::servers {
namespace {

using testing::HasSubstr;
using testing::Not;

// "Name: value" of each header, or the reason.
std::string parsed(std::string_view printed) {
  const Result<http::Headers> headers = parse_request_headers(printed);
  if (!headers) {
    return headers.error().message();
  }
  std::string text;
  for (const http::Header& header : *headers) {
    text += header.name + ": " + header.value + "\n";
  }
  return text;
}

TEST(RequestHeadersTest, are_a_json_object_of_strings) {
  EXPECT_EQ(parsed(R"({"X-A": "1", "Authorization": "Signed 2"})"),
            "X-A: 1\nAuthorization: Signed 2\n");
  EXPECT_EQ(parsed("{}"), "");
  EXPECT_THAT(parsed("X-A: planted"), HasSubstr("not a JSON object"));
  EXPECT_THAT(parsed(R"(["planted"])"), HasSubstr("not a JSON object"));
  EXPECT_EQ(parsed(R"({"X-A": 1})"), "a value of \"X-A\" that is not a string");
  EXPECT_THAT(parsed(R"({"X-A": "planted\nX-B: 1"})"), HasSubstr("\"X-A\", which cannot be sent"));
  EXPECT_THAT(parsed(R"({"X-A": "planted\nX-B: 1"})"), Not(HasSubstr("planted")));
  EXPECT_THAT(parsed(R"({"X A": "1"})"), HasSubstr("cannot be sent"));
}

TEST(RequestHeadersTest, leave_what_belongs_to_the_connection_and_to_mcp) {
  EXPECT_EQ(parsed(R"({"Host": "h", "content-length": "0", "Content-Type": "a/b", "X-A": "1",
                       "Mcp-Session-Id": "s", "MCP-Protocol-Version": "v"})"),
            "X-A: 1\n");
}

TEST(RequestHeadersTest, the_program_reads_the_whole_request) {
  EXPECT_EQ(request_to_sign({.method = "POST", .url = "https://h/p?q", .body = "{\"a\":1}"}),
            R"({"version":1,"method":"POST","url":"https://h/p?q","bodyBase64":"eyJhIjoxfQ=="})");
}

io::Task<Result<http::Headers>> run(io::Executor executor, CredentialCommand command) {
  RequestHeaders headers(executor, "far", std::move(command));
  co_return co_await headers.headers_of({.method = "POST", .url = "http://h/", .body = "{}"});
}

// What is said when `script` is the program.
std::string outcome(const std::string& script, Milliseconds time_max = Milliseconds(10'000)) {
  const CredentialCommand command{.program = "sh",
                                  .args = {"-c", script},
                                  .env = {{"PATH", "/usr/bin:/bin"}},
                                  .cwd = "/",
                                  .time_max = time_max};
  const auto headers =
      io::run([&command](const io::Executor& executor) { return run(executor, command); });
  return headers ? "headers" : headers.error().message();
}

TEST(RequestHeadersTest, errors_name_server_program_and_next_step_and_no_output) {
  EXPECT_EQ(outcome(R"(echo '{"X-A":"1"}')"), "headers");
  EXPECT_EQ(outcome("echo planted; exit 3"),
            "server far: its requestHeadersCommand sh exited with status 3; run it in a shell to "
            "see why");
  EXPECT_EQ(outcome("echo planted"),
            "server far: its requestHeadersCommand sh printed something that is not a JSON object; "
            "it must print an object such as {\"X-Signature\": \"...\"}");
  EXPECT_EQ(outcome("true"), "server far: its requestHeadersCommand sh printed nothing");
  EXPECT_THAT(outcome("yes planted"), HasSubstr("printed more than 64"));
  EXPECT_THAT(outcome("yes planted"), Not(HasSubstr("planted")));
  EXPECT_THAT(outcome("sleep 60", Milliseconds(50)),
              HasSubstr("a larger timeoutMs gives it more time, 60000 at most"));
}

}  // namespace
}  // namespace pi_mcp::servers
