// What a front is once it is attached: a process that waits for the end of its session. It should
// cost nothing, so it becomes another program, of a few pages and without a library.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/fd.h"

namespace pi_mcp::io {

// Seconds of CLOCK_MONOTONIC; 0: never.
using DeathTime = std::int64_t;

struct Wait {
  int control = -1;  // the socket to the shared process; it blocks
  int memory = -1;   // kept for the next shared process
  int staging = -1;  // the same; -1: none
  DeathTime last_death = 0;
  std::vector<std::string> arguments;  // argv to become the front again
  const std::map<std::string, std::string>* environment = nullptr;
};

// Becomes the waiter: ends with the session's exit status, and when the shared process dies runs
// this program again (the one that runs now, also when its file was replaced). Returns only when
// the system does not let it (files in memory may not be executed): then nothing has changed.
void become_waiter(const Wait& wait);

// What a front that was a waiter finds in its environment, and takes out of it.
struct Woken {
  Fd memory;
  Fd staging;                 // not open: none
  DeathTime died = 0;         // now
  DeathTime died_before = 0;  // 0: this was the first
};
std::optional<Woken> take_woken(std::map<std::string, std::string>& environment);

// Its text in that environment, and back; nullopt: no text of ours.
struct WakeText {
  std::int64_t control = 0;  // numbers of descriptors; 0: none
  std::int64_t memory = 0;
  std::int64_t staging = 0;
  std::int64_t program = 0;
  DeathTime died = 0;
  DeathTime died_before = 0;
};
std::string wake_text(const WakeText& wake);
std::optional<WakeText> parse_wake_text(std::string_view text);

DeathTime death_clock();

}  // namespace pi_mcp::io
