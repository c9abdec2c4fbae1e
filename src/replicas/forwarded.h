// What became of requests that were passed on to other replicas.
#pragma once

#include <cstdint>

namespace pi_mcp::replicas {

struct Forwarded {
  std::uint64_t answered = 0;
  std::uint64_t gone = 0;       // nothing listens there any more
  std::uint64_t misplaced = 0;  // it no longer has what they were for
  std::uint64_t failed = 0;     // it gave no answer
};

}  // namespace pi_mcp::replicas
