#include "rpc/line_framer.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::rpc {
namespace {

// Feeds `text` and appends a description of every line that comes out: its text, or for an
// oversized one its length and what was kept of it.
void feed(LineFramer& framer, std::string_view text, std::vector<std::string>& lines) {
  while (!text.empty()) {
    const std::span<char> space = framer.prepare();
    ASSERT_GE(space.size(), LineFramer::read_bytes_min);
    const std::size_t count = std::min(text.size(), space.size());
    std::memcpy(space.data(), text.data(), count);
    framer.commit(count);
    text.remove_prefix(count);
    while (const std::optional<LineFramer::Line> line = framer.next()) {
      lines.push_back(line->oversized ? "oversized " + std::to_string(line->bytes) + " " +
                                            std::string(line->text.view()) + ".." + line->tail
                                      : std::string(line->text.view()));
    }
  }
}

void finish(LineFramer& framer, std::vector<std::string>& lines) {
  while (const std::optional<LineFramer::Line> line = framer.finish()) {
    lines.push_back((line->oversized ? "oversized rest " : "rest ") +
                    std::string(line->text.view()));
  }
}

std::vector<std::string> lines_of(const std::vector<std::string_view>& reads,
                                  LineLimits limits = {}) {
  LineFramer framer(limits);
  std::vector<std::string> lines;
  for (const std::string_view read : reads) {
    feed(framer, read, lines);
  }
  finish(framer, lines);
  return lines;
}

const std::string sample = "{\"a\":1}\n\r\n\n{\"b\":2}\r\ntwo\rparts\n\xc3\xa9\xff\nrest";
const std::vector<std::string> sample_lines = {
    "{\"a\":1}", "{\"b\":2}", "two\rparts", "\xc3\xa9\xff", "rest rest"};

TEST(LineFramer, cuts_the_same_lines_all_at_once_and_one_byte_at_a_time) {
  EXPECT_EQ(lines_of({sample}), sample_lines);
  std::vector<std::string_view> bytes;
  bytes.reserve(sample.size());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    bytes.push_back(std::string_view(sample).substr(i, 1));
  }
  EXPECT_EQ(lines_of(bytes), sample_lines);
}

TEST(LineFramer, cuts_the_same_lines_split_at_every_position) {
  const std::string_view text = sample;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    EXPECT_EQ(lines_of({text.substr(0, i), text.substr(i)}), sample_lines) << i;
  }
}

TEST(LineFramer, drops_an_oversized_line_and_goes_on) {
  const std::string text = "ok\n0123456789\n12345678\nlast\n";
  const std::vector<std::string> expected = {
      "ok", "oversized 10 0123456789..0123456789", "12345678", "last"};
  for (std::size_t i = 0; i <= text.size(); ++i) {
    EXPECT_EQ(lines_of({std::string_view(text).substr(0, i), std::string_view(text).substr(i)},
                       {.line_bytes_max = 8}),
              expected)
        << i;
  }
}

TEST(LineFramer, an_oversized_line_costs_bounded_memory_and_keeps_both_ends) {
  constexpr std::size_t limit = 1U << 20U;
  LineFramer framer({.line_bytes_max = limit});
  std::vector<std::string> lines;
  feed(framer, "begin ", lines);
  const std::string chunk(100'000, 'x');
  for (int i = 0; i < 100; ++i) {
    feed(framer, chunk, lines);
    EXPECT_LE(framer.capacity(), limit + 2 * LineFramer::buffer_bytes);
  }
  feed(framer, " end\r\nnext\n", lines);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0],
            "oversized 10000011 begin " + std::string(LineFramer::kept_bytes - 6, 'x') + ".." +
                std::string(LineFramer::kept_bytes - 5, 'x') + " end");
  EXPECT_EQ(lines[1], "next");
  EXPECT_EQ(framer.capacity(), LineFramer::first_bytes);
}

TEST(LineFramer, an_oversized_line_may_be_the_last_one) {
  EXPECT_EQ(lines_of({"a\n123456", "789"}, {.line_bytes_max = 4}),
            (std::vector<std::string>{"a", "oversized rest 123456789"}));
}

TEST(LineFramer, a_large_line_leaves_as_the_buffer_it_was_read_into) {
  LineFramer framer;
  const std::string body(300'000, 'x');
  const std::string text = body + "\nafter\n";
  std::string_view left = text;
  const char* newest = nullptr;
  while (!left.empty()) {
    ASSERT_FALSE(framer.next());
    const std::span<char> space = framer.prepare();
    const std::size_t count = std::min(left.size(), space.size());
    std::memcpy(space.data(), left.data(), count);
    newest = space.data() + count;
    framer.commit(count);
    left.remove_prefix(count);
  }
  const SharedText line = framer.next().value_or(LineFramer::Line()).text;
  EXPECT_EQ(line.view(), body);
  EXPECT_EQ(line.view().data() + text.size(), newest);
  EXPECT_EQ(framer.next().value_or(LineFramer::Line()).text.view(), "after");
  EXPECT_EQ(framer.capacity(), LineFramer::first_bytes);
}

TEST(LineFramer, space_for_a_long_line_is_made_once_when_the_one_before_was_as_long) {
  LineFramer framer;
  const std::string text = std::string(300'000, 'x') + "\n";
  std::vector<std::size_t> capacities;
  for (int line = 0; line < 2; ++line) {
    capacities.clear();
    for (std::string_view left = text; !left.empty();) {
      const std::span<char> space = framer.prepare();
      capacities.push_back(framer.capacity());
      const std::size_t count = std::min({left.size(), space.size(), LineFramer::buffer_bytes});
      std::memcpy(space.data(), left.data(), count);
      framer.commit(count);
      left.remove_prefix(count);
    }
    ASSERT_EQ(framer.next().value_or(LineFramer::Line()).text.view().size(), text.size() - 1);
  }
  capacities.erase(std::ranges::unique(capacities).begin(), capacities.end());
  EXPECT_THAT(
      capacities,
      testing::ElementsAre(LineFramer::first_bytes, text.size() - 1 + LineFramer::read_bytes_min));
}

TEST(LineFramer, the_buffer_grows_where_reads_fill_it) {
  LineFramer framer;
  std::vector<std::size_t> offered;
  for (int times = 0; times < 6; ++times) {
    const std::span<char> space = framer.prepare();
    std::memset(space.data(), '\n', space.size());
    framer.commit(space.size());
    EXPECT_FALSE(framer.next());
    offered.push_back(space.size());
  }
  EXPECT_THAT(offered, testing::ElementsAre(8192, 16384, 32768, 65536, 65536, 65536));
  LineFramer calm;
  for (int times = 0; times < 20; ++times) {
    const std::span<char> space = calm.prepare();
    std::memset(space.data(), '\n', 1000);
    calm.commit(1000);
    EXPECT_FALSE(calm.next());
  }
  EXPECT_EQ(calm.capacity(), LineFramer::first_bytes);
}

TEST(LineFramer, many_lines_of_all_sizes_arrive_whole_in_reads_of_all_sizes) {
  std::string text;
  std::vector<std::string> expected;
  for (std::size_t i = 1; i < 60; ++i) {
    const std::size_t size = (i * 7919) % 150'000;
    expected.push_back(std::to_string(i) + std::string(size, static_cast<char>('a' + i % 26)));
    text += expected.back() + "\n";
  }
  for (const std::size_t read : {1'000UL, 65'536UL, 1'000'000UL}) {
    std::vector<std::string_view> reads;
    for (std::size_t at = 0; at < text.size(); at += read) {
      reads.push_back(std::string_view(text).substr(at, read));
    }
    EXPECT_EQ(lines_of(reads), expected) << read;
  }
}

TEST(LineFramer, an_empty_stream_has_no_lines) {
  EXPECT_TRUE(lines_of({}).empty());
  EXPECT_TRUE(lines_of({"\n\r\n\n\r"}).empty());
}

}  // namespace
}  // namespace pi_mcp::rpc
