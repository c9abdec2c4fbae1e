#include "cli/show/exit_status.h"

#include "cli/show/style.h"

namespace pi_mcp::cli {

ExitStatus exit_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return ExitStatus::usage;
    case ErrorCode::not_found:
      return ExitStatus::not_found;
    case ErrorCode::unavailable:
    case ErrorCode::protocol:
      return ExitStatus::unavailable;
    case ErrorCode::timed_out:
      return ExitStatus::timed_out;
    case ErrorCode::cancelled:
      return ExitStatus::interrupted;
    case ErrorCode::unauthorized:
      return ExitStatus::unauthorized;
    case ErrorCode::io:
      return ExitStatus::tool_error;
  }
  return ExitStatus::tool_error;
}

ExitStatus exit_status(tool::Failure failure) {
  using Failure = tool::Failure;
  switch (failure) {
    case Failure::none:
      return ExitStatus::done;
    case Failure::tool_error:
      return ExitStatus::tool_error;
    case Failure::usage:
      return ExitStatus::usage;
    case Failure::not_found:
      return ExitStatus::not_found;
    case Failure::unavailable:
      return ExitStatus::unavailable;
    case Failure::unauthorized:
      return ExitStatus::unauthorized;
    case Failure::timed_out:
      return ExitStatus::timed_out;
    case Failure::cancelled:
      return ExitStatus::interrupted;
  }
  return ExitStatus::tool_error;
}

std::string_view error_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_usage";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::unavailable:
      return "unavailable";
    case ErrorCode::timed_out:
      return "timed_out";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::protocol:
      return "protocol_error";
    case ErrorCode::unauthorized:
      return "auth_required";
    case ErrorCode::io:
      return "io_error";
  }
  return "io_error";
}

std::string exit_status_help(std::string_view indent) {
  TextTable table;
  table.add({"0", "done"});
  table.add({"1", "the tool reported an error, or a file could not be written"});
  table.add({"2", "the command line is wrong"});
  table.add({"3", "no such tool or server"});
  table.add({"4", "the server does not work"});
  table.add({"5", "the server wants credentials"});
  table.add({"6", "timed out"});
  table.add({"130", "interrupted (ctrl-C)"});
  table.add({"143", "terminated"});
  return table.text(indent);
}

}  // namespace pi_mcp::cli
