#include "mcp/client/link_text.h"

#include <cstdint>

#include "mcp/methods.h"

namespace pi_mcp::mcp {

std::string duration_text(Duration duration) {
  const std::int64_t milliseconds = std::chrono::duration_cast<Milliseconds>(duration).count();
  if (milliseconds % 1000 != 0) {
    return milliseconds < 10'000 ? std::to_string(milliseconds) + " ms"
                                 : std::to_string((milliseconds + 500) / 1000) + " s";
  }
  const std::int64_t seconds = milliseconds / 1000;
  if (seconds >= 3600 && seconds % 3600 == 0) {
    return std::to_string(seconds / 3600) + " h";
  }
  if (seconds > 60 && seconds % 60 == 0) {
    return std::to_string(seconds / 60) + " min";
  }
  return std::to_string(seconds) + " s";
}

std::string ended_text(const LinkEnd& end, std::string_view when) {
  std::string text = end.reason.empty() ? "the link ended" : end.reason;
  text += " ";
  text += when;
  return end.last_words.empty() ? text : text + "; stderr: " + end.last_words;
}

OverdueText overdue_text(const Overdue& overdue) {
  const std::string limit = duration_text(overdue.limit);
  const std::string method(overdue.method);
  if (!overdue.preparation.empty()) {
    return overdue.total
               ? OverdueText{.reason = overdue.preparation + " took longer than " + limit,
                             .advice = "a larger installTimeoutMs gives it more time"}
               : OverdueText{.reason = overdue.preparation + ": nothing has happened for " + limit,
                             .advice =
                                 "check the network; a larger startupTimeoutMs gives it more "
                                 "time"};
  }
  const bool running =
      overdue.total && overdue.method != method::initialize && !overdue.method.ends_with("/list");
  OverdueText text;
  text.reason = running ? method + " was still running after " + limit
                        : "no answer to " + method + " within " + limit;
  const std::string_view setting = running                                ? "requestTotalTimeoutMs"
                                   : overdue.method == method::initialize ? "startupTimeoutMs"
                                                                          : "requestTimeoutMs";
  text.advice = "a larger " + std::string(setting) + " gives it more time";
  return text;
}

bool is_echo(std::string_view method) {
  return method == method::initialize || method == method::server_discover;
}

Error echo_error() {
  return {ErrorCode::protocol, "it is not an MCP server: it sends back what it gets"};
}

}  // namespace pi_mcp::mcp
