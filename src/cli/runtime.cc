#include "cli/runtime.h"

#include <utility>

#include "servers/stdio_connector.h"

namespace pi_mcp::cli {
Runtime::Runtime(const io::Executor& executor,
                 config::Settings settings,
                 config::Environment environment,
                 gateway::HostKind host)
    : pool_(executor, {}, servers::connect_stdio),
      session_(pool_, std::move(settings), std::move(environment), {.host = host, .temp_dir = ""}) {
}

io::Task<void> Runtime::close() {
  co_await session_.close();
  co_await pool_.close();
}

}  // namespace pi_mcp::cli
