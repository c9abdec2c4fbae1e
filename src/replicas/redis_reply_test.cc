#include "replicas/redis_reply.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::replicas {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// All replies that are there, or what is wrong.
std::vector<std::string> replies(RedisReader& reader, std::string_view bytes) {
  std::vector<std::string> found;
  if (const Result<void> fed = reader.feed(bytes); !fed) {
    return {fed.error().message()};
  }
  for (;;) {
    const Result<std::optional<RedisReply>> reply = reader.next();
    if (!reply) {
      found.push_back("error: " + reply.error().message());
      return found;
    }
    if (!*reply) {
      return found;
    }
    using enum RedisReply::Kind;
    switch ((*reply)->kind) {
      case nothing:
        found.emplace_back("nothing");
        break;
      case number:
        found.push_back(std::to_string((*reply)->number));
        break;
      case text:
        found.push_back("\"" + (*reply)->text + "\"");
        break;
      case error:
        found.push_back("refused " + (*reply)->text);
        break;
    }
  }
}

TEST(RedisReply, a_command_is_words_with_their_lengths) {
  EXPECT_EQ(redis_command({"SET", "k", "a\r\nb", ""}),
            "*4\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\na\r\nb\r\n$0\r\n\r\n");
}

TEST(RedisReply, replies_come_in_any_pieces) {
  const std::string all = "+OK\r\n$-1\r\n:42\r\n-ERR no\r\n$3\r\na\nb\r\n";
  RedisReader whole;
  EXPECT_THAT(replies(whole, all),
              ElementsAre("\"OK\"", "nothing", "42", "refused ERR no", "\"a\nb\""));
  RedisReader bytes;
  std::vector<std::string> found;
  for (const char byte : all) {
    for (std::string& reply : replies(bytes, {&byte, 1})) {
      found.push_back(std::move(reply));
    }
  }
  EXPECT_EQ(found.size(), 5U);
}

TEST(RedisReply, what_no_command_asks_for_ends_it) {
  for (const char* wrong :
       {"*1000000000\r\n", "*1\r\n+x\r\n", "HTTP/1.1 400 Bad\r\n", ":x\r\n", "$x\r\n"}) {
    RedisReader reader;
    EXPECT_THAT(replies(reader, wrong), ElementsAre(HasSubstr("not the protocol of Redis")))
        << wrong;
  }
}

TEST(RedisReply, one_that_never_ends_is_given_up) {
  RedisReader reader;
  EXPECT_THAT(replies(reader, "$1000000000\r\n"), ElementsAre());
  EXPECT_THAT(replies(reader, std::string(RedisReader::reply_bytes_default + 1, 'x')),
              ElementsAre(HasSubstr("more than 512.0KB")));
  RedisReader wide(RedisReader::reply_bytes_default * 2);
  EXPECT_THAT(replies(wide, "$1000000000\r\n"), ElementsAre());
  EXPECT_THAT(replies(wide, std::string(RedisReader::reply_bytes_default + 1, 'x')), ElementsAre());
}

}  // namespace
}  // namespace pi_mcp::replicas
