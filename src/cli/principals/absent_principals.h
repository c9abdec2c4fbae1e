// What is kept for people who came by an authorization server's token and come no more: nobody
// removes such a token here, as `pi-mcp token remove` does with ours.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "access/principal.h"
#include "base/time.h"
#include "config/environment.h"
#include "config/settings.h"
#include "io/loop/task.h"

namespace pi_mcp::cli {

// At a time; the others are a day older at the next.
constexpr std::size_t absent_max = 256;

// When somebody came last is the time of their folder (config::own_dir()), which is written once a
// day at most.
void note_visit(const std::string& agent_dir, const access::Principal& principal, EpochMs now);

// Ids of those who came last before `since`, who have been away for longest first.
std::vector<std::string> absent_principals(const std::string& agent_dir, EpochMs since);

// Forgets them (forget_principal.h), one after the other. As whom they use servers is in `settings`
// as the user has them.
io::Task<void> forget_absent_principals(io::Executor executor,
                                        config::Environment environment,
                                        config::Settings settings,
                                        std::chrono::days absence_max);

}  // namespace pi_mcp::cli
