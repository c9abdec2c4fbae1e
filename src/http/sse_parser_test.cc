#include "http/sse_parser.h"

#include <gtest/gtest.h>

namespace pi_mcp::http {
namespace {

// "type|data" of every event.
std::vector<std::string> events_of(SseParser& parser) {
  std::vector<std::string> found;
  while (const auto event = parser.next()) {
    found.push_back(event->type + "|" + event->data);
  }
  return found;
}

using Events = std::vector<std::string>;

TEST(SseParser, events_end_at_an_empty_line) {
  SseParser parser;
  ASSERT_TRUE(parser.feed("data: one\n\ndata:two\ndata\ndata:  three\n\ndata: unfinished\n"));
  EXPECT_EQ(events_of(parser), (Events{"|one", "|two\n\n three"}));
}

TEST(SseParser, lines_end_in_any_way_and_come_in_any_pieces) {
  const std::string text =
      "\xEF\xBB\xBFgarbage: x\r\nevent: e\rdata: a\ndata: b\r\n\r\ndata: c\r\r";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    SseParser parser;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      ASSERT_TRUE(parser.feed(text.substr(at, piece)));
    }
    EXPECT_EQ(events_of(parser), (Events{"e|a\nb", "|c"})) << piece;
  }
}

TEST(SseParser, a_byte_order_mark_is_skipped_at_the_start_only) {
  SseParser parser;
  ASSERT_TRUE(
      parser.feed("\xEF\xBB\xBF"
                  "data: a\n\n\xEF\xBB\xBF"
                  "data: b\n\n"));
  EXPECT_EQ(events_of(parser), Events{"|a"});
}

TEST(SseParser, comments_and_unknown_fields_are_passed_over) {
  SseParser parser;
  ASSERT_TRUE(parser.feed(": keep-alive\n\n:\n\nDATA: x\nfield\n\n"));
  EXPECT_EQ(events_of(parser), Events{});
}

TEST(SseParser, an_id_counts_once_its_event_is_complete) {
  SseParser parser;
  ASSERT_TRUE(parser.feed("id: 1\ndata: a\n\nid: 2\n"));
  EXPECT_EQ(parser.last_event_id(), "1");
  ASSERT_TRUE(parser.feed("\n"));
  EXPECT_EQ(parser.last_event_id(), "2");
  ASSERT_TRUE(parser.feed(std::string("id: 3\0x\n\n", 9)));
  EXPECT_EQ(parser.last_event_id(), "2");
  ASSERT_TRUE(parser.feed("id\n\n"));
  EXPECT_EQ(parser.last_event_id(), "");
}

TEST(SseParser, an_event_with_only_an_id_is_reported_for_it_can_be_resumed_from) {
  SseParser parser;
  ASSERT_TRUE(parser.feed("id: 7\ndata:\n\n"));
  EXPECT_EQ(events_of(parser), Events{"|"});
  ASSERT_TRUE(parser.feed("event: nothing\n\n"));
  EXPECT_EQ(events_of(parser), Events{});
}

TEST(SseParser, retry_is_a_number_of_milliseconds_or_nothing) {
  SseParser parser;
  ASSERT_TRUE(parser.feed("retry: soon\nretry: -1\nretry:\nretry: 99999999999999999999\n\n"));
  EXPECT_FALSE(parser.retry());
  ASSERT_TRUE(parser.feed("retry: 500\n\n"));
  EXPECT_EQ(parser.retry(), Milliseconds(500));
}

TEST(SseParser, too_much_data_is_an_error_whether_in_one_line_or_many) {
  SseParser line({.event_bytes_max = 10, .name_bytes_max = 10});
  EXPECT_EQ(line.feed("data: 0123456789").error().code(), ErrorCode::protocol);
  SseParser lines({.event_bytes_max = 10, .name_bytes_max = 10});
  ASSERT_TRUE(lines.feed("data: 1234\n"));
  EXPECT_EQ(lines.feed("data: 5678\ndata: 9\n").error().code(), ErrorCode::protocol);
  SseParser comments({.event_bytes_max = 10, .name_bytes_max = 10});
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(comments.feed(": 12345\n"));
  }
}

}  // namespace
}  // namespace pi_mcp::http
