// What a store says, and an address of one: no reply is larger than it may be, whatever comes, an
// address that is taken is taken again as it is shown, nothing opens that was not sealed, and what
// was is read, whatever is in it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "access/session_keys.h"
#include "auth/handed_login.h"
#include "auth/waiting_login.h"
#include "catalog/cache.h"
#include "replicas/redis_reply.h"
#include "replicas/sealed_login.h"
#include "replicas/store_address.h"
#include "replicas/stored_listings.h"

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
      require((*reply)->text.size() <= RedisReader::reply_bytes_default + piece);
    }
    if (!reply) {
      return;
    }
  }
}

// As other versions may have sealed it, too.
void open(std::string_view text) {
  namespace replicas = pi_mcp::replicas;
  static const auto keys = *pi_mcp::access::SessionKeys::parse(std::string(64, 'a'), "keys");
  const pi_mcp::auth::LoginName name{.principal = "p", .server = "s", .url = "https://s.example"};
  const pi_mcp::catalog::ListingName listing{
      .principal = "p", .server = "s", .identity = "i", .declared = ""};
  require(!replicas::opened_login(keys, name, text));
  require(!replicas::opened_waiting(keys, name, text));
  require(!replicas::opened_listing(keys, listing, text));
  const std::string login =
      keys.seal("login 1 " + replicas::login_id(name), text, replicas::login_bytes_max);
  if (const auto opened = replicas::opened_login(keys, name, login)) {
    const auto again =
        replicas::opened_login(keys, name, replicas::sealed_login(keys, name, *opened));
    require(again && !is_newer(*again, *opened) && !is_newer(*opened, *again));
    require(!again->tokens || again->tokens->access == opened->tokens->access);
  }
  const std::string waiting = keys.seal("waiting login 1 " + replicas::login_id(name), text);
  if (const auto opened = replicas::opened_waiting(keys, name, waiting)) {
    const auto again =
        replicas::opened_waiting(keys, name, replicas::sealed_waiting(keys, name, *opened));
    require(again && again->verifier == opened->verifier);
  }
  const auto lists =
      replicas::opened_listing(keys, listing, replicas::sealed_listing(keys, listing, text));
  require(lists && *lists == text);
  const auto entries = pi_mcp::catalog::CacheSnapshot::parse(pi_mcp::SharedText(*lists));
  (void)entries.find("s", std::string(64, 'a'), pi_mcp::EpochMs{1'800'000'000'000});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(text);
  open(text);
  if (const auto address = pi_mcp::replicas::parse_store_address(text)) {
    const auto again = pi_mcp::replicas::parse_store_address(address->text());
    require(again && again->text() == address->text() && again->password.empty());
  }
  return 0;
}
