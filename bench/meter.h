// What a piece of work has cost this process so far: processor time and memory.
#pragma once

#include <malloc.h>
#include <time.h>

namespace bench {

// Of this thread, milliseconds.
inline double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// What the allocator has given out, millions of bytes.
inline double allocated_mb() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / 1e6;
}

}  // namespace bench
