// Memory that outlives the process which made it, for as long as somebody holds its descriptor.
// Its size never changes, and pages that nobody has written cost nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "io/files/fd.h"

namespace pi_mcp::io {

class SharedMemory {
 public:
  // Sealed: neither shrinks nor grows. `bytes` is a multiple of the page size. io: the system's
  // reason.
  static Result<SharedMemory> create(std::size_t bytes);

  // All of it, without a fault for each page that nobody has written yet. unavailable: the system
  // has no memory left; what came before may have been written.
  [[nodiscard]] Result<void> write(std::size_t offset, std::string_view text) const;
  // Gives the pages of a range back; it reads as zeros again. Both are multiples of the page size.
  // io: the system's reason, and nothing has changed.
  [[nodiscard]] Result<void> forget(std::size_t offset, std::size_t bytes) const;
  [[nodiscard]] int number() const { return file_.get(); }

 private:
  explicit SharedMemory(Fd file) : file_(std::move(file)) {}
  Fd file_;
};

// A range of such memory in our address space until the end of this object.
class Mapping {
 public:
  // Both are multiples of the page size. With `twice` the range stands there two times in a row, so
  // that nothing in a ring ever wraps. io: no address space, or the system's reason.
  enum class Copies : std::uint8_t { once, twice };
  static Result<Mapping> of(const SharedMemory& memory,
                            std::size_t offset,
                            std::size_t bytes,
                            Copies copies);

  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping();

  [[nodiscard]] char* data() const { return data_; }

 private:
  Mapping(char* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  char* data_;
  std::size_t bytes_;  // of address space
};

// Reads a range of a file that another process may have made, whole. io: it is shorter, or the
// system's reason.
Result<void> read_range(int file, std::size_t offset, std::span<char> into);

}  // namespace pi_mcp::io
