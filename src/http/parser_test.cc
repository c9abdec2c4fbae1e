// Answers as they arrive in pieces of any size: what is too long is refused in one way, by name.
#include "http/parser.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace pi_mcp::http {
namespace {

constexpr std::size_t head_max = 4096;
constexpr std::string_view chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

std::string repeated(std::string_view unit, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    text += unit;
  }
  return text;
}

struct Fed {
  std::string body;
  std::string error;  // empty: none
  std::string trailer;
  bool done = false;
};

// Every piece is in memory of its own, so that a parser that keeps a view of one is found out.
Fed feed(std::string_view bytes, std::size_t piece) {
  HttpParser parser(HttpBody::as_declared, {.header_bytes_max = head_max});
  Fed fed;
  while (!bytes.empty() && fed.error.empty() && !parser.done()) {
    const std::vector<char> part(
        bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min(piece, bytes.size())));
    const Result<void> taken = parser.feed({part.data(), part.size()}, fed.body);
    fed.error = taken ? "" : taken.error().message();
    bytes.remove_prefix(part.size());
  }
  fed.done = parser.done();
  fed.trailer = parser.head().find("x-trailer");
  return fed;
}

const std::vector<std::size_t>& pieces() {
  static const std::vector<std::size_t> sizes = {1, 2, 3, 5, 7, 64, 500, 4095, 4096, 4097, 16'384};
  return sizes;
}

TEST(HttpParser, names_what_is_too_long_in_an_answer_in_pieces_of_any_size) {
  const std::string much = repeated("x", 5 * head_max);
  const std::string fields = repeated("T: x\r\n", 5 * head_max);
  struct Case {
    std::string bytes;
    std::string_view error;
  };
  for (const Case& each : {
           Case{"HTTP/1.1 200 OK\r\nX: " + much, "the head of its answer is larger than 4.0KB"},
           Case{"HTTP/1.1 200 OK\r\n" + fields, "the head of its answer is larger than 4.0KB"},
           Case{std::string(chunked) + "5;" + much,
                "a chunk extension in its answer is larger than 4.0KB"},
           Case{std::string(chunked) + "2\r\n{}\r\n5;" + much,
                "a chunk extension in its answer is larger than 4.0KB"},
           Case{std::string(chunked) + "2\r\n{}\r\n0\r\n" + fields,
                "the trailer of its answer is larger than 4.0KB"},
           Case{std::string(chunked) + "0\r\nT: " + much,
                "the trailer of its answer is larger than 4.0KB"},
       }) {
    for (const std::size_t piece : pieces()) {
      const Fed fed = feed(each.bytes, piece);
      EXPECT_EQ(fed.error, each.error) << "in pieces of " << piece;
      EXPECT_FALSE(fed.done);
    }
  }
}

TEST(HttpParser, reads_the_same_answer_from_pieces_of_any_size) {
  const std::string answer = "HTTP/1.1 100 Continue\r\n\r\n" + std::string(chunked) +
                             "4;x=y\r\nabcd\r\n1\r\ne\r\n0\r\nX-Other: x\r\n\r\n";
  for (const std::size_t piece : pieces()) {
    const Fed fed = feed(answer, piece);
    EXPECT_TRUE(fed.done) << "in pieces of " << piece << ": " << fed.error;
    EXPECT_EQ(fed.body, "abcde");
  }
}

TEST(HttpParser, an_answer_without_any_chunk_may_come_byte_by_byte) {
  for (const std::size_t piece : pieces()) {
    const Fed fed = feed(std::string(chunked) + "0\r\n\r\n", piece);
    EXPECT_TRUE(fed.done) << "in pieces of " << piece << ": " << fed.error;
    EXPECT_EQ(fed.body, "");
  }
}

TEST(HttpParser, judges_the_end_of_the_chunks_alike_in_pieces_of_any_size) {
  for (const std::string_view end : {"0\rJ", "0;a\rJ", "00\rJ"}) {
    const std::string bytes = std::string(chunked) + std::string(end);
    const Fed whole = feed(bytes, bytes.size());
    EXPECT_NE(whole.error, "") << end;
    EXPECT_EQ(feed(bytes, 1).error, whole.error) << end;
    EXPECT_EQ(feed(bytes, 2).error, whole.error) << end;
  }
}

TEST(HttpParser, judges_a_head_alike_in_pieces_of_any_size) {
  for (const std::string_view bytes : {
           "HTTP/1.1 200 OK\r\nA: b\r\n\r?",
           "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r?and more",
           "HTTP/1.1 200 OK\r\nno colon\r\nmore",
           "HTTP/1.1 200 OK\nA: b\n\n",
           "\x15\x03\x03",
           "HTTP/1.1 2x0 OK\r\n\r\n",
           "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nno colon\r\n",
       }) {
    const Fed whole = feed(bytes, bytes.size());
    for (const std::size_t piece : pieces()) {
      EXPECT_EQ(feed(bytes, piece).error, whole.error) << bytes << " in pieces of " << piece;
    }
  }
}

TEST(HttpParser, says_at_once_that_a_head_without_carriage_returns_is_none) {
  for (const std::size_t piece : pieces()) {
    EXPECT_EQ(feed("HTTP/1.1 200 OK\nA: b\n\n", piece).error,
              "its answer is not HTTP/1.1; is this the right port?");
  }
}

TEST(HttpParser, a_head_may_be_as_long_as_the_limit_in_pieces_of_any_size) {
  const std::string begin = "HTTP/1.1 204 No Content\r\nX: ";
  const std::string end = "\r\n\r\n";
  const std::string longest = begin + std::string(head_max - begin.size() - end.size(), 'x') + end;
  const std::string longer =
      begin + std::string(head_max + 1 - begin.size() - end.size(), 'x') + end;
  for (const std::size_t piece : pieces()) {
    const Fed fed = feed(longest, piece);
    EXPECT_TRUE(fed.done) << "in pieces of " << piece << ": " << fed.error;
    EXPECT_EQ(feed(longer, piece).error, "the head of its answer is larger than 4.0KB")
        << "in pieces of " << piece;
  }
}

// RFC 9110, 6.5.1: a trailer may say nothing that belongs into the head.
TEST(HttpParser, a_trailer_is_no_header) {
  const Fed fed = feed(std::string(chunked) + "1\r\na\r\n0\r\nX-Trailer: x\r\n\r\n", head_max);
  EXPECT_TRUE(fed.done) << fed.error;
  EXPECT_EQ(fed.trailer, "");
}

}  // namespace
}  // namespace pi_mcp::http
