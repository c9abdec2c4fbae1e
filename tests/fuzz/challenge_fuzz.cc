// WWW-Authenticate as a server may send it: reading it ends, keeps its limits, and what was read,
// written down again, is read the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "auth/challenge.h"

namespace {

using pi_mcp::auth::Challenge;
using pi_mcp::auth::parse_challenges;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

std::string written(const Challenge& challenge) {
  std::string text = challenge.scheme + (challenge.token68.empty() ? "" : " " + challenge.token68);
  std::string separator = " ";
  for (const auto& [name, value] : challenge.parameters) {
    text += challenge.token68.empty() ? separator : ",";
    text += name + "=\"";
    for (const char c : value) {
      text += c == '"' || c == '\\' ? "\\" : "";
      text += c;
    }
    text += '"';
    separator = ",";
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view header(reinterpret_cast<const char*>(data), size);
  const auto all = parse_challenges(header);
  require(all.size() <= pi_mcp::auth::challenges_max);
  std::string text;
  for (const Challenge& challenge : all) {
    text += (text.empty() ? "" : ", ") + written(challenge);
  }
  const auto again = parse_challenges(text);
  require(again.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    require(again[i].scheme == all[i].scheme && again[i].token68 == all[i].token68 &&
            again[i].parameters == all[i].parameters);
  }
  return 0;
}
