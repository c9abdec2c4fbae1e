#include "servers/launch/trace.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/files/file.h"
#include "io/loop/random.h"
#include "json/document.h"

namespace pi_mcp::servers {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr EpochMs at{1'700'000'000'042};
constexpr TimePoint start{std::chrono::hours(1)};

rpc::Message message(const std::string& json) {
  return *rpc::Message::parse(json);
}

TEST(Trace, a_request_and_its_answer_are_a_line_each_with_the_time_between_them) {
  TraceLines lines("files", "stdio");
  EXPECT_EQ(lines.outbound(
                R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}})", true, at, start),
            R"({"version":1,"timestamp":"2023-11-14T22:13:20.042Z","direction":"outbound",)"
            R"("server":"files","transport":"stdio","kind":"request","status":"sent",)"
            R"("method":"tools/call","id":7,"bytes":58})"
            "\n");
  const std::string answer = lines.inbound(message(R"({"jsonrpc":"2.0","id":7,"result":{}})"),
                                           at,
                                           start + std::chrono::microseconds(12'345));
  EXPECT_THAT(answer, HasSubstr(R"("direction":"inbound")"));
  EXPECT_THAT(answer, HasSubstr(R"("kind":"response","status":"received","method":"tools/call")"));
  EXPECT_THAT(answer, HasSubstr(R"("durationMs":12.34)"));
}

TEST(Trace, says_nothing_of_what_is_in_a_message) {
  TraceLines lines("files", "streamable-http");
  std::string all;
  all += lines.outbound(
      R"({"id":"sk-marker","method":"tools/call","params":{"name":"marker","arguments":{"marker":1}}})",
      true,
      at,
      start);
  all += lines.inbound(message(R"({"id":"sk-marker","result":{"content":"marker"}})"), at, start);
  all += lines.inbound(
      message(R"({"id":2,"error":{"code":-32000,"message":"marker","data":"marker"}})"), at, start);
  all += lines.inbound(
      message(R"({"method":"notifications/message","params":{"data":"marker"}})"), at, start);
  EXPECT_THAT(all, Not(HasSubstr("marker")));
  EXPECT_THAT(all, HasSubstr(R"("id":"[REDACTED_ID]")"));
  EXPECT_THAT(all, HasSubstr(R"("errorCode":-32000)"));
  EXPECT_THAT(all, HasSubstr(R"("kind":"notification")"));
}

TEST(Trace, what_was_not_sent_is_an_error_and_gets_no_answer) {
  TraceLines lines("files", "stdio");
  EXPECT_THAT(lines.outbound(R"({"id":1,"method":"ping"})", false, at, start),
              HasSubstr(R"("status":"error","method":"ping")"));
  EXPECT_THAT(lines.inbound(message(R"({"id":1,"result":{}})"), at, start),
              Not(HasSubstr("durationMs")));
  EXPECT_EQ(lines.outbound("no message", true, at, start), "");
}

class TraceFileTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_ = testing::TempDir() + "/trace-" + io::random_hex(8);
  std::string path_ = folder_ + "/deep/t.jsonl";
  [[nodiscard]] std::string written() const { return io::read_file(path_, 1000)->value_or("none"); }
};

TEST_F(TraceFileTest, is_for_its_owner_alone_and_no_line_is_cut) {
  TraceFile file({.path = path_, .bytes_max = 9, .lines_max = 100});
  EXPECT_EQ(written(), "none") << "before there is something to say";
  file.write("one\n");
  file.write("two\n");
  file.write("three\n");
  file.write("4\n");
  EXPECT_EQ(written(), "one\ntwo\n") << "and nothing after the first that did not fit";
  EXPECT_EQ(std::filesystem::status(path_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(TraceFileTest, has_at_most_so_many_lines) {
  TraceFile file({.path = path_, .bytes_max = 100, .lines_max = 1});
  file.write("one\n");
  file.write("two\n");
  EXPECT_EQ(written(), "one\n");
}

TEST_F(TraceFileTest, replaces_a_link_instead_of_following_it) {
  std::filesystem::create_directories(folder_ + "/deep");
  ASSERT_TRUE(io::write_file(folder_ + "/precious", "precious"));
  std::filesystem::create_symlink(folder_ + "/precious", path_);
  TraceFile file({.path = path_, .bytes_max = 100, .lines_max = 100});
  file.write("one\n");
  EXPECT_EQ(written(), "one\n");
  EXPECT_EQ(io::read_file(folder_ + "/precious", 100)->value_or(""), "precious");
}

TEST_F(TraceFileTest, that_cannot_be_written_is_given_up) {
  ASSERT_TRUE(io::make_folders(folder_));
  ASSERT_TRUE(io::write_file(folder_ + "/file", ""));
  TraceFile file({.path = folder_ + "/file/t.jsonl", .bytes_max = 100, .lines_max = 100});
  file.write("one\n");
  file.write("two\n");
}

TEST_F(TraceFileTest, of_a_folder_is_a_new_one) {
  TraceFile file({.path = folder_ + "/", .bytes_max = 100, .lines_max = 100});
  file.write("one\n");
  const auto found = std::filesystem::directory_iterator(folder_)->path().filename().string();
  EXPECT_THAT(found, testing::MatchesRegex("mcp-[0-9T-]+Z-[0-9a-f]{8}\\.jsonl"));
}

}  // namespace
}  // namespace pi_mcp::servers
