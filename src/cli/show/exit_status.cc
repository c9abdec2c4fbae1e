#include "cli/show/exit_status.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/show/style.h"

namespace pi_mcp::cli {
namespace {

struct ErrorRow {
  constexpr ErrorRow(ErrorCode error, ExitStatus end, std::string_view word)
      : code(error), status(end), name(word) {}

  ErrorCode code;
  ExitStatus status;
  std::string_view name;
};

// Every code has its row.
constexpr std::array errors = {
    ErrorRow(ErrorCode::invalid_argument, ExitStatus::usage, "invalid_usage"),
    ErrorRow(ErrorCode::not_found, ExitStatus::not_found, "not_found"),
    ErrorRow(ErrorCode::unavailable, ExitStatus::unavailable, "unavailable"),
    ErrorRow(ErrorCode::timed_out, ExitStatus::timed_out, "timed_out"),
    ErrorRow(ErrorCode::cancelled, ExitStatus::interrupted, "cancelled"),
    ErrorRow(ErrorCode::protocol, ExitStatus::unavailable, "protocol_error"),
    ErrorRow(ErrorCode::unauthorized, ExitStatus::unauthorized, "auth_required"),
    ErrorRow(ErrorCode::io, ExitStatus::tool_error, "io_error"),
};

const ErrorRow& row_of(ErrorCode code) {
  return *std::ranges::find(errors, code, &ErrorRow::code);
}

using Failure = tool::Failure;
constexpr std::array<std::pair<Failure, ExitStatus>, 8> failures = {{
    {Failure::none, ExitStatus::done},
    {Failure::tool_error, ExitStatus::tool_error},
    {Failure::usage, ExitStatus::usage},
    {Failure::not_found, ExitStatus::not_found},
    {Failure::unavailable, ExitStatus::unavailable},
    {Failure::unauthorized, ExitStatus::unauthorized},
    {Failure::timed_out, ExitStatus::timed_out},
    {Failure::cancelled, ExitStatus::interrupted},
}};

}  // namespace

ExitStatus exit_status(ErrorCode code) {
  return row_of(code).status;
}

ExitStatus exit_status(tool::Failure failure) {
  return std::ranges::find(failures, failure, &std::pair<Failure, ExitStatus>::first)->second;
}

std::string_view error_name(ErrorCode code) {
  return row_of(code).name;
}

std::string exit_status_help(std::string_view indent) {
  TextTable table;
  table.add({"0", "done"});
  table.add(
      {"1", "the tool reported an error, a file could not be written, or doctor found a fault"});
  table.add({"2", "the command line is wrong"});
  table.add({"3", "no such tool or server"});
  table.add({"4", "the server does not work"});
  table.add({"5", "the server wants credentials"});
  table.add({"6", "timed out"});
  table.add({"7", "a file of the configuration cannot be read"});
  table.add({"130", "interrupted (ctrl-C)"});
  table.add({"143", "terminated"});
  return table.text(indent);
}

}  // namespace pi_mcp::cli
