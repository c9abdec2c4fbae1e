#include "mcp/task_poll.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

json::Document document(const std::string& text) {
  return json::Document::parse(text).value();
}

TEST(TaskPoll, asks_for_its_task_as_often_as_the_server_wishes) {
  const auto created =
      document(R"({"taskId":"t\"1","status":"working","pollIntervalMs":200,"statusMessage":"m"})");
  Result<TaskPoll> poll = TaskPoll::begin(created.root());
  ASSERT_TRUE(poll);
  EXPECT_EQ(poll->params().view(), R"({"taskId":"t\"1"})");
  EXPECT_EQ(poll->pause(), Milliseconds(200));
  EXPECT_EQ(poll->message(), "m");
  const auto hurried = document(R"({"status":"input_required","pollIntervalMs":0})");
  EXPECT_EQ(poll->take(hurried.root()), TaskPoll::Status::input_required);
  EXPECT_EQ(poll->pause(), Milliseconds(50));
  const auto slow = document(R"({"status":"working","pollIntervalMs":86400000})");
  EXPECT_EQ(poll->take(slow.root()), TaskPoll::Status::working);
  EXPECT_EQ(poll->pause(), Milliseconds(30'000));
  EXPECT_EQ(poll->update(R"({"k":{}})").view(), R"({"taskId":"t\"1","inputResponses":{"k":{}}})");
}

TEST(TaskPoll, has_news_when_its_message_or_else_its_status_changes) {
  const auto created = document(R"({"taskId":"t","status":"working","pollInterval":200})");
  Result<TaskPoll> poll = TaskPoll::begin(created.root());
  ASSERT_TRUE(poll);
  EXPECT_EQ(poll->pause(), Milliseconds(200));
  EXPECT_EQ(poll->take_news(), "working");
  EXPECT_EQ(poll->take_news(), std::nullopt);
  const auto same = document(R"({"status":"working"})");
  ASSERT_TRUE(poll->take(same.root()));
  EXPECT_EQ(poll->take_news(), std::nullopt);
  const auto said = document(R"({"status":"working","statusMessage":"half"})");
  ASSERT_TRUE(poll->take(said.root()));
  EXPECT_EQ(poll->take_news(), "half");
}

TEST(TaskPoll, wants_an_id_and_a_status_that_it_knows) {
  const auto nothing = document("{}");
  EXPECT_FALSE(TaskPoll::begin(nothing.root()));
  const auto created = document(R"({"taskId":"t"})");
  Result<TaskPoll> poll = TaskPoll::begin(created.root());
  ASSERT_TRUE(poll);
  const auto odd = document(R"({"status":"resting"})");
  EXPECT_FALSE(poll->take(odd.root()));
}

}  // namespace
}  // namespace pi_mcp::mcp
