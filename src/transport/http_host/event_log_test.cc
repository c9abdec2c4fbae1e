#include "transport/http_host/event_log.h"

#include <string>

#include <gtest/gtest.h>

namespace pi_mcp::transport {
namespace {

std::string text_of(const std::optional<std::vector<SharedText>>& frames) {
  std::string all = frames ? "" : "unknown";
  for (const SharedText& frame : frames.value_or(std::vector<SharedText>())) {
    all += frame.view();
  }
  return all;
}

EventLog::Place say(EventLog& log, std::uint64_t stream, const std::string& text) {
  const EventLog::Place place = log.next(stream);
  log.keep(place, {SharedText(text)});
  return place;
}

TEST(EventLog, gives_what_followed_on_the_same_stream) {
  EventLog log;
  const EventLog::Place first = log.next(1);
  say(log, 1, "a");
  const EventLog::Place other = say(log, 2, "x");
  const EventLog::Place last = say(log, 1, "b");
  EXPECT_EQ(text_of(log.after(first)), "ab");
  EXPECT_EQ(text_of(log.after(other)), "");
  EXPECT_EQ(text_of(log.after(last)), "");
}

TEST(EventLog, knows_no_place_that_it_has_not_given) {
  EventLog log;
  say(log, 1, "a");
  EXPECT_EQ(text_of(log.after({.stream = 1, .number = 2})), "unknown");
}

TEST(EventLog, says_when_something_may_be_missing) {
  EventLog log;
  const EventLog::Place first = log.next(1);
  for (std::size_t i = 0; i < EventLog::events_max; ++i) {
    say(log, 1, "a");
  }
  EXPECT_EQ(text_of(log.after(first)).size(), EventLog::events_max);
  say(log, 1, "b");
  EXPECT_EQ(text_of(log.after(first)), "unknown");
  const EventLog::Place before_large = log.next(1);
  say(log, 1, std::string(EventLog::bytes_max + 1, 'c'));
  EXPECT_EQ(text_of(log.after(before_large)), "unknown");
}

TEST(EventLog, reads_what_it_has_written_and_nothing_else) {
  const auto place = EventLog::parse(EventLog::id_of({.stream = 7, .number = 12}));
  ASSERT_TRUE(place);
  EXPECT_EQ(place->stream, 7U);
  EXPECT_EQ(place->number, 12U);
  for (const char* wrong : {"", "7", "7-", "-1", "7-x", "7-1 ", "99999999999999999999-1"}) {
    EXPECT_FALSE(EventLog::parse(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace pi_mcp::transport
