// One of the two rings in a session's memory. Positions count the bytes of a stream from its
// beginning and only grow; the range is mapped twice in a row, so that nothing ever wraps.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "io/files/shared_memory.h"

namespace pi_mcp::transport {

class Ring {
 public:
  // `mapping` is that range of the memory, twice. `origin`, in the memory too, is the position that
  // lies at the ring's beginning. The memory outlives the ring.
  Ring(const io::SharedMemory* memory,
       std::size_t file_offset,
       std::size_t bytes,
       std::atomic<std::uint64_t>* origin,
       io::Mapping mapping);

  [[nodiscard]] char* at(std::uint64_t position) const { return mapping_.data() + place(position); }
  // The ring is empty: what comes next lies at its beginning.
  void begin_at(std::uint64_t position);
  // Bytes were stored up to there.
  void note_used(std::uint64_t end);
  // unavailable: the system has no memory left; some of it may have been stored.
  Result<void> store(std::uint64_t position, std::string_view text);
  // Reads as zeros from then on.
  void clear(std::uint64_t from, std::uint64_t end) const;

  // How much may have been written, from the beginning on, since pages were last given back.
  [[nodiscard]] std::size_t used() const { return used_; }
  // Gives all pages back that have nothing of [from, end), and they read as zeros again. False:
  // perhaps not all; that only costs memory.
  bool give_back(std::uint64_t from, std::uint64_t end);
  // How many bytes before the position lie in the same page.
  [[nodiscard]] std::size_t into_page(std::uint64_t position) const;

 private:
  [[nodiscard]] std::size_t place(std::uint64_t position) const {
    return (position - *origin_) % bytes_;
  }

  const io::SharedMemory* memory_;
  std::size_t file_offset_;
  std::size_t bytes_;
  std::atomic<std::uint64_t>* origin_;
  io::Mapping mapping_;
  std::size_t used_ = 0;
};

}  // namespace pi_mcp::transport
