// The one mapping from failures to exit statuses (docs/cli.md). Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tool/answer.h"

namespace pi_mcp::cli {

enum class ExitStatus : int {
  done = 0,
  tool_error = 1,  // the tool reported an error, or a failure that has no status of its own
  usage = 2,
  not_found = 3,
  unavailable = 4,
  unauthorized = 5,
  timed_out = 6,
  configuration = 7,  // a file of it cannot be read
  interrupted = 130,  // SIGINT, as shells report it
  reader_gone = 141,  // SIGPIPE, as shells report it
  terminated = 143,   // SIGTERM, as shells report it
};

ExitStatus exit_status(ErrorCode code);
ExitStatus exit_status(tool::Failure failure);

// `error` of the JSON that reports a failure: "invalid_usage", "not_found", ...
std::string_view error_name(ErrorCode code);

// The statuses and what they mean, one a line.
std::string exit_status_help(std::string_view indent);

}  // namespace pi_mcp::cli
