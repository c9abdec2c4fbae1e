// `requestHeadersCommand`: a program of the user that is shown each request to a server and prints
// headers for it (signatures, tokens that live for seconds).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "servers/launch/credential_command.h"
#include "transport/http/http_transport.h"

namespace pi_mcp::servers {

// What the program may print.
constexpr std::size_t request_headers_bytes_max = std::size_t{64} << 10U;
// Programs at once for one server; more requests wait their turn.
constexpr std::size_t request_header_programs_max = 8;

// What the program reads: {"version":1,"method":...,"url":...,"bodyBase64":...}.
std::string request_to_sign(const transport::UnsignedRequest& request);

// What it printed: a JSON object of strings. Headers that belong to the connection or to MCP itself
// (Host, Content-Type, Mcp-*) are left out. invalid_argument: what is wrong with it, without any
// value in it.
Result<http::Headers> parse_request_headers(std::string_view printed);

class RequestHeaders {
 public:
  // `server` is its configured name, for messages.
  RequestHeaders(const io::Executor& executor, std::string server, CredentialCommand command);

  // Runs the program. unavailable: it failed, took too long or printed something else; cancelled.
  io::Task<Result<http::Headers>> headers_of(transport::UnsignedRequest request);

 private:
  std::string what_;
  CredentialCommand command_;
  std::size_t running_ = 0;
  io::Condition ended_;  // running_ went down
};

}  // namespace pi_mcp::servers
