// The head of an answer as bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace pi_mcp::http {

struct ReplyFraming {
  std::optional<std::uint64_t> length;  // of the body; absent: chunks, or until the end
  bool chunked = false;
  bool keeps_alive = true;
};

// Headers that are not valid (is_valid()) are left out: they would end the head early.
[[nodiscard]] std::string reply_head(int status,
                                     const Headers& headers,
                                     const ReplyFraming& framing);

// "Not Found"; "" of a status that nobody here sends.
[[nodiscard]] std::string_view reason_of(int status);

// The line before so much data of a body in chunks.
[[nodiscard]] std::string chunk_line(std::size_t bytes);

}  // namespace pi_mcp::http
