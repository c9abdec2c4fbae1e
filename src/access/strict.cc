#include "access/strict.h"

#include <algorithm>
#include <string>

namespace pi_mcp::access {

tl::unexpected<Error> wrong_setting(std::string_view key, std::string_view why) {
  return fail(ErrorCode::invalid_argument, "settings." + std::string(key) + " " + std::string(why));
}

Result<void> check_members(json::Value object,
                           std::string_view key,
                           std::initializer_list<std::string_view> known) {
  if (!object.is_object()) {
    return wrong_setting(key, "has to be an object");
  }
  for (const json::Member member : object.members()) {
    if (std::ranges::find(known, member.name()) == known.end()) {
      std::string list;
      for (const std::string_view each : known) {
        list += (list.empty() ? "" : ", ") + std::string(each);
      }
      return wrong_setting(key,
                           "has an unknown key \"" + member.name() + "\"; it may have " + list);
    }
  }
  return {};
}

}  // namespace pi_mcp::access
