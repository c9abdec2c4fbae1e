#include "io/files/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace pi_mcp::io {
namespace {

// Linux 6.3; Debian 12's headers are older.
constexpr unsigned not_executable = 0x0008;  // MFD_NOEXEC_SEAL
constexpr unsigned executable = 0x0010;      // MFD_EXEC

constexpr int size_seals = F_SEAL_SHRINK | F_SEAL_GROW;

bool has_seals(const Fd& file, int wanted) {
  const int seals = ::fcntl(file.get(), F_GET_SEALS);  // fails for all but files in memory
  return seals >= 0 && (seals & wanted) == wanted;
}

Result<void> seal(const Fd& file, int seals) {
  if (::fcntl(file.get(), F_ADD_SEALS, seals | F_SEAL_SEAL) != 0) {
    return fail(ErrorCode::io, "cannot seal a file in memory: " + reason(errno));
  }
  return {};
}

}  // namespace

Result<Fd> make_memory_file(const std::string& name, MemoryFileUse use) {
  const unsigned kind = use == MemoryFileUse::program ? executable : not_executable;
  constexpr unsigned common = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  Fd file(::memfd_create(name.c_str(), common | kind));
  if (!file.is_open() && errno == EINVAL) {
    file.reset(::memfd_create(name.c_str(), common));
  }
  if (!file.is_open()) {
    return fail(ErrorCode::io, "cannot make a file in memory: " + reason(errno));
  }
  return file;
}

Result<Fd> make_sealed_file(const std::string& name, std::string_view text, MemoryFileUse use) {
  Result<Fd> file = make_memory_file(name, use);
  if (!file) {
    return file;
  }
  while (!text.empty()) {
    const ssize_t count = ::write(file->get(), text.data(), text.size());
    if (count < 0 && errno != EINTR) {
      return fail(ErrorCode::io, "cannot write to a file in memory: " + reason(errno));
    }
    text.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
  }
  if (Result<void> sealed = seal(*file, size_seals | F_SEAL_WRITE); !sealed) {
    return fail(std::move(sealed).error());
  }
  return file;
}

Result<std::string> read_sealed_file(const Fd& file, std::size_t bytes_max) {
  struct stat status{};
  if (!has_seals(file, size_seals | F_SEAL_WRITE) || ::fstat(file.get(), &status) != 0) {
    return fail(ErrorCode::protocol, "what was handed over is no sealed file");
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > bytes_max) {
    return fail(ErrorCode::protocol, "what was handed over is too large");
  }
  std::string text(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count =
        ::pread(file.get(), text.data() + done, size - done, static_cast<off_t>(done));
    if (count == 0 || (count < 0 && errno != EINTR)) {
      return fail(ErrorCode::protocol, "what was handed over cannot be read");
    }
    done += count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  return text;
}

Result<void> fix_size(const Fd& file) {
  return seal(file, size_seals);
}

bool has_fixed_size(const Fd& file) {
  return has_seals(file, size_seals);
}

}  // namespace pi_mcp::io
