// Entries of other programs' files: whatever the text is, an edit is refused or can be taken back
// byte for byte, and an entry that was taken out also comes back into a file that has changed. The
// first byte says the format, the second whether the servers are a list; a zero byte divides the
// name of an entry from the text.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/host_edit.h"
#include "json/canonical.h"
#include "json/document.h"

namespace {

using pi_mcp::config::EntryPlace;
using pi_mcp::config::FileFormat;

constexpr std::string_view value = R"({"command":"x y","args":["-y",{"a":1}],"env":{"A":"é\n"}})";

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

std::string canonical(std::string_view json) {
  const auto document = pi_mcp::json::Document::parse_view(json);
  require(document.has_value());
  return pi_mcp::json::canonical(document->root());
}

void check_put(std::string_view text, const EntryPlace& place) {
  const auto put = pi_mcp::config::put_entry(text, place, value);
  if (!put) {
    return;
  }
  const auto read = pi_mcp::config::read_entry(put->text, place);
  require(read && *read && (place.list || canonical(**read) == canonical(value)));
  const auto undone = pi_mcp::config::undo_put(put->text, place, *put);
  require(undone && *undone == text);
  // From a file that was written anew around it.
  const auto anew = pi_mcp::config::put_entry("", place, value);
  if (!anew || put->replaced) {
    return;
  }
  const auto again = pi_mcp::config::undo_put(anew->text, place, *put);
  require(again.has_value());
  const auto left = pi_mcp::config::read_entry(*again, place);
  require(left && !*left);
}

void check_removal(std::string_view text, const EntryPlace& place) {
  const auto removed = pi_mcp::config::remove_entry(text, place);
  if (!removed) {
    return;
  }
  const auto restored = pi_mcp::config::restore_entry(removed->text, place, *removed);
  require(restored && *restored == text);
  EntryPlace other = place;
  other.name += "2";
  const auto changed = pi_mcp::config::put_entry(removed->text, other, value);
  if (changed) {
    const auto back = pi_mcp::config::restore_entry(changed->text, place, *removed);
    if (back) {
      const auto read = pi_mcp::config::read_entry(*back, place);
      require(read && *read && canonical(**read) == canonical(removed->value));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.size() < 2) {
    return 0;
  }
  EntryPlace place{.format = static_cast<FileFormat>(static_cast<unsigned char>(input[0]) % 3),
                   .at = {"s"},
                   .name = "",
                   .list = false};
  place.list = place.format == FileFormat::yaml && input[1] % 2 == 1;
  input.remove_prefix(2);
  const std::size_t end = input.find('\0');
  if (end == std::string_view::npos) {
    return 0;
  }
  place.name = input.substr(0, end);
  input.remove_prefix(end + 1);
  check_put(input, place);
  check_removal(input, place);
  return 0;
}
