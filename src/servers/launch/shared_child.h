// What a server that sessions share gets of the session that starts it, and what of that decides
// with whom it is shared (docs/decisions/0064-what-is-shared.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/process_traits.h"
#include "config/environment.h"
#include "config/settings.h"
#include "servers/launch/launch.h"

namespace pi_mcp::servers {

// Share::user, in a process of many sessions.
[[nodiscard]] bool is_for_all(const Sharing& sharing);

// What the child has of the session's environment, before that of its entry is added.
std::map<std::string, std::string> child_environment(const config::Server& server,
                                                     const config::Environment& environment,
                                                     const Sharing& sharing);

// Whether a child whose server inherits the session's environment would share one copy with
// another, as far as variables decide that, were its entry changed so.
enum class Entry : std::uint8_t { inherits_nothing, share_user };
[[nodiscard]] bool would_have_same_variables(const config::Server& server,
                                             Entry changed,
                                             const Launch& one,
                                             const Launch& other);

// What binds the child.
std::optional<ProcessTraits> child_process(const config::Environment& environment,
                                           const Sharing& sharing);

// Notes in a launch that is complete what of it is not part of its key.
void note_sharing(const config::Server& server, const Sharing& sharing, Launch& launch);

}  // namespace pi_mcp::servers
