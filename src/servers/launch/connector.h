// The connector of the pool: a launch becomes a link of the kind it asks for.
#pragma once

#include <memory>

#include "base/result.h"
#include "io/loop/task.h"
#include "io/net/http_client.h"
#include "servers/launch/launch.h"
#include "servers/launch/stdio_connector.h"
#include "servers/launch/trace.h"
#include "transport/transport.h"

namespace pi_mcp::servers {

// How the url is reached: its roots and proxies.
io::HttpClientOptions client_options(const RemoteLaunch& remote);

// close() must have returned before destruction.
class Connector {
 public:
  explicit Connector(const io::Executor& executor) : stdio_(executor) {}

  // A Pool::Connector. Errors name the command, url or socket and what is wrong with it. A url is
  // not asked before the first message.
  io::Task<Result<std::unique_ptr<transport::Transport>>> connect(Launch launch);
  // Ends what runs in the background, for good. The links that were made live on.
  io::Task<void> close() { return stdio_.close(); }

 private:
  io::Task<Result<std::unique_ptr<transport::Transport>>> open(Launch launch);

  StdioConnector stdio_;
  Traces traces_;
};

}  // namespace pi_mcp::servers
