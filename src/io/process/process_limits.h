// What the shell that started us allows this process: looked at, and mended once at the start.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

#include "base/process_traits.h"
#include "base/result.h"

namespace pi_mcp::io {

// Makes sure that so many files can be open, as far as the hard limit allows it. io: it does not;
// the message says what to do.
Result<void> ensure_open_files(std::size_t wanted);

// Files and folders that are made from now on can be read and written by who makes them, whatever
// the umask says; of others it goes on to decide. Without it a lock that was made could not be
// taken again.
void keep_own_rights();

using pi_mcp::ProcessTraits;
using pi_mcp::ResourceLimit;

ProcessTraits own_traits();
// Of another process of our user; without its umask, which cannot be seen. nullopt: it has gone.
std::optional<ProcessTraits> traits_of(pid_t process);

// Gives the calling process these traits, as far as nothing is loosened that it is bound by: of two
// hard limits the lower one holds, and a niceness that needs privilege stays. 0, or the errno with
// which the system refused to bind it tighter. Only system calls: it runs between fork and exec.
int take_on(const ProcessTraits& traits);

// What a process with our traits could not give to one that it starts, though `wanted` has it, in
// words ("its hard limit of open files is higher"): nobody may raise a hard limit or lower a
// niceness again. nullopt: nothing.
std::optional<std::string> out_of_reach(const ProcessTraits& own, const ProcessTraits& wanted);

}  // namespace pi_mcp::io
