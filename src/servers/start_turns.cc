#include "servers/start_turns.h"

namespace pi_mcp::servers {

bool StartTurns::is_free(bool background) const {
  return begun_ < limits_.total && (!background || begun_in_background_ < limits_.background);
}

void StartTurns::begin(bool background) {
  ++begun_;
  begun_in_background_ += background ? 1 : 0;
}

void StartTurns::end(bool background) {
  --begun_;
  begun_in_background_ -= background ? 1 : 0;
}

}  // namespace pi_mcp::servers
