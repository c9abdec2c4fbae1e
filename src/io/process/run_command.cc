#include "io/process/run_command.h"

#include <array>
#include <memory>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/text.h"
#include "io/loop/task_group.h"
#include "io/loop/with_deadline.h"

namespace pi_mcp::io {
namespace {

constexpr std::size_t read_bytes = 4096;

Task<Result<std::string>> read_to_end(ReadStream* stream, std::size_t bytes_max) {
  std::string text;
  std::array<char, read_bytes> space{};
  for (;;) {
    const Result<std::size_t> count = co_await stream->read_some(space);
    if (!count) {
      co_return fail(count.error());
    }
    if (*count == 0) {
      co_return text;
    }
    text.append(space.data(), *count);
    if (text.size() > bytes_max) {
      co_return fail(ErrorCode::invalid_argument,
                     "the command printed more than " + text::size_text(bytes_max));
    }
  }
}

// A command that fills its stderr must not wait for a reader.
Task<void> discard(ReadStream* stream) {
  std::array<char, read_bytes> space{};
  Result<std::size_t> count = co_await stream->read_some(space);
  while (count && *count > 0) {
    count = co_await stream->read_some(space);
  }
}

// A command that ends without reading all of it does so for its own reasons.
Task<void> give(WriteStream* stream, std::string text) {
  std::string_view left = text;
  while (!left.empty()) {
    const Result<std::size_t> count = stream->write_now(std::array{left});
    if (!count) {
      break;
    }
    left.remove_prefix(*count);
    if (!left.empty() && !co_await stream->wait_for_room()) {
      break;
    }
  }
  stream->close();
}

Task<Result<CommandOutput>> collect(Process* process, std::size_t bytes_max) {
  Result<std::string> text = co_await read_to_end(&process->output(), bytes_max);
  if (!text) {
    co_return fail(text.error());
  }
  const Result<ExitStatus> status = co_await process->wait_exit();
  if (!status) {
    co_return fail(status.error());
  }
  co_return CommandOutput{.text = *std::move(text), .status = *status};
}

}  // namespace

Task<Result<CommandOutput>> run_command(Command command, CommandLimits limits, std::string input) {
  Result<std::unique_ptr<Process>> started = co_await Process::start(std::move(command));
  if (!started) {
    co_return fail(started.error());
  }
  Process& process = **started;
  TaskGroup tasks(co_await boost::asio::this_coro::executor);
  tasks.spawn("stdin of a command", give(&process.input(), std::move(input)), log_only);
  tasks.spawn("stderr of a command", discard(&process.errors()), log_only);
  Result<CommandOutput> output = co_await with_deadline(
      limits.time_max, "the command", collect(&process, limits.output_bytes_max));
  co_await process.close(
      {.after_input_end = Milliseconds(0), .after_terminate = Milliseconds(200)});
  tasks.cancel();
  co_await tasks.join();
  co_return output;
}

}  // namespace pi_mcp::io
