// Cuts a byte stream into lines (MCP stdio: one JSON-RPC message a line, no line feed inside).
// Pure: no I/O, no clock.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/shared_text.h"

namespace pi_mcp::rpc {

struct LineLimits {
  // A longer line is dropped; its beginning and end are kept for the error report.
  std::size_t line_bytes_max = std::size_t{256} << 20U;
};

// The reader asks for space, fills it, commits what it read, and takes lines until there is none.
// A large line leaves the framer as the buffer it was read into: no copy. Small ones are copied, so
// that they do not keep a whole buffer alive.
class LineFramer {
 public:
  // An oversized line keeps this much of its beginning and of its end; enough for either to show
  // the id of the message (Python and Rust servers write it first, Node servers last).
  static constexpr std::size_t kept_bytes = 4096;
  // prepare() offers at least this much.
  static constexpr std::size_t read_bytes_min = std::size_t{4} << 10U;
  // The buffer of a stream with one short message at a time, which most are.
  static constexpr std::size_t first_bytes = std::size_t{8} << 10U;
  // What it grows to between lines where reads fill it: what a pipe holds by default on Linux.
  static constexpr std::size_t buffer_bytes = std::size_t{64} << 10U;
  // From this length on a line takes the buffer along.
  static constexpr std::size_t large_bytes = std::size_t{32} << 10U;

  explicit LineFramer(LineLimits limits = {}) : limits_(limits) {}

  struct Line {
    SharedText text;         // without line feed and without a carriage return before it
    bool oversized = false;  // then `text` is only the first kept_bytes
    std::string tail;        // of an oversized line: its last bytes, at most kept_bytes
    std::size_t bytes = 0;   // how long the line really was, a carriage return included
  };

  // Space to read into; at least read_bytes_min, more when a long line is being collected. Valid
  // until the next call of any other member.
  std::span<char> prepare();
  // `count` bytes of the prepared space were filled.
  void commit(std::size_t count);
  // The next complete line, in order. Empty lines are skipped. Call it until it has none before the
  // next prepare(): only then is memory bounded by the limit.
  std::optional<Line> next();
  // Bytes of a last line that had no line feed; call at the end of the stream.
  std::optional<Line> finish();

  // What the framer holds at the moment, for tests of its limits.
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }  // NOLINT(*-no-malloc): see grow()
  };

  void grow(std::size_t capacity);
  Line take(std::size_t end);
  Line take_oversized(std::size_t end);
  SharedText give_away(std::string_view text, std::size_t rest_start);
  void drop(std::size_t end);

  LineLimits limits_;
  std::unique_ptr<char, Free> buffer_;
  std::size_t capacity_ = 0;
  bool was_filled_ = false;     // by the last read, so more may be waiting
  std::size_t used_ = 0;        // bytes of the buffer that were filled
  std::size_t start_ = 0;       // where the unread part begins
  std::size_t scanned_ = 0;     // no line feed between start_ and this position
  std::size_t last_large_ = 0;  // bytes of the last line that took its buffer along
  // What is known of an oversized line whose end has not come yet; empty otherwise.
  std::size_t dropped_ = 0;
  std::string dropped_head_;
  std::string dropped_tail_;
};

}  // namespace pi_mcp::rpc
