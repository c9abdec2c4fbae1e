#include "gateway/gateway.h"

#include <cstddef>
#include <utility>

namespace pi_mcp::gateway {

Gateway::Gateway(const io::Executor& executor)
    : connector_(executor), pool_(executor, {}, [this](servers::Launch launch) {
        return connector_.connect(std::move(launch));
      }) {}

Gateway::Gateway(const io::Executor& executor,
                 servers::Pool::Options options,
                 servers::Pool::Connector connector)
    : connector_(executor), pool_(executor, std::move(options), std::move(connector)) {}

Gateway::~Gateway() = default;

Session& Gateway::open(config::Settings settings,
                       config::Environment environment,
                       Session::Options options) {
  sessions_.push_back(std::make_unique<Session>(
      pool_, catalogs_, std::move(settings), std::move(environment), std::move(options)));
  return *sessions_.back();
}

io::Task<void> Gateway::close(Session* session) {
  co_await session->close();
  std::erase_if(sessions_,
                [session](const std::unique_ptr<Session>& each) { return each.get() == session; });
}

io::Task<void> Gateway::close() {
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    co_await sessions_[i]->close();
  }
  co_await connector_.close();
  co_await pool_.close();
}

}  // namespace pi_mcp::gateway
