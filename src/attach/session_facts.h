// What a session takes along when it is handed to the shared process.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/process/process_limits.h"

namespace pi_mcp::attach {

struct SessionFacts {
  std::vector<std::string> arguments;  // argv of the front
  std::string folder;                  // its working directory
  std::map<std::string, std::string> environment;
  io::ProcessTraits traits;  // umask, limits, niceness
  // Said by the kernel, so not in the text.
  int process_id = 0;
  unsigned user_id = 0;
};

// Over it the session runs alone. The kernel gives a program 6 MiB of arguments and environment.
inline constexpr std::size_t session_bytes_max = std::size_t{8} << 20U;

// As numbers and strings, each string behind its length. Both sides are the same build.
std::string session_text(const SessionFacts& facts);
// protocol: not a whole text of ours.
Result<SessionFacts> parse_session_text(std::string_view text);

}  // namespace pi_mcp::attach
