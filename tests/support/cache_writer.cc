// One of many programs that write the same metadata cache at once: waits for the end of stdin, then
// saves COUNT entries, each in an update of its own.
// Usage: cache_writer AGENT_DIR NAME COUNT
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "catalog/cache_file.h"

namespace {

// Twenty writers on a slow machine wait for each other.
constexpr pi_mcp::Milliseconds lock_wait_max{60'000};

void wait_for_start() {
  std::array<char, 16> ignored{};
  while (::read(STDIN_FILENO, ignored.data(), ignored.size()) > 0) {
  }
}

pi_mcp::catalog::CacheEntry entry_of(const std::string& name) {
  pi_mcp::catalog::CacheEntry entry;
  entry.identity.own = name;
  entry.cached_at = pi_mcp::EpochMs{1'800'000'000'000};
  pi_mcp::mcp::Tool& tool = entry.listing.tools.emplace_back();
  tool.name = name;
  tool.description = std::string(2000, 'x');
  return entry;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: cache_writer AGENT_DIR NAME COUNT\n", stderr);
    return 2;
  }
  wait_for_start();
  const int count = std::atoi(argv[3]);
  for (int i = 0; i < count; ++i) {
    pi_mcp::catalog::CacheFile file(argv[1], lock_wait_max);
    const std::string name = std::string(argv[2]) + "-" + std::to_string(i);
    file.put(name, entry_of(name));
    if (!file.flush()) {
      return 1;
    }
  }
  return 0;
}
