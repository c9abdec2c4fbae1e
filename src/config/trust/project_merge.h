// What a project's file may change of what the user has said, once the user trusts that file: it
// adds servers of its own and tightens (Key::project_may), and loosens nothing. Pure.
#pragma once

#include <vector>

#include "config/merge.h"

namespace pi_mcp::config {

// A project's entry over what is known of its name. An entry that changes how a server of the user
// is reached (command, args, url, socket), or that names the same program with other settings for
// it, makes it the project's own: nothing of the user's entry goes along but what restricts it.
// Else only what tightens counts, and a key that does not count is warned of.
void merge_project(MergedServer& base, const RawServer& over, std::vector<Warning>& warnings);

// The same for `settings`.
void merge_project_settings(MergedServer& settings,
                            const Layer& layer,
                            std::vector<Warning>& warnings);

}  // namespace pi_mcp::config
