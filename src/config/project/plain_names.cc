#include "config/project/plain_names.h"

#include <algorithm>
#include <cstddef>

#include "base/ascii.h"
#include "base/text.h"

namespace pi_mcp::config {
namespace {

bool is_plain(std::string_view name) {
  constexpr std::size_t plain_max = 24;  // a longer one has room for an order
  return name.size() <= plain_max && std::ranges::all_of(name, [](char c) {
           return ascii::is_alphanumeric(c) || c == '.' || c == '_' || c == '-' || c == '@';
         });
}

}  // namespace

bool has_plain_names(std::string_view path, std::string_view folder) {
  const auto differs = std::ranges::mismatch(path, folder);
  std::size_t shared = static_cast<std::size_t>(differs.in1 - path.begin());
  const bool ends_there = (shared == path.size() || path[shared] == '/') &&
                          (shared == folder.size() || folder[shared] == '/');
  if (!ends_there) {
    shared = path.substr(0, shared).rfind('/') + 1;  // 0 where there is none
  }
  return std::ranges::all_of(text::split(path.substr(shared), '/'), is_plain);
}

}  // namespace pi_mcp::config
