// A process of our own program that keeps nothing of the one that starts it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "io/files/fd.h"

namespace pi_mcp::io {

// Why a process that we start would keep something of ours that it cannot put off: our niceness or
// lowered limits (a user may not raise them again), or a keeper above us, which would end it with
// its server. nullopt: nothing does.
std::optional<std::string> why_not_born_clean();

// Starts our own program (the one that runs, also when its file was replaced) in a session of its
// own, without environment, in "/", with umask 077, default signals, usual priorities, and no
// descriptors but /dev/null three times and those of BirthGifts. Returns when it has said that it
// is ready. unavailable: it ended before. timed_out: it was not ready by then, and was killed.
struct Newborn {
  std::vector<std::string> arguments;  // argv
  int lock = -1;                       // of the folder; it holds it until it is ready
  int folder = -1;
};
Result<void> start_newborn(const Newborn& newborn, Milliseconds limit);

// What such a process finds, with fixed numbers, when it starts.
struct BirthGifts {
  Fd lock;
  Fd folder;
  Fd ready;
};
// io: we were not started like that.
Result<BirthGifts> take_birth_gifts();
// Tells who started us that we are ready. May fail: that one may have gone.
void say_ready(const Fd& ready);

}  // namespace pi_mcp::io
