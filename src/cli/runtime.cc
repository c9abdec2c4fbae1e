#include "cli/runtime.h"

#include <utility>

namespace pi_mcp::cli {
Runtime::Runtime(const io::Executor& executor,
                 config::Settings settings,
                 config::Environment environment,
                 gateway::HostKind host,
                 gateway::ConfigEdit edit_config)
    : connector_(executor),
      pool_(executor,
            {},
            [this](servers::Launch launch) { return connector_.connect(std::move(launch)); }),
      session_(pool_,
               std::move(settings),
               std::move(environment),
               {.host = host, .temp_dir = "", .edit_config = std::move(edit_config)}) {}

io::Task<void> Runtime::close() {
  co_await session_.close();
  co_await connector_.close();
  co_await pool_.close();
}

}  // namespace pi_mcp::cli
