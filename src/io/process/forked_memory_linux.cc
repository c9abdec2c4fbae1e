// Only system calls, no heap: see io/process/keeper_linux.cc.
#include "io/process/forked_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

#if !defined(PI_MCP_STATIC)
#include <dlfcn.h>
#endif

namespace pi_mcp::io {
namespace {

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  [[nodiscard]] bool holds(const void* address) const {
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    return begin <= number && number < end;
  }
};

// Smaller ones are left: the data of libraries, thread-local storage, vdso.
constexpr std::size_t large_bytes = std::size_t{256} << 10U;
constexpr std::size_t ranges_max = 64;
constexpr std::uintptr_t page_bytes = 65536;  // the largest of any Linux
// The kernel joins neighbours into one mapping, so thread-local storage can be part of a large one;
// it reaches no further than this from errno.
constexpr std::size_t thread_local_bytes_max = std::size_t{128} << 10U;

std::size_t dropped_count = 0;
std::array<Range, ranges_max> dropped;

std::uintptr_t take_hex(std::string_view& text) {
  std::uintptr_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
  return number;
}

void drop_later(const Range& range) {
  if (range.begin < range.end && dropped_count < ranges_max) {
    dropped.at(dropped_count++) = range;
  }
}

// One line of /proc/self/maps: "begin-end rw-p offset device inode   name".
void note_mapping(std::string_view line, const void* stack) {
  Range range;
  range.begin = take_hex(line);
  line.remove_prefix(line.starts_with('-') ? 1 : 0);
  range.end = take_hex(line);
  const bool is_heap = line.ends_with("[heap]");
  const bool is_large_anonymous =
      line.starts_with(" rw-p 00000000 00:00 0") && line.find('[') == std::string_view::npos &&
      line.find('/') == std::string_view::npos && range.end - range.begin >= large_bytes;
  if ((!is_heap && !is_large_anonymous) || range.holds(&dropped) || range.holds(stack)) {
    return;
  }
  if (range.holds(&errno)) {
    const auto used = reinterpret_cast<std::uintptr_t>(&errno) / page_bytes * page_bytes;
    drop_later({.begin = range.begin, .end = used - thread_local_bytes_max});
    drop_later({.begin = used + thread_local_bytes_max, .end = range.end});
  } else {
    drop_later(range);
  }
}

}  // namespace

#if defined(PI_MCP_STATIC)
// Nothing could have been loaded in place of the allocator that was linked in.
bool can_drop_allocated_memory() {
  return true;
}
#else
bool can_drop_allocated_memory() {
  // Not &malloc: in a program at a fixed address that is a stub of its own.
  Dl_info in_malloc{};
  Dl_info in_libc{};
  return ::dladdr(::dlsym(RTLD_DEFAULT, "malloc"), &in_malloc) != 0 &&
         ::dladdr(::dlsym(RTLD_DEFAULT, "getpid"), &in_libc) != 0 &&
         in_malloc.dli_fbase == in_libc.dli_fbase;
}
#endif

void drop_allocated_memory() {
  const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) {
    return;
  }
  std::array<char, 256> line{};  // longer lines are files
  std::size_t length = 0;
  std::array<char, 2048> chunk{};
  for (ssize_t count = 1; count > 0;) {
    count = ::read(maps, chunk.data(), chunk.size());
    for (ssize_t i = 0; i < count; ++i) {
      const char byte = chunk.at(static_cast<std::size_t>(i));
      if (byte == '\n') {
        note_mapping({line.data(), length}, &chunk);
        length = 0;
      } else if (length < line.size()) {
        line.at(length++) = byte;
      }
    }
  }
  (void)::close(maps);
  for (std::size_t i = 0; i < dropped_count; ++i) {
    const Range& range = dropped.at(i);
    // The address of a mapping is a number that came from the kernel.
    auto* const begin =
        reinterpret_cast<void*>(range.begin);  // NOLINT(performance-no-int-to-ptr): see above
    (void)::munmap(begin, range.end - range.begin);
  }
}

}  // namespace pi_mcp::io
