#include "io/process/orphans.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/log.h"
#include "base/time.h"
#include "io/loop/clock.h"
#include "io/loop/sleep.h"
#include "io/process/kernel.h"
#include "io/process/process_tree.h"

namespace pi_mcp::io {
namespace {

// SIGKILL works at once; only who hangs in the kernel, or multiplies, lasts longer.
constexpr Milliseconds end_max{3000};
constexpr Milliseconds pause_min{2};
constexpr Milliseconds pause_max{100};

struct Family {
  bool asked = false;   // adopt_orphans() was called
  bool adopts = false;  // and did it
  std::set<pid_t> keepers;
};

Family& family() {
  static Family ours;
  return ours;
}

std::vector<pid_t> orphans() {
  std::vector<pid_t> found = own_children();
  std::erase_if(found, [](pid_t child) { return family().keepers.contains(child); });
  return found;
}

}  // namespace

void adopt_orphans() {
  if (!family().asked) {
    family().asked = true;
    family().adopts = own_children().empty();
    adopt_descendants(family().adopts);
  }
}

void note_keeper(pid_t keeper) {
  family().keepers.insert(keeper);
}

void forget_keeper(pid_t keeper) {
  family().keepers.erase(keeper);
}

Task<void> end_orphans() {
  if (!family().adopts) {
    co_return;
  }
  const TimePoint deadline = now() + end_max;
  Duration pause = pause_min;
  for (std::vector<pid_t> left = orphans(); !left.empty(); left = orphans()) {
    for (const pid_t orphan : left) {
      (void)::kill(orphan, SIGKILL);
      (void)::waitpid(orphan, nullptr, WNOHANG);  // who is not gone yet is looked at again
    }
    if (now() >= deadline) {
      log::warning(std::to_string(left.size()) +
                   " processes of a server whose keeper was killed do not end");
      co_return;
    }
    if (!co_await sleep_for(pause)) {
      co_return;
    }
    pause = std::min<Duration>(pause * 2, pause_max);
  }
}

NoAdoption::NoAdoption() {
  if (family().adopts) {
    adopt_descendants(false);
  }
}

NoAdoption::~NoAdoption() {
  if (family().adopts) {
    adopt_descendants(true);
  }
}

}  // namespace pi_mcp::io
