// One member of mcp-trust.json that is an object, and the rest of the text, which stays as it was.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "config/raw.h"

namespace pi_mcp::config {

struct TrustBook {
  RawObject file;
  std::string_view member;  // its name
  RawObject entries;

  // `text` may be empty; invalid_argument: it is not an object, or the member is not.
  static Result<TrustBook> read(std::string_view text, std::string_view member);
  [[nodiscard]] std::string text();
};

}  // namespace pi_mcp::config
