// What a process hands on to those it starts, beside variables and working directory. Pure data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pi_mcp {

// "max" is the largest number.
struct ResourceLimit {
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;
  bool operator==(const ResourceLimit&) const = default;
};
inline constexpr std::size_t resource_count = 16;
// Of the number of open files: programs raise the soft one by themselves.
inline constexpr std::size_t open_files_resource = 7;

struct ProcessTraits {
  unsigned umask = 0;
  int niceness = 0;
  std::array<ResourceLimit, resource_count> limits{};  // by the numbers of getrlimit(2)
  bool operator==(const ProcessTraits&) const = default;
};

}  // namespace pi_mcp
