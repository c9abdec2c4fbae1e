// Messages out of a stream of bytes, one JSON object a line (MCP basic/transports, "stdio").
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "io/loop/stream.h"
#include "io/loop/task.h"
#include "rpc/line_framer.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "transport/line_intake.h"

namespace pi_mcp::transport {

class LineReader {
 public:
  // `answer` sends what a broken request is answered with.
  LineReader(io::ReadStream* stream,
             Peer peer,
             std::string name,
             std::function<void(rpc::Outgoing)> answer,
             rpc::LineLimits limits);

  // Values that the log must not show.
  void hide(secrets::Secrets secrets) { intake_.hide(std::move(secrets)); }

  // The next message. unavailable: the stream ended (with an io error's text, if that was the end).
  // cancelled: stop() was called or the waiting task was cancelled.
  io::Task<Result<rpc::Message>> receive();

  // A message whose line is here already.
  std::optional<Result<rpc::Message>> receive_now();

  // The writer is gone: what it wrote is there already, so receive() takes that and then ends, even
  // if somebody else still holds the stream open.
  void expect_end();
  // receive() answers cancelled from now on.
  void stop();
  [[nodiscard]] bool ended() const { return ended_; }

  [[nodiscard]] LinkCounters counters() const { return intake_.counters(); }
  [[nodiscard]] const std::string& junk() const { return intake_.junk(); }

 private:
  std::optional<Result<rpc::Message>> take_line();
  std::optional<Result<rpc::Message>> take_known();
  std::optional<Result<rpc::Message>> take_read(Result<std::size_t> count);

  io::ReadStream* stream_;
  std::function<void(rpc::Outgoing)> answer_;
  rpc::LineLimits limits_;
  rpc::LineFramer framer_;
  std::string name_;
  LineIntake intake_;
  bool expects_end_ = false;
  bool stopped_ = false;
  bool ended_ = false;
};

}  // namespace pi_mcp::transport
