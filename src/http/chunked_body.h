// A body in chunks (RFC 9112, 7.1), out of bytes as they arrive. Read by hand: Boost.Beast reads an
// extension with a quoted line end in one way when it comes whole and in another in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <tl/expected.hpp>

namespace pi_mcp::http {

// Extensions and the trailer are passed over.
class ChunkedBody {
 public:
  struct Limits {
    std::size_t body_bytes_max = 0;
    std::size_t trailer_bytes_max = 0;
  };
  static constexpr std::size_t size_line_bytes_max = 1024;  // with its extensions

  enum class Broken : std::uint8_t { size_line, data_end, line_end, body_too_large, line_too_long };

  explicit ChunkedBody(Limits limits) : limits_(limits) {}

  // Takes what can be used from the front of `unread`, and appends data to `body`. True: the body
  // is complete, and what is left of `unread` follows it.
  tl::expected<bool, Broken> take(std::string& unread, std::string& body);

 private:
  enum class At : std::uint8_t { size, data, data_end, trailer, end };
  struct Cut;
  tl::expected<bool, Broken> step(Cut& cut, std::string& body);
  tl::expected<bool, Broken> take_size(Cut& cut, const std::string& body);
  tl::expected<bool, Broken> take_trailer(Cut& cut);

  Limits limits_;
  At at_ = At::size;
  std::size_t left_ = 0;           // of the chunk's data
  std::size_t trailer_bytes_ = 0;  // seen
};

}  // namespace pi_mcp::http
