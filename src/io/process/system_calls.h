// System calls without a library: for programs that have none (waiter_program.cc,
// keeper_program.cc), and for what is part of such a program and of ours.
#pragma once

#include <asm/unistd.h>

namespace pi_mcp::io::bare {

// Returns what the kernel does: a failure is its number, negative.
#if defined(__x86_64__)
// NOLINTNEXTLINE(readability-function-size): as many as a system call has
inline long call(long number, long a, long b = 0, long c = 0, long d = 0, long e = 0) {
  long result = 0;
  register long fourth asm("r10") = d;
  register long fifth asm("r8") = e;
  register long sixth asm("r9") = 0;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
// NOLINTNEXTLINE(readability-function-size): as many as a system call has
inline long call(long number, long a, long b = 0, long c = 0, long d = 0, long e = 0) {
  register long kind asm("x8") = number;
  register long first asm("x0") = a;
  register long second asm("x1") = b;
  register long third asm("x2") = c;
  register long fourth asm("x3") = d;
  register long fifth asm("x4") = e;
  register long sixth asm("x5") = 0;
  asm volatile("svc 0"
               : "+r"(first)
               : "r"(kind), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
               : "memory");
  return first;
}
#else
#error "programs without a library have to know how this processor calls the system"
#endif

inline long address(const void* pointer) {
  return reinterpret_cast<long>(pointer);
}

[[noreturn]] inline void leave(long status) {
  call(__NR_exit_group, status);
  __builtin_unreachable();
}

// The number that the text begins with.
inline long decimal(const char* text, const char* end) {
  long value = 0;
  for (; text != end && *text >= '0' && *text <= '9'; ++text) {
    value = value * 10 + (*text - '0');
  }
  return value;
}

}  // namespace pi_mcp::io::bare

// Where a program without a library begins, with the stack as the kernel gives it to a new program:
// argc, argv, 0, envp, 0.
extern "C" [[noreturn]] void begin_program(long* stack);
