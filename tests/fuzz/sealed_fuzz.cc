// A session id, or the state of a request, as a client may send it back, and a file of keys: what
// is no sealed text of ours is not opened, and what is opened was sealed for that purpose alone.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "access/session_keys.h"

namespace {

using pi_mcp::access::SessionKeys;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

// Those of the corpus: the first has sealed what is in it for "session", the second what is in
// "old".
const SessionKeys& keys() {
  static const SessionKeys both =
      SessionKeys::parse(std::string(64, 'a') + "\n" + std::string(64, 'b'), "keys").value();
  return both;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto opened = keys().open("session", text)) {
    require(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                   "0123456789-_") == std::string_view::npos);
    require(!keys().open("state", text));
    require(keys().open("session", keys().seal("session", *opened)) == opened);
    require(opened->size() <= SessionKeys::text_bytes_max);
  }
  if (size <= SessionKeys::text_bytes_max) {
    require(keys().open("state", keys().seal("state", text)) == text);
  }
  if (const auto read = SessionKeys::parse(text, "keys")) {
    require(read->open("p", read->seal("p", "x")) == "x");
  }
  return 0;
}
