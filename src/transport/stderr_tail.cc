#include "transport/stderr_tail.h"

#include "base/text.h"

namespace pi_mcp::transport {

void StderrTail::add(std::string_view bytes) {
  bytes_ += bytes;
  if (bytes_.size() > 2 * kept_bytes) {
    bytes_.erase(0, bytes_.size() - kept_bytes);
    cut_ = true;
  }
}

std::string StderrTail::printable() const {
  std::string_view kept = bytes_;
  bool cut = cut_;
  if (kept.size() > kept_bytes) {
    kept.remove_prefix(kept.size() - kept_bytes);
    cut = true;
  }
  const std::size_t line_end = kept.find('\n');
  if (cut && line_end != std::string_view::npos && line_end + 1 < kept.size()) {
    kept.remove_prefix(line_end + 1);
  }
  return text::printable(kept);
}

}  // namespace pi_mcp::transport
