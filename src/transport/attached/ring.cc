#include "transport/attached/ring.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pi_mcp::transport {
namespace {

constexpr std::size_t page = 4096;
// From here on a system call is cheaper than faults.
constexpr std::size_t many_bytes = std::size_t{64} << 10U;

}  // namespace

Ring::Ring(const io::SharedMemory* memory,
           std::size_t file_offset,
           std::size_t bytes,
           std::atomic<std::uint64_t>* origin,
           io::Mapping mapping)
    : memory_(memory),
      file_offset_(file_offset),
      bytes_(bytes),
      origin_(origin),
      mapping_(std::move(mapping)) {}

void Ring::begin_at(std::uint64_t position) {
  origin_->store(position, std::memory_order_release);
}

void Ring::note_used(std::uint64_t end) {
  if (end != *origin_) {
    used_ = std::max(used_, place(end - 1) + 1);
  }
}

// Pages that nobody has written are written by the kernel: a store would fault on each, and each
// would be cleared first.
Result<void> Ring::store(std::uint64_t position, std::string_view text) {
  const std::size_t first = place(position);
  if (text.size() < many_bytes || first + text.size() <= used_) {
    std::memcpy(at(position), text.data(), text.size());
    return {};
  }
  const std::string_view before_end = text.substr(0, bytes_ - first);
  Result<void> written = memory_->write(file_offset_ + first, before_end);
  if (written && before_end.size() < text.size()) {
    written = memory_->write(file_offset_, text.substr(before_end.size()));
  }
  return written;
}

void Ring::clear(std::uint64_t from, std::uint64_t end) const {
  std::memset(at(from), 0, end - from);
}

bool Ring::give_back(std::uint64_t from, std::uint64_t end) {
  const std::size_t first = place(from) / page * page;
  const std::size_t last = (place(from) + (end - from) + page - 1) / page * page;
  if (last > bytes_) {
    return false;  // it wraps, which is over soon
  }
  used_ = last - first;
  return (first == 0 || memory_->forget(file_offset_, first)) &&
         (last == bytes_ || memory_->forget(file_offset_ + last, bytes_ - last));
}

std::size_t Ring::into_page(std::uint64_t position) const {
  return place(position) % page;
}

}  // namespace pi_mcp::transport
