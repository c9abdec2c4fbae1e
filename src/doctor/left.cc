#include "doctor/left.h"

#include "base/time.h"
#include "io/loop/clock.h"
#include "io/loop/sleep.h"
#include "io/process/process_tree.h"

namespace pi_mcp::doctor {
namespace {

// A keeper asks after half a second and kills after another one.
constexpr Milliseconds ending_max{2000};
constexpr Milliseconds killing_max{3000};
constexpr Milliseconds pause{50};

}  // namespace

io::Task<std::vector<LeftProcess>> look_for_left_processes(config::Environment environment) {
  const TimePoint deadline = io::now() + ending_max;
  std::vector<io::LeftKeeper> keepers = io::left_keepers(environment.home);
  while (!keepers.empty() && io::now() < deadline && co_await io::sleep_for(pause)) {
    keepers = io::left_keepers(environment.home);
  }
  std::vector<LeftProcess> left;
  left.reserve(keepers.size());
  for (io::LeftKeeper& keeper : keepers) {
    left.push_back({.process_id = keeper.process_id, .program = std::move(keeper.program)});
  }
  co_return left;
}

io::Task<bool> end_left_process(int process_id) {
  const TimePoint deadline = io::now() + killing_max;
  while (io::kill_keeper(process_id)) {
    if (io::now() >= deadline || !co_await io::sleep_for(pause)) {
      co_return false;
    }
  }
  co_return true;
}

}  // namespace pi_mcp::doctor
