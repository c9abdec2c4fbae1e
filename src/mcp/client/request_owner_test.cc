#include "mcp/client/request_owner.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

using Numbers = std::vector<rpc::CallNumber>;

TEST(RequestOwner, a_stream_of_its_own_names_the_call) {
  const auto a = std::make_shared<Host>();
  const auto b = std::make_shared<Host>();
  const std::vector<CallOfHost> calls = {{.number = 1, .host = a}, {.number = 2, .host = b}};
  const RequestOwner owner = owner_of(rpc::Id(2), calls);
  EXPECT_EQ(owner.host, b);
  EXPECT_EQ(owner.calls, Numbers{2});
  EXPECT_NE(owner_of(rpc::Id(3), calls).problem, "") << "that call is over";
}

TEST(RequestOwner, without_streams_it_is_the_one_host_with_calls) {
  const auto a = std::make_shared<Host>();
  const std::vector<CallOfHost> calls = {
      {.number = 1, .host = a}, {.number = 2, .host = nullptr}, {.number = 3, .host = a}};
  const RequestOwner owner = owner_of({}, calls);
  EXPECT_EQ(owner.host, a);
  EXPECT_EQ(owner.calls, (Numbers{1, 3}));
}

TEST(RequestOwner, calls_of_two_hosts_cannot_be_told_apart) {
  const auto a = std::make_shared<Host>();
  const auto b = std::make_shared<Host>();
  const RequestOwner owner = owner_of({}, {{.number = 1, .host = a}, {.number = 2, .host = b}});
  EXPECT_EQ(owner.host, nullptr);
  EXPECT_NE(owner.problem, "");
}

TEST(RequestOwner, a_session_without_a_host_owns_what_its_calls_cause) {
  const auto a = std::make_shared<Host>();
  const int one = 0;
  const int two = 0;
  const CallOfHost of_one{.number = 1, .host = a, .session = &one};
  const CallOfHost of_two{.number = 2, .host = nullptr, .session = &two};
  EXPECT_EQ(owner_of({}, {of_one}).session, &one);
  EXPECT_EQ(owner_of({}, {of_two}).session, &two);
  EXPECT_EQ(owner_of({}, {of_two}).host, nullptr);
  EXPECT_NE(owner_of({}, {of_one, of_two}).problem, "") << "it may be for who cannot be asked";
  EXPECT_EQ(owner_of(rpc::Id(2), {of_one, of_two}).host, nullptr);
  EXPECT_EQ(owner_of(rpc::Id(2), {of_one, of_two}).session, &two);
  const CallOfHost ours{.number = 3, .host = nullptr};
  EXPECT_EQ(owner_of({}, {of_one, ours}).host, a);
}

TEST(RequestOwner, what_no_call_caused_has_no_owner) {
  const RequestOwner none = owner_of({}, {{.number = 1, .host = nullptr}});
  EXPECT_EQ(none.host, nullptr);
  EXPECT_EQ(none.problem, "");
  EXPECT_EQ(owner_of(rpc::Id(1), {{.number = 1, .host = nullptr}}).problem, "");
}

}  // namespace
}  // namespace pi_mcp::mcp
