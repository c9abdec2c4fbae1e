#include "io/files/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

namespace pi_mcp::io {
namespace {

Error system_error(const char* what) {
  return {ErrorCode::io, std::string(what) + ": " + reason(errno)};
}

}  // namespace

Result<SharedMemory> SharedMemory::create(std::size_t bytes) {
  Fd file(::memfd_create("pi-mcp-session", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.is_open()) {
    return fail(system_error("no memory to share"));
  }
  if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0 ||
      ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return fail(system_error("no memory to share"));
  }
  return SharedMemory(std::move(file));
}

Result<void> SharedMemory::write(std::size_t offset, std::string_view text) const {
  while (!text.empty()) {
    const ssize_t count =
        ::pwrite(file_.get(), text.data(), text.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return fail(ErrorCode::unavailable, "cannot write memory: " + reason(errno));
    }
    offset += static_cast<std::size_t>(count);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> SharedMemory::forget(std::size_t offset, std::size_t bytes) const {
  if (::fallocate(file_.get(),
                  FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(offset),
                  static_cast<off_t>(bytes)) != 0) {
    return fail(system_error("cannot give memory back"));
  }
  return {};
}

Result<Mapping> Mapping::of(const SharedMemory& memory,
                            std::size_t offset,
                            std::size_t bytes,
                            Copies copies) {
  const std::size_t count = copies == Copies::twice ? 2 : 1;
  void* const space =
      ::mmap(nullptr, count * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) {
    return fail(system_error("no address space"));
  }
  Mapping mapping(static_cast<char*>(space), count * bytes);
  for (std::size_t i = 0; i < count; ++i) {
    if (::mmap(mapping.data_ + i * bytes,
               bytes,
               PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_FIXED,
               memory.number(),
               static_cast<off_t>(offset)) == MAP_FAILED) {
      return fail(system_error("cannot map memory"));
    }
  }
  return mapping;
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

Mapping::~Mapping() {
  if (data_ != nullptr) {
    (void)::munmap(data_, bytes_);
  }
}

Result<void> read_range(int file, std::size_t offset, std::span<char> into) {
  while (!into.empty()) {
    const ssize_t count = ::pread(file, into.data(), into.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return fail(count == 0 ? Error(ErrorCode::io, "the file is too short")
                             : system_error("cannot read"));
    }
    offset += static_cast<std::size_t>(count);
    into = into.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace pi_mcp::io
