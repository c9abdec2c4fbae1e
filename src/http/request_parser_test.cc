// Requests as they arrive in pieces of any size; what could be read in two ways is refused.
#include "http/request_parser.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::http {
namespace {

using ::testing::HasSubstr;

constexpr RequestLimits limits{
    .head_bytes_max = 1024, .target_bytes_max = 200, .body_bytes_max = 100};

struct Taken {
  std::vector<std::string> requests;  // "METHOD target body"
  int status = 0;                     // of a refusal
  std::string why;
  bool keeps_alive = true;  // of the last
};

// Every piece is in memory of its own, so that a parser that keeps a view of one is found out.
Taken take(std::string_view bytes, std::size_t piece) {
  RequestParser parser(limits);
  Taken taken;
  const auto note = [&](const tl::expected<void, Refusal>& fed) {
    if (!fed) {
      taken.status = fed.error().status;
      taken.why = fed.error().why;
    }
    return fed.has_value();
  };
  while (!bytes.empty()) {
    const std::vector<char> part(
        bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(std::min(piece, bytes.size())));
    bytes.remove_prefix(part.size());
    bool goes_on = note(parser.feed({part.data(), part.size()}));
    while (goes_on && parser.done()) {
      taken.keeps_alive = parser.head().keeps_alive;
      taken.requests.push_back(parser.head().method + " " + parser.head().target + " " +
                               parser.take_body());
      goes_on = note(parser.begin_next());
    }
    if (!goes_on) {
      break;
    }
  }
  return taken;
}

TEST(RequestParser, takes_one_request_after_another_in_pieces_of_any_size) {
  constexpr std::string_view bytes =
      "POST /mcp?a=b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
      "\r\nGET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"
      "POST /mcp HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: x\r\n\r\n"
      "POST /e HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
      "DELETE /mcp HTTP/1.0\r\n\r\n";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    const Taken taken = take(bytes, piece);
    EXPECT_EQ(
        taken.requests,
        (std::vector<std::string>{
            "POST /mcp?a=b hello", "GET /healthz ", "POST /mcp abcde", "POST /e ", "DELETE /mcp "}))
        << piece << ": " << taken.why;
    EXPECT_FALSE(taken.keeps_alive) << "1.0 says so itself";
  }
}

TEST(RequestParser, refuses_what_could_be_read_in_two_ways) {
  struct Case {
    std::string_view bytes;
    int status;
    std::string_view why;
  };
  for (const Case& each : {
           Case{.bytes = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
                         "Transfer-Encoding: chunked\r\n\r\n",
                .status = 400,
                .why = ""},
           Case{.bytes = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n"
                         "Content-Length: 1\r\n\r\nx",
                .status = 400,
                .why = ""},
           Case{.bytes = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\nx",
                .status = 400,
                .why = ""},
           Case{.bytes = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
                .status = 400,
                .why = "Transfer-Encoding"},
           Case{.bytes = "POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
                .status = 400,
                .why = "Transfer-Encoding"},
           Case{.bytes = "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",
                .status = 400,
                .why = "begins with a space"},
           Case{.bytes = "GET / HTTP/1.1\nHost: x\n\n", .status = 400, .why = "CR LF"},
           Case{.bytes = "GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n",
                .status = 400,
                .why = "CR or NUL"},
           Case{.bytes = "GET / HTTP/1.1\r\n\r\n", .status = 400, .why = "Host"},
           Case{.bytes = "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
                .status = 400,
                .why = "Host"},
           Case{.bytes = "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
                .status = 400,
                .why = "target"},
           Case{.bytes = "GET / HTTP/2.0\r\nHost: x\r\n\r\n", .status = 505, .why = ""},
           Case{.bytes = "\x16\x03\x01 no http \r\n\r\n", .status = 400, .why = "not HTTP/1.1"},
       }) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, each.bytes.size()}) {
      const Taken taken = take(each.bytes, piece);
      EXPECT_EQ(taken.status, each.status) << each.bytes << taken.why;
      EXPECT_THAT(taken.why, HasSubstr(each.why)) << each.bytes;
      EXPECT_TRUE(taken.requests.empty()) << each.bytes;
    }
  }
}

TEST(RequestParser, refuses_what_is_too_large_before_it_is_all_here) {
  const std::string much(5000, 'x');
  struct Case {
    std::string bytes;
    int status;
  };
  for (const Case& each : {
           Case{.bytes = "GET /" + much, .status = 414},
           Case{.bytes = "GET / HTTP/1.1\r\nHost: x\r\nA: " + much, .status = 431},
           Case{.bytes = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n\r\n",
                .status = 413},
           Case{.bytes = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                         "c8\r\n" +
                         much,
                .status = 413},
           Case{
               .bytes = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;" + much,
               .status = 431},
           Case{.bytes = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                         "0\r\nT: " +
                         much,
                .status = 431},
       }) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{100}, each.bytes.size()}) {
      EXPECT_EQ(take(each.bytes, piece).status, each.status)
          << each.bytes.substr(0, 80) << " in pieces of " << piece;
    }
  }
}

TEST(RequestParser, says_what_the_client_waits_for) {
  RequestParser parser(limits);
  EXPECT_TRUE(parser.is_idle());
  ASSERT_TRUE(
      parser.feed("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\n"
                  "Connection: close\r\nContent-Length: 2\r\n\r\n"));
  EXPECT_FALSE(parser.is_idle());
  EXPECT_TRUE(parser.head_done());
  EXPECT_FALSE(parser.done());
  EXPECT_TRUE(parser.head().expects_continue);
  EXPECT_FALSE(parser.head().keeps_alive);
  ASSERT_TRUE(parser.feed("okGET"));
  EXPECT_TRUE(parser.done());
  EXPECT_EQ(parser.ahead(), 3U);
}

}  // namespace
}  // namespace pi_mcp::http
