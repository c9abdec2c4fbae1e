#include "io/loop/with_deadline.h"

namespace pi_mcp::io::detail {

std::string limit_text(Duration limit) {
  const auto ms = std::chrono::duration_cast<Milliseconds>(limit).count();
  if (ms >= 1000 && ms % 1000 == 0) {
    return std::to_string(ms / 1000) + " s";
  }
  return std::to_string(ms) + " ms";
}

}  // namespace pi_mcp::io::detail
