// Servers of a project that nobody has allowed, as a host sees them: who is asked, what an answer
// allows, and that nothing starts without.
#include "tool/consent/trust_gate.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/host_fixture.h"
#include "tool/consent/trust_view.h"

namespace pi_mcp::tool {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* echoed = R"("text":"hi")";

class TrustQuestion : public test::HostFixture {
 protected:
  TrustQuestion() {
    options.config.trust = [this](TrustTerm term,
                                  const std::vector<config::TrustRequest>& requests) {
      return take(term, requests);
    };
  }

  void TearDown() override { end(); }
  // The host has gone; the next one begins another session.
  void end() {
    if (serves_) {
      serves_ = false;
      hang_up();
      stop();
      std::destroy_at(&host);
      std::construct_at(&host, context.get_executor(), test::ScriptedLink::Script());
    }
  }

  // A server that waits.
  void add_waiting(const std::string& name) {
    test::FakeServer server = test::echo_server();
    server.configure = [](config::Server& entry) {
      entry.standing = config::Standing::needs_trust;
      entry.disabled = true;
    };
    add(name, std::move(server));
    settings.trust_requests.push_back({.folder = "/p",
                                       .path = "/p/.mcp.json",
                                       .server = name,
                                       .digest = name,
                                       .entry = R"({"command":"./)" + name + "\"}",
                                       .answered_by = {}});
  }

  void begin_without_forms() {
    serves_ = true;
    begin_initialized();
  }
  void begin_with_forms() {
    serves_ = true;
    begin();
    ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
        R"("capabilities":{"elicitation":{},"experimental":{"pi-mcp/details":{}}},)"
        R"("clientInfo":{"name":"h","version":"1"}}})");
  }
  static std::string echo_of(const std::string& server, const std::string& number = "1") {
    return call_line(R"({"tool":")" + server + R"(_echo","args":{"text":"hi"}})", number);
  }
  // The question that is next after this line.
  std::string question(const std::string& line) {
    std::string asked = ask(line);
    EXPECT_THAT(asked, HasSubstr(R"("method":"elicitation/create")"));
    const Result<json::Document> document = json::Document::parse_view(asked);
    id = document->root().find("id").raw();
    return asked;
  }
  // The host's answer to it, JSON; gives what we send next.
  std::string reply(const std::string& result) {
    return ask(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + result + "}");
  }
  std::string decide(const std::string& decision) {
    return reply(R"({"action":"accept","content":{"decision":")" + decision + "\"}}");
  }

  std::string id;
  std::vector<TrustTerm> terms;
  std::vector<std::string> allowed;  // servers
  std::string refusal;               // why an answer cannot be kept; empty: it can

 private:
  bool serves_ = false;

  Result<void> take(TrustTerm term, const std::vector<config::TrustRequest>& requests) {
    if (!refusal.empty()) {
      return fail(ErrorCode::io, refusal);
    }
    terms.push_back(term);
    config::Settings now = session().settings();
    for (const config::TrustRequest& request : requests) {
      allowed.push_back(request.server);
      std::erase_if(now.trust_requests, [&request](const config::TrustRequest& open) {
        return open.digest == request.digest;
      });
      for (config::Server& server : now.servers) {
        if (server.name == request.server) {
          server.standing = config::Standing::project;
          server.disabled = false;
        }
      }
    }
    session().reload(std::move(now));
    return {};
  }
};

TEST_F(TrustQuestion, is_not_put_where_nobody_can_be_asked_and_the_model_is_told) {
  add_waiting("a");
  begin_without_forms();
  for (const std::string& line : {echo_of("a"),
                                  call_line(R"({"connect":"a"})", "2"),
                                  call_line(R"({"describe":"a_x"})", "3")}) {
    EXPECT_THAT(ask(line),
                AllOf(HasSubstr("Ask the user to look at it and to run: pi-mcp trust"),
                      HasSubstr(R"("isError":true)"),
                      HasSubstr(R"("error":"needs_trust")")));
  }
  EXPECT_TRUE(starts.empty());
}

TEST_F(TrustQuestion, is_answered_once_for_all_that_it_showed) {
  add_waiting("a");
  add_waiting("b");
  begin_with_forms();
  EXPECT_THAT(question(echo_of("a")), AllOf(HasSubstr("runs: ./a"), HasSubstr("runs: ./b")));
  EXPECT_TRUE(starts.empty()) << "while it is open";
  EXPECT_THAT(decide("trust"), HasSubstr(echoed));
  EXPECT_THAT(ask(echo_of("b", "2")), HasSubstr(echoed));
  EXPECT_THAT(terms, ElementsAre(TrustTerm::always));
  EXPECT_THAT(allowed, ElementsAre("a", "b"));
}

TEST_F(TrustQuestion, can_be_answered_for_the_session) {
  add_waiting("a");
  begin_with_forms();
  question(echo_of("a"));
  EXPECT_THAT(decide("once"), HasSubstr(echoed));
  EXPECT_THAT(terms, ElementsAre(TrustTerm::session));
}

TEST_F(TrustQuestion, anything_but_a_clear_yes_is_a_no) {
  for (const std::string answer : {R"({"action":"decline"})",
                                   R"({"action":"cancel"})",
                                   R"({"action":"accept"})",
                                   R"({"action":"accept","content":{"decision":"no"}})",
                                   R"({"action":"accept","content":{"decision":"Trust"}})",
                                   R"({"action":"accept","content":{"decision":["trust"]}})",
                                   R"({"content":{"decision":"trust"}})",
                                   R"({"action":"cancel","content":{"decision":"trust"}})",
                                   "{}"}) {
    names.clear();
    settings.trust_requests.clear();
    add_waiting("a");
    add_waiting("b");
    begin_with_forms();
    question(echo_of("a"));
    EXPECT_THAT(reply(answer), HasSubstr("did not allow")) << answer;
    EXPECT_THAT(ask(echo_of("a", "2")), HasSubstr("does not allow")) << "nobody is asked again";
    EXPECT_THAT(ask(echo_of("b", "3")), HasSubstr("does not allow")) << "it was for the folder";
    EXPECT_THAT(terms, IsEmpty());
    EXPECT_TRUE(starts.empty());
    end();
  }
}

TEST_F(TrustQuestion, is_put_once_for_calls_at_the_same_time) {
  add_waiting("a");
  add_waiting("b");
  begin_with_forms();
  question(echo_of("a", "1"));
  host.deliver(echo_of("a", "2"));
  host.deliver(echo_of("b", "3"));
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":4,"method":"ping"})"), HasSubstr(R"("id":4)"));
  const std::size_t before = host.sent.size();
  decide("trust");
  run_until([this, before] { return host.sent.size() >= before + 3; });
  for (std::size_t i = before; i < host.sent.size(); ++i) {
    EXPECT_THAT(host.sent[i], HasSubstr(echoed));
  }
  EXPECT_THAT(terms, SizeIs(1));
}

TEST_F(TrustQuestion, ends_with_the_host_that_was_asked) {
  add_waiting("a");
  begin_with_forms();
  question(echo_of("a"));
  end();
  EXPECT_THAT(terms, IsEmpty());
  EXPECT_TRUE(starts.empty());
}

TEST_F(TrustQuestion, is_not_put_by_status_list_and_search_which_name_the_step_that_asks) {
  add_waiting("a");
  begin_with_forms();
  for (const std::string arguments : {"{}", R"({"search":"echo"})", R"({"server":"a"})"}) {
    EXPECT_THAT(call(arguments), HasSubstr(R"(mcp({ connect: \"a\" }) asks the user)"));
  }
  EXPECT_TRUE(starts.empty());
}

TEST_F(TrustQuestion, that_was_refused_is_no_step_of_status_and_search_any_more) {
  add_waiting("a");
  begin_with_forms();
  question(echo_of("a"));
  decide("no");
  for (const std::string arguments :
       {"{}", R"({"search":"nothing at all"})", R"({"connect":"a"})"}) {
    EXPECT_THAT(call(arguments, "2"),
                AllOf(HasSubstr("in this session"),
                      HasSubstr("undo that"),
                      HasSubstr(": pi-mcp trust"),
                      Not(HasSubstr("asks the user"))));
  }
  config::Settings more = session().settings();
  more.servers.push_back(more.servers[0]);
  more.servers.back().name = "z";
  more.trust_requests.push_back(more.trust_requests[0]);
  more.trust_requests.back().server = "z";
  more.trust_requests.back().folder = "/q";
  session().reload(std::move(more));
  EXPECT_THAT(call("{}", "3"), HasSubstr(R"(mcp({ connect: \"z\" }) asks the user)"))
      << "nobody was asked about its folder";
}

TEST_F(TrustQuestion, allows_nothing_that_it_had_no_room_to_show) {
  for (int i = 0; i < 12; ++i) {
    add_waiting("s" + std::to_string(i));
  }
  begin_with_forms();
  EXPECT_THAT(question(echo_of("s11")), AllOf(HasSubstr("./s11"), Not(HasSubstr("./s10"))));
  decide("trust");
  EXPECT_THAT(allowed, SizeIs(asked_items_max));
  EXPECT_THAT(question(echo_of("s10", "2")), Not(HasSubstr("./s11")));
}

TEST_F(TrustQuestion, is_not_put_about_a_folder_that_the_hosts_user_does_not_trust) {
  add_waiting("a");
  settings.trust_requests[0].forbidden = true;
  begin_with_forms();
  EXPECT_THAT(ask(echo_of("a")), HasSubstr("the host does not trust this folder"));
  EXPECT_TRUE(starts.empty());
}

TEST_F(TrustQuestion, says_why_an_answer_could_not_be_kept) {
  add_waiting("a");
  refusal = "the disk is full";
  begin_with_forms();
  question(echo_of("a"));
  EXPECT_THAT(decide("trust"), AllOf(HasSubstr("the disk is full"), HasSubstr("\"isError\":true")));
  EXPECT_TRUE(starts.empty());
}

}  // namespace
}  // namespace pi_mcp::tool
