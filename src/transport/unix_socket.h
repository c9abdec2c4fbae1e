// A server that listens at a Unix socket and speaks as on stdio: one message a line.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "io/files/fd.h"
#include "io/loop/task.h"
#include "rpc/line_framer.h"
#include "transport/transport.h"

namespace pi_mcp::transport {

struct UnixSocketOptions {
  std::string name;  // of the server, for messages
  std::string path;  // absolute
  rpc::LineLimits line_limits = {};
};

// Connects; the errors are those of io::connect_unix(). The link ends when the server hangs up.
// Closing it hangs up; what runs behind the socket is not ours to stop.
io::Task<Result<std::unique_ptr<Transport>>> open_unix_socket(UnixSocketOptions options);

// The same over a socket that is connected; io: the system's reason.
Result<std::unique_ptr<Transport>> open_connected_socket(const io::Executor& executor,
                                                         io::Fd socket,
                                                         const UnixSocketOptions& options);

}  // namespace pi_mcp::transport
