// The answer to an HTTP request: however its bytes are cut into reads, the same head and body come
// out, or the same refusal, and never more is kept than the limit allows. Only a line or trailer of
// the body that is longer than that may pass where it arrives whole, because nothing of it is kept
// then. The first byte of the input chooses the cuts, the second one what the request was.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/parser.h"

namespace {

using pi_mcp::Result;
using pi_mcp::http::Head;
using pi_mcp::http::HttpBody;
using pi_mcp::http::HttpParser;

constexpr std::size_t head_bytes_max = 300;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

struct Read {
  Head head;
  std::string body;
  std::string error;  // empty: none
  bool head_done = false;
  bool done = false;
  bool ends_well = false;  // when the connection ends here
  bool keeps_alive = false;
};

// Every piece is in memory of its own, so that a parser that keeps a view of one is found out.
Read read(std::string_view bytes, std::size_t piece, HttpBody what) {
  HttpParser parser(what, {.header_bytes_max = head_bytes_max});
  Read result;
  while (!bytes.empty() && result.error.empty() && !parser.done()) {
    const std::string_view next = bytes.substr(0, piece);
    const std::vector<char> part(next.begin(), next.end());
    const Result<void> taken = parser.feed({part.data(), part.size()}, result.body);
    result.error = taken ? "" : taken.error().message();
    require(taken || !result.error.empty());
    bytes.remove_prefix(part.size());
  }
  result.head_done = parser.head_done();
  result.done = parser.done();
  if (result.head_done) {
    result.head = parser.head();
  }
  result.keeps_alive = result.done && parser.keeps_alive();
  result.ends_well = result.error.empty() && parser.feed_end().has_value();
  require(!result.ends_well || parser.done());
  return result;
}

void require_same(const Head& one, const Head& other) {
  require(one.status == other.status && one.headers.size() == other.headers.size());
  for (std::size_t i = 0; i < one.headers.size(); ++i) {
    require(one.headers[i].name == other.headers[i].name);
    require(one.headers[i].value == other.headers[i].value);
  }
}

// What waits for its end in a body became too long.
bool waited_too_long(const Read& result) {
  return result.head_done && result.error.find("is larger than") != std::string::npos;
}

void require_limits(const Read& result, std::size_t bytes) {
  std::size_t head_bytes = 0;
  for (const auto& header : result.head.headers) {
    head_bytes += header.name.size() + header.value.size();
  }
  require(head_bytes <= head_bytes_max && result.body.size() <= bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const HttpBody what = data[1] % 2 == 0 ? HttpBody::as_declared : HttpBody::none;
  const Read whole = read(bytes, bytes.size() + 1, what);
  const Read pieces = read(bytes, std::size_t{data[0]} + 1, what);
  require_limits(whole, bytes.size());
  require_limits(pieces, bytes.size());
  require_same(whole.head, pieces.head);
  if (waited_too_long(whole) || waited_too_long(pieces)) {
    require(whole.body.starts_with(pieces.body) || pieces.body.starts_with(whole.body));
    return 0;
  }
  require(whole.error == pieces.error && whole.body == pieces.body);
  require(whole.head_done == pieces.head_done && whole.done == pieces.done);
  require(whole.keeps_alive == pieces.keeps_alive && whole.ends_well == pieces.ends_well);
  return 0;
}
