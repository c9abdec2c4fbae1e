#include "cli/runtime.h"

#include <utility>

namespace pi_mcp::cli {
Runtime::Runtime(const io::Executor& executor,
                 config::Settings settings,
                 config::Environment environment,
                 gateway::HostKind host,
                 gateway::ConfigAccess access)
    : connector_(executor),
      pool_(executor,
            {},
            [this](servers::Launch launch) { return connector_.connect(std::move(launch)); }),
      session_(pool_,
               std::move(settings),
               std::move(environment),
               {.host = host, .temp_dir = "", .config = std::move(access)}) {}

io::Task<void> Runtime::close() {
  co_await session_.close();
  co_await connector_.close();
  co_await pool_.close();
}

}  // namespace pi_mcp::cli
