// What is said of settings in which a word that is not understood might have been meant to
// restrict: nothing of them counts. Pure.
#pragma once

#include <initializer_list>
#include <string_view>

#include <tl/expected.hpp>

#include "base/result.h"
#include "json/document.h"

namespace pi_mcp::access {

// invalid_argument. `key`: of the settings, "http.oauth".
tl::unexpected<Error> wrong_setting(std::string_view key, std::string_view why);
// invalid_argument: it is no object, or has other members.
Result<void> check_members(json::Value object,
                           std::string_view key,
                           std::initializer_list<std::string_view> known);

}  // namespace pi_mcp::access
