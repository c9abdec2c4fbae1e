#include "transport/stdio_host.h"

#include <utility>

#include "io/loop/task_group.h"
#include "io/process/standard_streams.h"
#include "transport/line_reader.h"
#include "transport/line_writer.h"

namespace pi_mcp::transport {
namespace {

class StdioHost : public Transport {
 public:
  StdioHost(const io::Executor& executor, StdioHostOptions options);

  io::Task<Result<rpc::Message>> receive() override { return reader_.receive(); }
  std::optional<Result<rpc::Message>> receive_now() override { return reader_.receive_now(); }
  Result<void> send(rpc::Outgoing message) override { return writer_.send(std::move(message)); }
  io::Task<Result<void>> drain(std::size_t bytes) override { return writer_.drain(bytes); }
  io::Task<void> close() override;
  [[nodiscard]] LinkEnd end() const override;
  [[nodiscard]] LinkCounters counters() const override { return reader_.counters(); }

 private:
  StdioHostOptions options_;
  io::StandardStreams streams_;
  io::TaskGroup tasks_;
  LineReader reader_;
  LineWriter writer_;
};

StdioHost::StdioHost(const io::Executor& executor, StdioHostOptions options)
    : options_(options),
      streams_(executor),
      tasks_(executor),
      reader_(
          &streams_.input(),
          Peer::host,
          "the host",
          // A host that cannot be answered does not read any more, and there is nobody else to
          // tell.
          [this](rpc::Outgoing answer) { (void)writer_.send(std::move(answer)); },
          options.line_limits),
      // A host that cannot be written to is gone, even if somebody still holds our stdin open.
      writer_(executor, &streams_.output(), &tasks_, [this] { reader_.expect_end(); }) {}

io::Task<void> StdioHost::close() {
  reader_.stop();
  co_await writer_.flush(options_.flush_max);  // a host that does not read in time loses the rest
  writer_.close();
  tasks_.cancel();
  co_await tasks_.join();
  streams_.input().close();
  streams_.output().close();
}

LinkEnd StdioHost::end() const {
  return {.reason = reader_.ended() ? "closed its output" : "", .stderr_tail = ""};
}

}  // namespace

std::unique_ptr<Transport> open_stdio_host(const io::Executor& executor, StdioHostOptions options) {
  return std::make_unique<StdioHost>(executor, options);
}

}  // namespace pi_mcp::transport
