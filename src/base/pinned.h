// A base for what others point to: it stays at its address and cannot be copied.
#pragma once

namespace pi_mcp {

class Pinned {
 public:
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 protected:
  Pinned() = default;
  ~Pinned() = default;
};

}  // namespace pi_mcp
