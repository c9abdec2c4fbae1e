// What the shell that started us allows this process: looked at, and mended once at the start.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace pi_mcp::io {

// Makes sure that so many files can be open, as far as the hard limit allows it. io: it does not;
// the message says what to do.
Result<void> ensure_open_files(std::size_t wanted);

// Files and folders that are made from now on can be read and written by who makes them, whatever
// the umask says; of others it goes on to decide. Without it a lock that was made could not be
// taken again.
void keep_own_rights();

// "max" is the largest number.
struct ResourceLimit {
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;
  bool operator==(const ResourceLimit&) const = default;
};
inline constexpr std::size_t resource_count = 16;

// What a process hands on to those it starts.
struct ProcessTraits {
  unsigned umask = 0;
  int niceness = 0;
  std::array<ResourceLimit, resource_count> limits{};  // by the numbers of getrlimit(2)
  bool operator==(const ProcessTraits&) const = default;
};
ProcessTraits own_traits();

// What a process with our traits could not give to one that it starts, though `wanted` has it, in
// words ("its hard limit of open files is higher"): nobody may raise a hard limit or lower a
// niceness again. nullopt: nothing.
std::optional<std::string> out_of_reach(const ProcessTraits& own, const ProcessTraits& wanted);

}  // namespace pi_mcp::io
