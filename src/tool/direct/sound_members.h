// What a server says of a tool, as hosts take it: one member of the wrong kind, and the official
// SDKs refuse the whole list, with everybody's tools in it. Pure.
#pragma once

#include <string>

#include "base/shared_text.h"
#include "json/document.h"

namespace pi_mcp::tool {

// The schema as it came, with "type":"object" where that is missing, and without members of it that
// hosts refuse; of one that is none, or too large to be shown, no more than that it is an object.
// Calls are checked against the server's own.
[[nodiscard]] std::string sound_schema(const SharedText& given);

// Annotations without those of the wrong kind.
[[nodiscard]] std::string sound_annotations(const SharedText& given);

// Whether another member of a tool (icons, execution, outputSchema, …) may be shown.
[[nodiscard]] bool is_sound(json::Member member);

}  // namespace pi_mcp::tool
