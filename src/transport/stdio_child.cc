#include "transport/stdio_child.h"

#include <array>
#include <optional>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/text.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/stream.h"
#include "io/loop/task_group.h"
#include "io/process/process_tree.h"
#include "secrets/message.h"
#include "transport/line_reader.h"
#include "transport/line_writer.h"
#include "transport/stderr_tail.h"

namespace pi_mcp::transport {
namespace {

// A server that ends closes its stdout a moment before its exit status is known; this long the
// status is waited for, so that the reason of the end can name it.
constexpr Milliseconds status_wait_max{250};
// What may still be in the stderr pipe of a server that has ended: the kernel allows 1 MiB.
constexpr std::size_t stderr_rest_max = std::size_t{1} << 20U;
// Of a server that does not stop writing, before others have their turn.
constexpr std::size_t stderr_turn_max = std::size_t{64} << 10U;

class StdioChild : public Transport {
 public:
  StdioChild(const io::Executor& executor,
             std::unique_ptr<io::Process> process,
             StdioChildOptions options);

  io::Task<Result<rpc::Message>> receive() override;
  std::optional<Result<rpc::Message>> receive_now() override;
  Result<void> send(rpc::Outgoing message) override { return writer_.send(std::move(message)); }
  io::Task<Result<void>> drain(std::size_t bytes) override { return writer_.drain(bytes); }
  io::Task<void> close() override;
  [[nodiscard]] LinkEnd end() const override;
  [[nodiscard]] LinkCounters counters() const override { return reader_.counters(); }
  void on_stderr(std::function<void()> wrote) override { wrote_stderr_ = std::move(wrote); }
  [[nodiscard]] int process_id() const override { return process_->id(); }
  [[nodiscard]] std::string preparation() override;
  [[nodiscard]] std::uint64_t work() const override;
  [[nodiscard]] StartAdvice start_advice() const override;

 private:
  [[nodiscard]] std::string shown(std::string words) const;
  enum class State : std::uint8_t { open, closing, closed };

  void hide_secrets(Result<rpc::Message>& message) const;

  io::Task<void> watch_exit();
  io::OnEscape end_link();
  io::Task<void> read_stderr();
  io::Task<void> discard_output();
  bool take_stderr(std::size_t bytes_max);
  void keep_stderr(std::string_view bytes);

  StdioChildOptions options_;
  std::unique_ptr<io::Process> process_;
  io::TaskGroup tasks_;
  LineReader reader_;
  LineWriter writer_;
  StderrTail stderr_tail_;
  std::uint64_t stderr_bytes_ = 0;
  std::string fault_;  // of ours, that has ended the link
  std::function<void()> wrote_stderr_;
  State state_ = State::open;
  io::Condition changed_;  // the process has ended, or state_ changed
};

StdioChild::StdioChild(const io::Executor& executor,
                       std::unique_ptr<io::Process> process,
                       StdioChildOptions options)
    : options_(std::move(options)),
      process_(std::move(process)),
      tasks_(executor),
      reader_(
          &process_->output(),
          Peer::server,
          options_.name,
          // A server that cannot take the answer has ended or will be told so by the next call.
          [this](rpc::Outgoing answer) { (void)writer_.send(std::move(answer)); },
          options_.line_limits),
      writer_(executor, &process_->input(), &tasks_),
      changed_(executor) {
  reader_.hide(options_.secrets);
  tasks_.spawn("watching " + options_.name, watch_exit(), end_link());
  tasks_.spawn("stderr of " + options_.name, read_stderr(), end_link());
}

io::Task<Result<rpc::Message>> StdioChild::receive() {
  auto message = co_await reader_.receive();
  if (!message && message.error().code() == ErrorCode::unavailable) {
    const TimePoint deadline = io::now() + status_wait_max;
    io::Wake wake = io::Wake::notified;
    while (wake == io::Wake::notified && state_ == State::open && !process_->exit_status()) {
      wake = co_await changed_.wait_until(deadline);
    }
    (void)take_stderr(stderr_rest_max);
    co_return fail(ErrorCode::unavailable, end().reason);
  }
  hide_secrets(message);
  co_return message;
}

std::optional<Result<rpc::Message>> StdioChild::receive_now() {
  std::optional<Result<rpc::Message>> message = reader_.receive_now();
  if (message) {
    hide_secrets(*message);
  }
  return message;
}

// Errors are shown and logged, and some servers repeat in them what they were given.
void StdioChild::hide_secrets(Result<rpc::Message>& message) const {
  if (!message || message->kind() != rpc::Message::Kind::failure) {
    return;
  }
  const std::string line(message->root().raw());
  std::string shown = options_.secrets.hidden_in(line);
  if (shown != line) {
    message = rpc::Message::parse(std::move(shown));
  }
}

io::Task<void> StdioChild::watch_exit() {
  const auto status = co_await process_->wait_exit();
  if (status || status.error().code() != ErrorCode::cancelled) {
    reader_.expect_end();
    changed_.notify_all();
  }
}

// For tasks without which the link is none: nobody would see its end, or the child would stop at a
// full stderr.
io::OnEscape StdioChild::end_link() {
  return [this](const std::string& what) {
    fault_ = io::escaped_text(what);
    reader_.stop();
    changed_.notify_all();
  };
}

void StdioChild::keep_stderr(std::string_view bytes) {
  stderr_tail_.add(bytes);
  stderr_bytes_ += bytes.size();
  if (wrote_stderr_) {
    wrote_stderr_();
  }
  if (options_.debug) {
    io::write_stderr(bytes);
  }
}

io::Task<void> StdioChild::read_stderr() {
  while (co_await process_->errors().wait_for_bytes()) {
    if (!take_stderr(stderr_turn_max)) {
      co_return;
    }
  }
}

// Takes what is there, about so much of it; false at the end. It reads and keeps in one go, since
// whoever wants the rest of a server that has ended must not find it before what came earlier.
bool StdioChild::take_stderr(std::size_t bytes_max) {
  constexpr std::size_t chunk_bytes = 4096;
  std::array<char, chunk_bytes> chunk{};
  for (std::size_t taken = 0; taken < bytes_max;) {
    const std::optional<std::size_t> count = process_->errors().read_now(chunk);
    if (!count || *count == 0) {
      return !count;
    }
    keep_stderr({chunk.data(), *count});
    taken += *count;
  }
  return true;
}

// A server that wants to write before it heeds the end of its input must not wait for us.
io::Task<void> StdioChild::discard_output() {
  constexpr std::size_t chunk_bytes = 1024;  // in the frame of a task that waits
  std::array<char, chunk_bytes> chunk{};
  for (;;) {
    const auto count = co_await process_->output().read_some(chunk);
    if (!count || *count == 0) {
      co_return;
    }
  }
}

io::Task<void> StdioChild::close() {
  if (state_ != State::open) {
    while (state_ != State::closed) {
      (void)co_await changed_.wait_shielded(TimePoint::max());  // bounded by the close that runs
    }
    co_return;
  }
  state_ = State::closing;
  changed_.notify_all();
  writer_.close();
  reader_.stop();
  tasks_.spawn("output of " + options_.name, discard_output(), io::log_only);
  co_await process_->close(options_.close_times);
  (void)take_stderr(stderr_rest_max);
  tasks_.cancel();
  co_await tasks_.join();
  process_->output().close();
  process_->errors().close();
  state_ = State::closed;
  changed_.notify_all();
}

// Why a server ended is told to hosts and models, and kept.
std::string StdioChild::shown(std::string words) const {
  return secrets::mask_prose(options_.secrets.hidden_in(std::move(words)));
}

LinkEnd StdioChild::end() const {
  LinkEnd end;
  if (!fault_.empty()) {
    end.reason = fault_;
  } else if (const auto& status = process_->exit_status()) {
    end.reason = status->text();
  } else if (reader_.ended()) {
    end.reason = "closed its output";
  }
  end.stderr_tail = shown(stderr_tail_.printable());
  end.stdout_tail = shown(text::printable(reader_.junk()));
  return end;
}

std::string StdioChild::preparation() {
  Preparation& preparation = options_.preparation;
  if (preparation.done && preparation.done()) {
    preparation = {};
  }
  return preparation.what;
}

// An installer that runs elsewhere (the daemon of docker) shows its work on stderr alone.
std::uint64_t StdioChild::work() const {
  return io::work_of_tree(process_->id()) + stderr_bytes_;
}

StartAdvice StdioChild::start_advice() const {
  return options_.find_advice ? options_.find_advice(stderr_tail_.printable()) : StartAdvice();
}

}  // namespace

io::Task<Result<std::unique_ptr<Transport>>> open_stdio_child(StdioChildOptions options) {
  auto process = co_await io::Process::start(options.command, options.start_by);
  if (!process) {
    co_return fail(std::move(process).error());
  }
  const io::Executor executor = co_await boost::asio::this_coro::executor;
  co_return std::make_unique<StdioChild>(executor, std::move(*process), std::move(options));
}

}  // namespace pi_mcp::transport
