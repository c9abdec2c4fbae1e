#include "transport/unix_socket.h"

#include <cerrno>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "io/loop/stream.h"
#include "io/loop/task_group.h"
#include "io/net/connect.h"
#include "transport/line_reader.h"
#include "transport/line_writer.h"

namespace pi_mcp::transport {
namespace {

class UnixSocket final : public Transport {
 public:
  UnixSocket(const io::Executor& executor, io::Fd in, io::Fd out, const UnixSocketOptions& options)
      : input_(executor, std::move(in)),
        output_(executor, std::move(out)),
        tasks_(executor),
        reader_(
            &input_,
            Peer::server,
            options.name,
            // A server that cannot take the answer has hung up.
            [this](rpc::Outgoing answer) { (void)writer_.send(std::move(answer)); },
            options.line_limits),
        writer_(executor, &output_, &tasks_) {}

  io::Task<Result<rpc::Message>> receive() override { return reader_.receive(); }
  std::optional<Result<rpc::Message>> receive_now() override { return reader_.receive_now(); }
  Result<void> send(rpc::Outgoing message) override { return writer_.send(std::move(message)); }
  io::Task<Result<void>> drain(std::size_t bytes) override { return writer_.drain(bytes); }
  io::Task<void> close() override {
    writer_.close();
    reader_.stop();
    tasks_.cancel();
    co_await tasks_.join();
    input_.close();
    output_.close();
  }
  [[nodiscard]] LinkEnd end() const override {
    return {.reason = reader_.ended() ? "hung up" : "", .stderr_tail = "", .is_remote = true};
  }
  [[nodiscard]] LinkCounters counters() const override { return reader_.counters(); }

 private:
  io::ReadStream input_;
  io::WriteStream output_;
  io::TaskGroup tasks_;
  LineReader reader_;
  LineWriter writer_;
};

}  // namespace

io::Task<Result<std::unique_ptr<Transport>>> open_unix_socket(UnixSocketOptions options) {
  Result<io::Fd> socket = co_await io::connect_unix(options.path);
  if (!socket) {
    co_return fail(std::move(socket).error());
  }
  const io::Executor executor = co_await boost::asio::this_coro::executor;
  co_return open_connected_socket(executor, *std::move(socket), options);
}

Result<std::unique_ptr<Transport>> open_connected_socket(const io::Executor& executor,
                                                         io::Fd socket,
                                                         const UnixSocketOptions& options) {
  io::Fd out = io::duplicate(socket);
  if (!out.is_open()) {
    return fail(ErrorCode::io, "the socket " + options.path + ": " + io::reason(errno));
  }
  return std::make_unique<UnixSocket>(executor, std::move(socket), std::move(out), options);
}

}  // namespace pi_mcp::transport
