#include "io/process/kernel.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace pi_mcp::io {
namespace {

constexpr std::size_t aligned(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

// NT_GNU_BUILD_ID among these notes; empty: it is not there.
std::string_view build_id_in(std::string_view notes, std::size_t alignment) {
  constexpr std::string_view owner{"GNU\0", 4};  // with its NUL
  ElfW(Nhdr) note{};
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    const std::size_t content = sizeof note + aligned(note.n_namesz, alignment);
    const std::size_t size = content + aligned(note.n_descsz, alignment);
    if (size > notes.size()) {
      return {};
    }
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(sizeof note, note.n_namesz) == owner) {
      return notes.substr(content, note.n_descsz);
    }
    notes.remove_prefix(size);
  }
  return {};
}

// For dl_iterate_phdr(), which shows the program itself before its libraries.
int take_build_id(dl_phdr_info* program, std::size_t /*size*/, void* into) {
  auto& found = *static_cast<std::string_view*>(into);
  for (std::size_t i = 0; i < program->dlpi_phnum && found.empty(); ++i) {
    const ElfW(Phdr)& part = program->dlpi_phdr[i];
    if (part.p_type == PT_NOTE) {
      constexpr std::size_t wide = 8;  // of others the kernel too takes 4
      // NOLINTNEXTLINE(performance-no-int-to-ptr): that is how the linker says where
      const auto* const notes = reinterpret_cast<const char*>(program->dlpi_addr + part.p_vaddr);
      found = build_id_in({notes, part.p_memsz}, part.p_align == wide ? wide : 4);
    }
  }
  return 1;
}

}  // namespace

std::string own_program() {
  return "/proc/self/exe";
}

void adopt_descendants(bool on) {
  (void)::prctl(PR_SET_CHILD_SUBREAPER, on ? 1 : 0, 0, 0, 0);
}

Fd end_of_child(pid_t child) {
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
}

void widen_pipe(int pipe, int bytes) {
  (void)::fcntl(pipe, F_SETPIPE_SZ, bytes);
}

Fd open_anew(int file, int flags) {
  return Fd(::open(("/proc/self/fd/" + std::to_string(file)).c_str(), flags | O_CLOEXEC));
}

Fd open_to_read(int file) {
  return open_anew(file, O_RDONLY);
}

unsigned own_user_id() {
  return ::geteuid();
}

Fd open_own_program() {
  return Fd(::open("/proc/self/exe", O_PATH | O_CLOEXEC));
}

std::string own_program_stamp() {
  std::string_view build_id;
  (void)::dl_iterate_phdr(take_build_id, &build_id);
  if (!build_id.empty()) {
    return std::string(build_id);
  }
  struct stat status{};
  (void)::stat("/proc/self/exe", &status);  // where there is no /proc nothing is shared
  return std::to_string(status.st_size) + ' ' + std::to_string(status.st_mtim.tv_sec) + ' ' +
         std::to_string(status.st_mtim.tv_nsec);
}

void name_process(const char* name) {
  (void)::prctl(PR_SET_NAME, name);
}

void close_files(unsigned first, unsigned last) {
  if (::close_range(first, last, 0) == 0) {
    return;
  }
  // Linux before 5.9; more descriptors than this nobody has there.
  constexpr unsigned files_max = 65'536;
  for (unsigned fd = first; fd <= std::min(last, files_max); ++fd) {
    (void)::close(static_cast<int>(fd));
  }
}

void reset_signals(void (*handler)(int)) {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action{};
    action.sa_handler = handler;
    (void)::sigaction(number, &action, nullptr);  // SIGKILL and SIGSTOP refuse
  }
}

}  // namespace pi_mcp::io
