#include "mcp/client/opening.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

using testing::HasSubstr;

constexpr auto discovered =
    R"({"supportedVersions":["2025-11-25","2026-07-28"],"capabilities":{"tools":{}},"_meta":)"
    R"({"io.modelcontextprotocol/serverInfo":{"name":"m","version":"2"}}})";
constexpr auto modern =
    R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":)"
    R"({"io.modelcontextprotocol/serverInfo":{"name":"m","version":"2"}}})";
constexpr auto initialized =
    R"({"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"l"}})";

rpc::Message result(const std::string& json) {
  return rpc::Message::parse(R"({"jsonrpc":"2.0","id":1,"result":)" + json + "}").value();
}
rpc::Message failure(int code, const std::string& data = "{}") {
  return rpc::Message::parse(R"({"jsonrpc":"2.0","id":1,"error":{"code":)" + std::to_string(code) +
                             R"(,"message":"no","data":)" + data + "}}")
      .value();
}

Opening opening(Protocol protocol, bool may_ask_first) {
  return Opening({.client = {.client_name = "c", .client_version = "1"},
                  .protocol = protocol,
                  .may_ask_first = may_ask_first});
}
Opening over_http(Protocol protocol = Protocol::automatic) {
  return opening(protocol, true);
}
Opening over_a_pipe(Protocol protocol = Protocol::automatic) {
  return opening(protocol, false);
}

// What comes of an answer: the next method, or how it ended.
std::string after(Opening& opening, const Result<Opening::Next>& next) {
  if (!next) {
    return next.error().message();
  }
  switch (*next) {
    case Opening::Next::ask:
      return std::string(opening.ask().method);
    case Opening::Next::look:
      return "look";
    case Opening::Next::announce:
      return "announce";
    case Opening::Next::ready:
      break;
  }
  return "ready";
}
std::string after(Opening& opening, const rpc::Message& answer) {
  return after(opening, opening.on_answer(answer));
}

TEST(Opening, over_http_asks_first_what_the_server_speaks) {
  Opening opening = over_http();
  EXPECT_EQ(opening.ask().method, "server/discover");
  EXPECT_THAT(opening.envelope(), HasSubstr(R"("io.modelcontextprotocol/protocolVersion":"2026-)"));
  EXPECT_EQ(after(opening, result(modern)), "ready");
  EXPECT_FALSE(opening.traits().has_handshake);
  EXPECT_EQ(opening.server().name, "m");
  EXPECT_TRUE(opening.server().capabilities.tools);
}

TEST(Opening, takes_whatever_is_no_discovery_for_a_server_with_a_handshake) {
  for (const auto& answer :
       {R"({})", R"({"supportedVersions":"x"})", R"({"resultType":"complete"})"}) {
    Opening opening = over_http();
    EXPECT_EQ(after(opening, result(answer)), "initialize") << answer;
    EXPECT_TRUE(opening.traits().has_handshake);
    EXPECT_EQ(opening.envelope(), "") << "no trace of the other protocol";
    EXPECT_EQ(after(opening, result(initialized)), "announce");
    EXPECT_EQ(opening.server().name, "l");
  }
  for (const int code : {-32601, -32602, -32000, -32021, -1}) {
    Opening opening = over_http();
    EXPECT_EQ(after(opening, failure(code)), "initialize") << code;
  }
  Opening opening = over_http();
  EXPECT_EQ(after(opening, opening.on_error({ErrorCode::protocol, "a web page"})), "initialize");
  Opening silent = over_http();
  EXPECT_EQ(after(silent, silent.on_error({ErrorCode::timed_out, "no answer"})), "initialize");
}

TEST(Opening, never_takes_a_broken_link_or_missing_rights_for_another_protocol) {
  for (const ErrorCode code :
       {ErrorCode::unauthorized, ErrorCode::unavailable, ErrorCode::cancelled}) {
    Opening opening = over_http();
    EXPECT_EQ(after(opening, opening.on_error({code, "why"})), "why");
  }
}

TEST(Opening, asks_once_more_with_the_version_that_a_server_names) {
  Opening opening = over_http();
  const auto refusal = failure(-32022, R"({"supported":["2026-07-28"]})");
  EXPECT_EQ(after(opening, refusal), "server/discover");
  EXPECT_EQ(after(opening, refusal), "the server refused: no (code -32022)");
  Opening again = over_http();
  (void)after(again, refusal);
  EXPECT_EQ(after(again, result(modern)), "ready");
}

TEST(Opening, turns_to_the_handshake_only_where_the_versions_allow_it) {
  Opening older = over_http();
  EXPECT_EQ(after(older, failure(-32022, R"({"supported":["2025-11-25"]})")), "initialize");
  Opening newer = over_http();
  EXPECT_THAT(after(newer, failure(-32022, R"({"supported":["2030-01-01"]})")),
              HasSubstr("refused"));
  Opening listed = over_http();
  EXPECT_EQ(after(listed, result(R"({"supportedVersions":["2024-11-05"]})")), "initialize");
  Opening unknown = over_http();
  EXPECT_THAT(after(unknown, result(R"({"supportedVersions":["2030-01-01"]})")),
              HasSubstr("no protocol version that pi-mcp speaks"));
}

// What it remembers, after a discovery of both protocols and then `answer`.
Opening after_both(const rpc::Message& answer, bool has_session) {
  Opening opening({.client = {.client_name = "c", .client_version = "1"},
                   .may_ask_first = true,
                   .has_session = [has_session] {
                     return has_session;
                   }});
  EXPECT_EQ(after(opening, result(discovered)), "initialize");
  (void)after(opening, answer);
  return opening;
}

TEST(Opening, remembers_in_which_protocol_a_server_of_both_works) {
  const std::optional<Era> kept = after_both(result(initialized), true).era();
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->revision, Revision::r2025_06_18);
  EXPECT_TRUE(kept->has_session);
  EXPECT_EQ(kept->server, "l");
  for (const rpc::Message& answer : {result(initialized), failure(-32601)}) {
    const std::optional<Era> none = after_both(answer, false).era();
    ASSERT_TRUE(none);
    EXPECT_EQ(none->revision, Revision::r2026_07_28);
    EXPECT_FALSE(none->has_session);
    EXPECT_TRUE(none->tried_handshake);
    EXPECT_EQ(none->server, "m 2");
  }
}

TEST(Opening, takes_the_newer_protocol_of_two_for_a_host_that_speaks_it) {
  Opening both = over_http(Protocol::newest);
  EXPECT_EQ(both.ask().method, "server/discover");
  EXPECT_EQ(after(both, result(discovered)), "ready");
  EXPECT_FALSE(both.era()) << "others may have to be spoken to in the older one";
  Opening older = over_http(Protocol::newest);
  EXPECT_EQ(after(older, failure(-32601)), "initialize");
  EXPECT_EQ(over_a_pipe(Protocol::newest).ask().method, "initialize");
}

TEST(Opening, remembers_whether_the_handshake_was_tried) {
  for (const bool tried : {false, true}) {
    Opening opening(
        {.client = {.client_name = "c", .client_version = "1"},
         .may_ask_first = true,
         .known =
             Era{.revision = Revision::r2026_07_28, .tried_handshake = tried, .server = "m 2"}});
    EXPECT_EQ(after(opening, result(modern)), "ready");
    EXPECT_EQ(opening.era().value().tried_handshake, tried);
  }
}

TEST(Opening, does_not_remember_a_guess_or_what_was_pinned) {
  for (const ErrorCode code : {ErrorCode::timed_out, ErrorCode::unavailable}) {
    Opening opening = over_http();
    EXPECT_EQ(after(opening, result(discovered)), "initialize");
    EXPECT_EQ(after(opening, opening.on_error({code, "no answer"})), "ready");
    EXPECT_FALSE(opening.traits().has_handshake);
    EXPECT_FALSE(opening.era());
  }
  Opening pinned = over_http(Protocol::discovery);
  EXPECT_EQ(after(pinned, result(discovered)), "ready");
  EXPECT_FALSE(pinned.era());
  Opening pipe = over_a_pipe();
  EXPECT_EQ(after(pipe, result(initialized)), "announce");
  EXPECT_FALSE(pipe.era());
}

TEST(Opening, does_not_pass_over_missing_rights_for_the_handshake) {
  Opening opening = over_http();
  (void)after(opening, result(discovered));
  EXPECT_EQ(after(opening, opening.on_error({ErrorCode::unauthorized, "log in"})), "log in");
}

TEST(Opening, at_a_pipe_sends_nothing_before_initialize) {
  Opening opening = over_a_pipe();
  EXPECT_EQ(opening.ask().method, "initialize");
  EXPECT_EQ(after(opening, result(initialized)), "announce");
}

TEST(Opening, at_a_pipe_turns_to_discovery_when_there_is_no_handshake) {
  for (const int code : {-32601, -32602, -32022}) {
    Opening opening = over_a_pipe();
    EXPECT_EQ(after(opening, failure(code)), "server/discover") << code;
    EXPECT_EQ(after(opening, result(discovered)), "ready");
    EXPECT_FALSE(opening.traits().has_handshake);
  }
  Opening broken = over_a_pipe();
  EXPECT_EQ(after(broken, failure(-32603)), "the server refused: no (code -32603)");
  Opening refused = over_a_pipe();
  EXPECT_EQ(after(refused, failure(-32602)), "server/discover");
  EXPECT_EQ(after(refused, failure(-32601)), "the server refused: no (code -32602)")
      << "what was said to initialize counts";
}

TEST(Opening, speaks_only_what_the_user_has_pinned) {
  Opening old_one = over_http(Protocol::handshake);
  EXPECT_EQ(old_one.ask().method, "initialize");
  EXPECT_THAT(after(old_one, failure(-32601)), HasSubstr("refused"));
  Opening new_one = over_a_pipe(Protocol::discovery);
  EXPECT_EQ(new_one.ask().method, "server/discover");
  EXPECT_THAT(after(new_one, failure(-32601)), HasSubstr("refused"));
}

}  // namespace
}  // namespace pi_mcp::mcp
