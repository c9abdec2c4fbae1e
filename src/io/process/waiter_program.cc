// The waiter: what a front becomes by exec once it is attached, in the same process. It has no
// library, because a program with one touches 0.7 MiB before main(); this one a few pages. It is
// linked on its own (CMakeLists.txt) and not part of the main program but for its bytes.
#include "io/net/packet_kind.h"
#include "io/process/system_calls.h"
#include "io/process/wake_format.h"

namespace pi_mcp::io {
namespace {

using bare::address;
using bare::call;
using bare::decimal;
using bare::leave;

constexpr long interrupted = -4;    // EINTR
constexpr long reset = -104;        // ECONNRESET: see receive_packet()
constexpr long not_a_socket = -88;  // ENOTSOCK
constexpr int standard_error = 2;
constexpr int no_program = 70;  // nothing else can be said any more

// The numbers behind the variable's name.
class Numbers {
 public:
  explicit Numbers(char* entry) : text_(entry) {
    for (const char* name = wake_variable; *name != 0; ++name) {
      ++text_;
    }
    ++text_;  // "="
  }

  [[nodiscard]] long get(WakeNumber which) const {
    long value = 0;
    for (int i = 0; i < wake_digits; ++i) {
      value = value * 10 + (place(which)[i] - '0');
    }
    return value;
  }

  void set(WakeNumber which, long value) {
    for (int i = wake_digits - 1; i >= 0; --i) {
      place(which)[i] = static_cast<char>('0' + value % 10);
      value /= 10;
    }
  }

 private:
  [[nodiscard]] char* place(WakeNumber which) const {
    return text_ + static_cast<long>(which) * (wake_digits + 1);
  }
  char* text_;
};

// A reader that has stopped reading must not hold us past the end: what does not fit is dropped.
void write_errors(const char* text, long size) {
  constexpr long without_waiting = 0x40 | 0x4000;  // MSG_DONTWAIT, MSG_NOSIGNAL
  if (call(__NR_sendto, standard_error, address(text), size, without_waiting) != not_a_socket) {
    return;
  }
  struct {
    int file;
    short wanted;
    short ready;
  } room{.file = standard_error, .wanted = 4, .ready = 0};  // POLLOUT
  struct {
    long seconds;
    long nanoseconds;
  } no_time{.seconds = 0, .nanoseconds = 0};
  if (call(__NR_ppoll, address(&room), 1, address(&no_time)) == 1 && room.ready == 4) {
    call(__NR_write, standard_error, address(text), size);
  }
}

// SIGINT and SIGTERM end the program with the status that `serve` ends with, so they are waited for
// like packets.
class EndSignals {
 public:
  EndSignals() {
    constexpr long interrupt_and_terminate = 1L << (2 - 1) | 1L << (15 - 1);
    constexpr long block = 0;
    constexpr long close_at_exec = 02000000;  // SFD_CLOEXEC
    const long set = interrupt_and_terminate;
    call(__NR_rt_sigprocmask, block, address(&set), address(&before_), sizeof set);
    file_ = call(__NR_signalfd4, -1, address(&set), sizeof set, close_at_exec);
    if (file_ < 0) {
      let_go();
    }
  }
  [[nodiscard]] int file() const { return static_cast<int>(file_); }
  // The number of the one that has come.
  [[nodiscard]] long take() const {
    int facts[32];  // struct signalfd_siginfo, whose first member it is
    // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.UndefReturn): the kernel has written it
    return call(__NR_read, file_, address(facts), sizeof facts) > 0 ? facts[0] : 0;
  }
  void let_go() const {
    constexpr long set_mask = 2;
    call(__NR_rt_sigprocmask, set_mask, address(&before_), 0, sizeof before_);
  }

 private:
  long before_ = 0;
  long file_ = -1;
};

// Returns when there is a packet, or the end of the packets.
void wait_for_packet(long control, const EndSignals& signals) {
  struct {
    int file;
    short wanted;
    short ready;
  } files[2] = {{.file = static_cast<int>(control), .wanted = 1, .ready = 0},  // POLLIN
                {.file = signals.file(), .wanted = 1, .ready = 0}};
  while (files[0].ready == 0) {
    if (call(__NR_ppoll, address(files), 2) < 0) {
      files[0].ready = files[1].ready = 0;
    }
    if (files[1].ready == 1) {
      constexpr long shell_signal_base = 128;  // how shells report an end by a signal
      leave(shell_signal_base + signals.take());
    }
  }
}

// Returns when the shared process is gone.
void wait(long control, const EndSignals& signals) {
  char packet[4096];
  for (;;) {
    wait_for_packet(control, signals);
    const long size = call(__NR_recvfrom, control, address(packet), sizeof packet);
    if (size == interrupted || size == reset) {
      continue;
    }
    if (size <= 0) {
      return;
    }
    const auto kind = static_cast<PacketKind>(packet[0]);
    if (kind == PacketKind::errors) {
      write_errors(packet + 1, size - 1);
    } else if (kind == PacketKind::over) {
      leave(decimal(packet + 1, packet + size));
    }
  }
}

long seconds_now() {
  constexpr long monotonic = 1;
  struct {
    long seconds;
    long nanoseconds;
  } time{.seconds = 0, .nanoseconds = 0};
  call(__NR_clock_gettime, monotonic, address(&time));
  return time.seconds;
}

}  // namespace
}  // namespace pi_mcp::io

void begin_program(long* stack) {
  using namespace pi_mcp::io;
  constexpr long name_process = 15;       // PR_SET_NAME
  constexpr long set_file_flags = 2;      // F_SETFD
  constexpr long close_at_exec = 1;       // FD_CLOEXEC
  constexpr long by_descriptor = 0x1000;  // AT_EMPTY_PATH
  call(__NR_prctl, name_process, address("pi-mcp"));
  char** const arguments = reinterpret_cast<char**>(stack + 1);
  char** const environment = arguments + stack[0] + 1;
  Numbers numbers(environment[0]);
  const EndSignals signals;
  wait(numbers.get(WakeNumber::control), signals);
  // Nobody has to do anything with what lies in the memory until the next shared process does.
  const long program = numbers.get(WakeNumber::program);
  call(__NR_close, numbers.get(WakeNumber::control));
  call(__NR_fcntl, program, set_file_flags, close_at_exec);
  numbers.set(WakeNumber::died_before, numbers.get(WakeNumber::died));
  numbers.set(WakeNumber::died, seconds_now());
  signals.let_go();
  call(__NR_execveat,
       program,
       address(""),
       reinterpret_cast<long>(arguments),
       reinterpret_cast<long>(environment),
       by_descriptor);
  leave(no_program);
}
