#include "servers/stdio_connector.h"

#include <utility>

#include "io/clock.h"
#include "servers/npx_start.h"
#include "transport/stdio_child.h"

namespace pi_mcp::servers {

io::Task<Result<std::unique_ptr<transport::Transport>>> connect_stdio(Launch launch) {
  launch = without_npm(std::move(launch), io::epoch_now());
  transport::StdioChildOptions options;
  options.name = std::move(launch.server);
  options.command = {.program = std::move(launch.command),
                     .arguments = std::move(launch.args),
                     .environment = std::move(launch.env),
                     .folder = std::move(launch.cwd)};
  options.debug = launch.debug;
  co_return co_await transport::open_stdio_child(std::move(options));
}

}  // namespace pi_mcp::servers
