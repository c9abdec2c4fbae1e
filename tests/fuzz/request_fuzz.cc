// Bytes of an HTTP connection: however they are cut into reads, the same requests come out, within
// the limits. The first byte of the input chooses the cuts.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/request_parser.h"

namespace {

using pi_mcp::http::RequestLimits;
using pi_mcp::http::RequestParser;

constexpr RequestLimits limits{
    .head_bytes_max = 400, .target_bytes_max = 100, .body_bytes_max = 200};

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

struct Read {
  std::vector<std::string> requests;
  bool refused = false;
};

Read read(std::string_view bytes, std::size_t piece) {
  RequestParser parser(limits);
  Read result;
  while (!bytes.empty() && !result.refused) {
    result.refused = !parser.feed(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (!result.refused && parser.done()) {
      require(parser.body().size() <= limits.body_bytes_max);
      require(parser.head().target.starts_with('/'));
      result.requests.push_back(parser.head().method + parser.head().target + parser.take_body());
      result.refused = !parser.begin_next();
    }
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Read whole = read(bytes, bytes.size() + 1);
  const Read pieces = read(bytes, std::size_t{data[0]} + 1);
  require(whole.requests == pieces.requests && whole.refused == pieces.refused);
  return 0;
}
