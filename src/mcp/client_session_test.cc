#include "mcp/client_session.h"

#include <gtest/gtest.h>

#include "mcp/discovery.h"
#include "mcp/task_poll.h"

namespace pi_mcp::mcp {
namespace {

ClientSession session() {
  return ClientSession({.client_name = "pi-mcp", .client_version = "1.2"});
}

Result<ClientSession::Next> answer(ClientSession& session, const std::string& member) {
  (void)session.initialize_params();  // what is sent has tests of its own
  const Result<rpc::Message> message = rpc::Message::parse(R"({"id":1,)" + member + "}");
  EXPECT_TRUE(message) << message.error().message();
  return session.on_answer(*message);
}

std::string refusal(const std::string& member) {
  ClientSession refused = session();
  const Result<ClientSession::Next> next = answer(refused, member);
  EXPECT_EQ(refused.phase(), ClientSession::Phase::refused);
  return next ? "accepted" : next.error().message();
}

TEST(RequestEnvelope, offers_no_tasks_where_the_user_does_not_want_them) {
  const ClientSession::Options follows{.client_name = "pi-mcp", .client_version = "1.2"};
  ClientSession::Options does_not = follows;
  does_not.tasks = false;
  const auto offers = [](const ClientSession::Options& options) {
    const std::string envelope = request_envelope(options, Revision::r2026_07_28);
    return envelope.find(tasks_extension) != std::string::npos;
  };
  EXPECT_TRUE(offers(follows));
  EXPECT_FALSE(offers(does_not));
}

TEST(ClientSession, says_why_a_handshake_failed) {
  EXPECT_EQ(refusal(R"("error":{"code":-32603,"message":"no\u001b[2J token"})"),
            "the server refused: no token (code -32603)");
  EXPECT_EQ(refusal(R"("error":"plain")"), "the server refused: plain");
  EXPECT_EQ(refusal(R"("error":{})"), "the server refused: no message");
  EXPECT_EQ(refusal(R"("result":{})"),
            "the server's answer has no protocolVersion; is this an MCP server?");
  EXPECT_EQ(refusal(R"("result":null)"),
            "the server's answer has no protocolVersion; is this an MCP server?");
  EXPECT_EQ(refusal(R"("result":{"protocolVersion":"1999-01-01"})"),
            "the server speaks protocol version \"1999-01-01\", pi-mcp speaks " +
                handshake_revisions_text());
  EXPECT_EQ(refusal(R"("error":{"code":-32022,"message":"x","data":{"supported":["2026-07-28"]}})"),
            "the server speaks only protocol versions [\"2026-07-28\"], pi-mcp speaks " +
                handshake_revisions_text());
}

TEST(ClientSession, asks_for_the_newest_revision_with_the_callers_capabilities) {
  ClientSession fresh(
      {.client_name = "a", .client_version = "2", .capabilities_json = R"({"x":{}})"});
  EXPECT_EQ(fresh.phase(), ClientSession::Phase::fresh);
  EXPECT_EQ(fresh.initialize_params().view(),
            R"({"protocolVersion":"2025-11-25","capabilities":{"x":{}},)"
            R"("clientInfo":{"name":"a","version":"2"}})");
  EXPECT_EQ(fresh.phase(), ClientSession::Phase::initializing);
}

TEST(ClientSession, reads_what_the_server_is_and_can_do) {
  ClientSession ready = session();
  const Result<ClientSession::Next> next = answer(
      ready,
      R"("result":{"protocolVersion":"2025-03-26","instructions":"be kind",)"
      R"("capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true},)"
      R"("logging":{},"completions":7},"serverInfo":{"name":"s","version":"3","title":"S"}})");
  ASSERT_TRUE(next);
  EXPECT_EQ(*next, ClientSession::Next::announce);
  EXPECT_EQ(ready.phase(), ClientSession::Phase::ready);
  const ServerDescription& server = ready.server();
  EXPECT_EQ(server.name + " " + server.version + " " + server.title, "s 3 S");
  EXPECT_EQ(server.instructions, "be kind");
  EXPECT_EQ(server.revision, Revision::r2025_03_26);
  const ServerCapabilities& can = server.capabilities;
  EXPECT_TRUE(can.tools && can.tools_list_changed && can.prompts && can.resources && can.logging);
  EXPECT_TRUE(can.resources_subscribe);
  EXPECT_FALSE(can.prompts_list_changed || can.resources_list_changed || can.completions);
}

TEST(ClientSession, a_bare_answer_is_enough) {
  for (const RevisionTraits& row : revisions) {
    ClientSession ready = session();
    const auto next =
        answer(ready, R"("result":{"protocolVersion":")" + std::string(row.name) + R"("})");
    ASSERT_EQ(next.has_value(), row.has_handshake);
    EXPECT_EQ(ready.server().revision, next ? row.revision : newest_by_handshake);
    EXPECT_FALSE(ready.server().capabilities.tools);
  }
}

TEST(ClientSession, asks_once_more_for_a_version_the_server_names) {
  ClientSession twice = session();
  const std::string error =
      R"("error":{"code":-32602,"message":"v","data":{"supported":["2024-11-05","2025-03-26","x"]}})";
  const Result<ClientSession::Next> next = answer(twice, error);
  ASSERT_TRUE(next);
  EXPECT_EQ(*next, ClientSession::Next::ask_again);
  EXPECT_NE(twice.initialize_params().view().find("2025-03-26"), std::string_view::npos);
  EXPECT_FALSE(answer(twice, error)) << "not for ever";
}

}  // namespace
}  // namespace pi_mcp::mcp
