// How the connection of one server of the pool is lost, and how it is closed.
#include <utility>

#include "mcp/methods.h"
#include "servers/pool_server.h"

namespace pi_mcp::servers {

void PoolServer::begin_check() {
  shared_.tasks.spawn("check " + name_,
                      check(connection_),
                      [this, connection = connection_](const std::string& /*what*/) {
                        if (connection_ == connection) {
                          lose_connection("it could not be checked");
                        }
                      });
}

// Any answer will do, also a refusal: the server is there. One that takes too long may be busy, so
// it is asked twice.
io::Task<void> PoolServer::check(std::shared_ptr<LiveConnection> connection) {
  constexpr int tries = 2;
  const Milliseconds answer_max = shared_.options.check_max;
  const CallOptions limits{.quiet_max = answer_max, .total_max = answer_max, .on_progress = {}};
  const std::string method(connection->traits().has_handshake ? mcp::method::ping
                                                              : mcp::method::server_discover);
  std::string reason;
  for (int i = 0; i < tries; ++i) {
    const Result<rpc::Message> answer = co_await connection->call(method, {}, limits);
    const ErrorCode code = answer ? ErrorCode::cancelled : answer.error().code();
    if (code != ErrorCode::timed_out && code != ErrorCode::unavailable && code != ErrorCode::io) {
      co_return;
    }
    reason = answer.error().message();
    if (code != ErrorCode::timed_out) {
      break;
    }
  }
  if (connection_ == connection) {
    lose_connection("it does not answer any more: " + reason);
  }
}

void PoolServer::lose_connection(std::string reason) {
  reason_ = std::move(reason);
  remedy_.reset();
  code_ = ErrorCode::unavailable;
  reason_before_ = reason_;
  retire(std::exchange(connection_, nullptr), newest_run_);
  feed(LifecycleEvent::link_ended);
}

// Ending.

void PoolServer::shut() {
  cancel_start();
  if (connection_) {
    stderr_tail_ = connection_->end().stderr_tail;
    retire(std::exchange(connection_, nullptr), newest_run_);
  }
}

// Closes a connection that is no longer handed out, in a task that nobody cancels.
void PoolServer::retire(std::shared_ptr<LiveConnection> connection, std::uint64_t run) {
  connection->give_up();
  ending_.insert(run);
  auto closing = close_connection(connection, run);
  // What is half closed may not be destroyed: it is closed again.
  shared_.tasks.spawn(
      "close a server",
      std::move(closing),
      [this, run, connection = std::move(connection)](const std::string& /*what*/) mutable {
        ending_.extract(run);
        retire(std::move(connection), run);
      });
}

io::Task<void> PoolServer::close_connection(std::shared_ptr<LiveConnection> connection,
                                            std::uint64_t run) {
  co_await connection->close();
  late_answers_ += connection->late_answers();
  note_ended(run);
}

void PoolServer::note_ended(std::uint64_t run) {
  ending_.extract(run);
  shared_.close_ended.notify_all();
}

}  // namespace pi_mcp::servers
