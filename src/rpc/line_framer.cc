#include "rpc/line_framer.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace pi_mcp::rpc {
namespace {

// Adds `text`, then keeps only the last `bytes` of everything.
void append_tail(std::string& tail, std::string_view text, std::size_t bytes) {
  text.remove_prefix(text.size() - std::min(text.size(), bytes));
  tail += text;
  tail.erase(0, tail.size() - std::min(tail.size(), bytes));
}

std::string_view without_carriage_return(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

}  // namespace

// malloc and realloc instead of a vector: large blocks grow by remapping pages, and bytes that a
// read is about to fill are not cleared first. Both are most of the cost of a line of many
// megabytes.
void LineFramer::grow(std::size_t capacity) {
  // NOLINTNEXTLINE(*-no-malloc): see above.
  auto* bytes = static_cast<char*>(std::realloc(buffer_.get(), capacity));
  if (bytes == nullptr) {
    throw std::bad_alloc();  // as operator new would; nobody catches it
  }
  // NOLINTNEXTLINE(bugprone-unused-return-value): realloc has freed or moved it.
  (void)buffer_.release();
  buffer_.reset(bytes);
  capacity_ = capacity;
}

std::span<char> LineFramer::prepare() {
  if (start_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + start_, used_ - start_);
    used_ -= start_;
    scanned_ -= start_;
    start_ = 0;
  }
  const bool is_small = was_filled_ && capacity_ < buffer_bytes;
  if (capacity_ - used_ < read_bytes_min || is_small) {
    // Never more than the longest line and one read: next() drops what is longer. A long line is
    // often followed by one as long, and realloc copies where it cannot grow a block in its place.
    const std::size_t enough = std::max(limits_.line_bytes_max, used_) + buffer_bytes;
    const std::size_t as_before = capacity_ == 0 ? 0 : last_large_ + read_bytes_min;
    grow(std::max(first_bytes, std::min(std::max(capacity_ * 2, as_before), enough)));
  }
  return {buffer_.get() + used_, capacity_ - used_};
}

void LineFramer::commit(std::size_t count) {
  was_filled_ = count >= capacity_ - used_;
  used_ += std::min(count, capacity_ - used_);
}

std::optional<LineFramer::Line> LineFramer::next() {
  while (scanned_ < used_) {
    const void* found = std::memchr(buffer_.get() + scanned_, '\n', used_ - scanned_);
    if (found == nullptr) {
      scanned_ = used_;
      break;
    }
    Line line = take(static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.get()));
    if (!line.text.empty()) {
      return line;
    }
  }
  if (dropped_ > 0 || used_ - start_ > limits_.line_bytes_max) {
    drop(used_);
    buffer_.reset();
    capacity_ = used_ = start_ = scanned_ = 0;
  }
  return std::nullopt;
}

std::optional<LineFramer::Line> LineFramer::finish() {
  if (std::optional<Line> line = next()) {
    return line;
  }
  if (start_ == used_ && dropped_ == 0) {
    return std::nullopt;
  }
  Line line = take(used_);
  start_ = scanned_ = used_;
  return line.text.empty() ? std::nullopt : std::optional(std::move(line));
}

// The line that ends before position `end`, where its line feed is; moves behind it.
LineFramer::Line LineFramer::take(std::size_t end) {
  const std::size_t bytes = end - start_;
  if (dropped_ > 0 || bytes > limits_.line_bytes_max) {
    return take_oversized(end);
  }
  const std::string_view text = without_carriage_return({buffer_.get() + start_, bytes});
  start_ = scanned_ = std::min(end + 1, used_);
  // Moving what follows into a new buffer must not cost more than copying the line would.
  const bool whole_buffer = text.size() >= large_bytes && used_ - start_ <= text.size();
  last_large_ = whole_buffer ? text.size() : last_large_;
  return {.text = whole_buffer ? give_away(text, start_) : SharedText::copy(text),
          .oversized = false,
          .tail = {},
          .bytes = bytes};
}

SharedText LineFramer::give_away(std::string_view text, std::size_t rest_start) {
  const std::shared_ptr<char> owner(buffer_.release(), Free());
  const std::size_t rest = used_ - rest_start;
  grow(std::max(first_bytes, rest + read_bytes_min));
  std::memcpy(buffer_.get(), owner.get() + rest_start, rest);
  used_ = rest;
  start_ = scanned_ = 0;
  return {owner, text};
}

// Counts the unread bytes up to `end` as part of an oversized line and keeps only its two ends.
void LineFramer::drop(std::size_t end) {
  const std::string_view text(buffer_.get() + start_, end - start_);
  dropped_ += text.size();
  dropped_head_ += text.substr(0, kept_bytes - dropped_head_.size());
  append_tail(dropped_tail_, text, kept_bytes);
  start_ = scanned_ = end;
}

LineFramer::Line LineFramer::take_oversized(std::size_t end) {
  drop(end);
  start_ = scanned_ = std::min(end + 1, used_);
  return {.text = SharedText(std::exchange(dropped_head_, {})),
          .oversized = true,
          .tail = std::string(without_carriage_return(std::exchange(dropped_tail_, {}))),
          .bytes = std::exchange(dropped_, 0)};
}

}  // namespace pi_mcp::rpc
