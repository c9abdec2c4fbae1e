#include "servers/start_limiter.h"

namespace pi_mcp::servers {

bool StartLimiter::is_free(bool background) const {
  return begun_ < limits_.total && (!background || begun_in_background_ < limits_.background);
}

void StartLimiter::begin(bool background) {
  ++begun_;
  begun_in_background_ += background ? 1 : 0;
}

void StartLimiter::end(bool background) {
  --begun_;
  begun_in_background_ -= background ? 1 : 0;
}

}  // namespace pi_mcp::servers
