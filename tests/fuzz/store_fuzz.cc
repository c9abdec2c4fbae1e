// What a store says, and an address of one: no reply is larger than it may be, whatever comes, and
// an address that is taken is taken again as it is shown.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "replicas/redis_reply.h"
#include "replicas/store_address.h"

namespace {

using pi_mcp::Result;
using pi_mcp::replicas::RedisReader;
using pi_mcp::replicas::RedisReply;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

// The first byte says in which pieces the rest comes.
void read(std::string_view text) {
  if (text.empty()) {
    return;
  }
  const std::size_t piece = static_cast<unsigned char>(text.front()) + std::size_t{1};
  text.remove_prefix(1);
  RedisReader reader;
  while (!text.empty()) {
    const std::size_t size = std::min(piece, text.size());
    if (!reader.feed(text.substr(0, size))) {
      return;
    }
    text.remove_prefix(size);
    Result<std::optional<RedisReply>> reply = reader.next();
    for (; reply && *reply; reply = reader.next()) {
      require((*reply)->text.size() <= RedisReader::reply_bytes_max + piece);
    }
    if (!reply) {
      return;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(text);
  if (const auto address = pi_mcp::replicas::parse_store_address(text)) {
    const auto again = pi_mcp::replicas::parse_store_address(address->text());
    require(again && again->text() == address->text() && again->password.empty());
  }
  return 0;
}
