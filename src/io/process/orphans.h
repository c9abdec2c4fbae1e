// What a keeper leaves behind when it is itself killed: found and ended by us
// (docs/decisions/0002-supervision.md). Process-wide, as children are; on the loop's thread.
#pragma once

#include <sys/types.h>

#include "io/loop/task.h"

namespace pi_mcp::io {

// Called before the first keeper is forked, and again as often as one likes: from then on whoever
// loses its keeper becomes a child of ours. Not where we have children that we did not start (of
// the program that became us by exec): theirs would come to us too, and are not ours to end.
void adopt_orphans();

// A keeper of ours lives or has ended and been waited for.
void note_keeper(pid_t keeper);
void forget_keeper(pid_t keeper);

// Ends every child of ours that is not a keeper, and what it has started, until none is left;
// SIGKILL, because their keeper, who would have asked first, is gone. Returns after 3 s at most.
Task<void> end_orphans();

// While one lives, orphans fall to the system: around the start of what may outlive us (a browser),
// which so never becomes a child of ours.
class NoAdoption {
 public:
  NoAdoption();
  NoAdoption(const NoAdoption&) = delete;
  NoAdoption& operator=(const NoAdoption&) = delete;
  ~NoAdoption();
};

}  // namespace pi_mcp::io
