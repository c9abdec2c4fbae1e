#include "transport/attached/attached_host.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "io/loop/sleep.h"
#include "io/loop/task_group.h"
#include "mcp/unknown_outcome.h"
#include "transport/attached/host_memory.h"
#include "transport/attached/memory_writer.h"
#include "transport/line_intake.h"

namespace pi_mcp::transport {
namespace {

constexpr std::string_view died =
    "pi-mcp ended while this call was under way and was started anew; ";

// The beginning and the end of a line that is too long to be kept, as rpc::LineFramer has them.
struct LongLine {
  std::string head;
  std::string tail;
  std::size_t bytes = 0;

  void add(std::string_view text) {
    constexpr std::size_t kept = rpc::LineFramer::kept_bytes;
    if (bytes == 0) {
      head = text.substr(0, kept);
    }
    bytes += text.size();
    tail = text.size() >= kept ? std::string(text.substr(text.size() - kept)) : tail.append(text);
    if (tail.size() > kept) {
      tail.erase(0, tail.size() - kept);
    }
  }
};

class MemoryHost final : public AttachedHost {
 public:
  MemoryHost(const io::Executor& executor,
             std::unique_ptr<HostMemory> memory,
             io::HostInput input,
             io::HostOutput output,
             const AttachedHostOptions& options)
      : line_bytes_max_(std::min(options.line_limits.line_bytes_max, host_in_bytes - room_bytes)),
        flush_max_(options.flush_max),
        declaration_(options.declaration),
        memory_(std::move(memory)),
        input_(std::move(input)),
        output_(std::move(output)),
        tasks_(executor),
        intake_(Peer::host, "the host"),
        writer_(executor, memory_.get(), &output_, &tasks_, [this] {
          expects_end_ = true;
          input_.cancel();
        }) {
    memory_->set_output(output_.is_socket());
  }

  [[nodiscard]] int memory() const override { return memory_->number(); }
  [[nodiscard]] int staging() const override { return output_.staging(); }
  [[nodiscard]] std::uint64_t generation() const override { return memory_->generation(); }
  void forsake() override { flush_max_ = Milliseconds(0); }
  void begin() override;

  io::Task<Result<rpc::Message>> receive() override;
  std::optional<Result<rpc::Message>> receive_now() override;
  Result<void> send(rpc::Outgoing message) override;
  void settle(const rpc::Id& request) override {
    memory_->settle(request);
    writer_.stir();
  }
  io::Task<Result<void>> drain(std::size_t bytes) override { return writer_.drain(bytes); }
  io::Task<void> close() override;
  [[nodiscard]] LinkEnd end() const override {
    return {.reason = ended_ ? "closed its output" : "", .stderr_tail = ""};
  }
  [[nodiscard]] LinkCounters counters() const override { return intake_.counters(); }

 private:
  // Always there besides the longest line, so that a read has room.
  static constexpr std::size_t room_bytes = std::size_t{1} << 20U;

  std::optional<rpc::Message> take_declared();
  std::optional<rpc::Message> take_line();
  std::optional<rpc::Message> take(const rpc::LineFramer::Line& line, std::uint64_t end);
  void note(const rpc::Message& message, std::uint64_t end);
  void drop_long_line();
  std::optional<rpc::Message> take_last();
  std::optional<Result<rpc::Message>> take_read(const Result<std::size_t>& count);
  void keep_for_a_while();
  io::Task<void> shrink_later();

  std::size_t line_bytes_max_;
  Milliseconds flush_max_;
  std::optional<Declaration> (*declaration_)(const rpc::Message& message);
  std::unique_ptr<HostMemory> memory_;
  io::HostInput input_;
  io::HostOutput output_;
  io::TaskGroup tasks_;
  LineIntake intake_;
  MemoryWriter writer_;
  std::deque<std::string> declared_;  // to be told again
  std::vector<rpc::Id> told_again_;   // whose answers the host has had
  LongLine long_line_;
  bool shrinks_later_ = false;
  bool expects_end_ = false;
  bool stopped_ = false;
  bool ended_ = false;
};

void MemoryHost::begin() {
  std::ranges::move(memory_->declared(), std::back_inserter(declared_));
  const std::string why = std::string(died) + mcp::unknown_outcome;
  for (const rpc::Id& id : memory_->lost()) {
    (void)writer_.send(rpc::failure(id, rpc::error_code::internal_error, why));
  }
  writer_.begin();
}

// What the host said to the process before us. Its answers have left already.
std::optional<rpc::Message> MemoryHost::take_declared() {
  while (!declared_.empty()) {
    Result<rpc::Message> message = rpc::Message::parse(std::move(declared_.front()));
    declared_.pop_front();
    if (message) {
      if (message->kind() == rpc::Message::Kind::request) {
        told_again_.push_back(message->id());
      }
      return *std::move(message);
    }
  }
  return std::nullopt;
}

void MemoryHost::note(const rpc::Message& message, std::uint64_t end) {
  if (message.kind() == rpc::Message::Kind::request) {
    memory_->note(message.id(), end);
  } else if (message.kind() == rpc::Message::Kind::batch) {
    for (const json::Value element : message.root().elements()) {
      if (element.find("method") && element.find("id")) {
        memory_->note(rpc::Id::from_json(element.find("id").raw()), end);
      }
    }
  }
  if (declaration_ == nullptr) {
    return;
  }
  if (const std::optional<Declaration> said = declaration_(message)) {
    if (said->ends_it) {
      memory_->forget_declared(said->key);
    } else if (!memory_->declare(said->key, message.root().raw())) {
      log::debug("the host has declared more than is kept for a process after this one");
    }
  }
}

std::optional<rpc::Message> MemoryHost::take(const rpc::LineFramer::Line& line, std::uint64_t end) {
  LineIntake::Taken taken = intake_.take(line, line_bytes_max_);
  if (taken.message) {
    note(*taken.message, end);
  }
  taken.answer.for_each_answered([this, end](const rpc::Id& id) { memory_->note(id, end); });
  memory_->take(end);
  if (taken.answer.bytes() > 0) {
    // A host that cannot be answered does not read any more, and there is nobody else to tell.
    (void)writer_.send(std::move(taken.answer));
  }
  return std::move(taken.message);
}

std::optional<rpc::Message> MemoryHost::take_line() {
  while (memory_->can_note()) {
    const std::optional<HostMemory::Line> found = memory_->next_line();
    if (!found) {
      break;
    }
    std::string_view text = found->text;
    const std::size_t bytes = text.size() + long_line_.bytes;
    if (text.ends_with('\r')) {
      text.remove_suffix(1);
    }
    rpc::LineFramer::Line line{.text = {}, .oversized = false, .tail = {}, .bytes = bytes};
    if (long_line_.bytes > 0) {
      long_line_.add(text);
      line.text = SharedText(std::move(long_line_.head));
      line.tail = std::move(long_line_.tail);
      line.oversized = true;
      long_line_ = {};
    } else if (text.empty()) {
      memory_->take(found->end);
      continue;
    } else {
      line.text = SharedText::copy(text);
    }
    if (std::optional<rpc::Message> message = take(line, found->end)) {
      return message;
    }
  }
  memory_->clean();
  drop_long_line();
  return std::nullopt;
}

// Of a line that will be too long only its beginning and its end are kept.
void MemoryHost::drop_long_line() {
  const std::string_view rest = memory_->rest();
  if (!memory_->can_note() || (long_line_.bytes == 0 && rest.size() <= line_bytes_max_)) {
    return;
  }
  if (!rest.empty()) {
    long_line_.add(rest);
    memory_->take_rest();
    memory_->clean();
  }
}

std::optional<rpc::Message> MemoryHost::take_last() {
  const std::string_view rest = memory_->rest();
  if (rest.empty() || long_line_.bytes > 0) {
    return std::nullopt;
  }
  return intake_.take_last(
      {.text = SharedText::copy(rest), .oversized = false, .tail = {}, .bytes = rest.size()});
}

std::optional<Result<rpc::Message>> MemoryHost::receive_now() {
  if (stopped_) {
    return std::nullopt;
  }
  std::optional<rpc::Message> message = take_declared();
  if (!message) {
    message = take_line();
  }
  return message ? std::optional<Result<rpc::Message>>(*std::move(message)) : std::nullopt;
}

io::Task<Result<rpc::Message>> MemoryHost::receive() {
  for (;;) {
    if (stopped_) {
      co_return fail(ErrorCode::cancelled, "the link was closed");
    }
    if (std::optional<Result<rpc::Message>> message = receive_now()) {
      co_return *std::move(message);
    }
    if (ended_) {
      co_return fail(ErrorCode::unavailable, "the host closed its output");
    }
    if (!memory_->can_note()) {  // as many are under way as can be noted: the host waits
      if (Result<void> settled = co_await writer_.wait_for_change(); !settled) {
        co_return fail(settled.error());
      }
      continue;
    }
    Result<std::size_t> count = 0;
    if (!expects_end_) {
      count = co_await input_.read_some(memory_->space());
    }
    if (std::optional<Result<rpc::Message>> last = take_read(count)) {
      co_return *std::move(last);
    }
  }
}

// The outcome of a read: a last line, or why the link has ended; nullopt: go on.
std::optional<Result<rpc::Message>> MemoryHost::take_read(const Result<std::size_t>& count) {
  if (!count && count.error().code() == ErrorCode::cancelled && !expects_end_) {
    return fail(ErrorCode::cancelled, "the link was closed");
  }
  if (count && *count > 0) {
    memory_->publish(*count);
    keep_for_a_while();
    return std::nullopt;
  }
  ended_ = true;
  std::optional<rpc::Message> last = take_last();
  return last ? std::optional<Result<rpc::Message>>(*std::move(last)) : std::nullopt;
}

Result<void> MemoryHost::send(rpc::Outgoing message) {
  bool is_told = false;
  message.for_each_answered([this, &is_told](const rpc::Id& id) {
    is_told = std::erase(told_again_, id) > 0 || is_told;
  });
  if (is_told) {
    return {};
  }
  Result<void> sent = writer_.send(std::move(message));
  keep_for_a_while();
  return sent;
}

// A long message is often followed by another.
void MemoryHost::keep_for_a_while() {
  if (memory_->holds_much() && !std::exchange(shrinks_later_, true)) {
    tasks_.spawn("giving memory back", shrink_later(), io::log_only);
  }
}

io::Task<void> MemoryHost::shrink_later() {
  constexpr Milliseconds kept(5000);
  if (const Result<void> slept = co_await io::sleep_for(kept)) {
    memory_->shrink();
  }
  shrinks_later_ = false;
}

io::Task<void> MemoryHost::close() {
  stopped_ = true;
  input_.cancel();
  co_await writer_.flush(flush_max_);
  writer_.close();
  tasks_.cancel();
  co_await tasks_.join();
  input_.close();
  output_.close();
}

}  // namespace

Result<std::unique_ptr<AttachedHost>> AttachedHost::open(const io::Executor& executor,
                                                         AttachedHostOptions options) {
  Result<io::HostInput> input = io::HostInput::adopt(executor, std::move(options.input));
  if (!input) {
    return fail(std::move(input).error().while_doing("stdin"));
  }
  Result<io::HostOutput> output = io::HostOutput::adopt(executor, std::move(options.output));
  if (!output) {
    return fail(std::move(output).error().while_doing("stdout"));
  }
  const std::size_t staged =
      options.old_staging.is_open() ? io::bytes_in_pipe(options.old_staging.get()) : 0;
  Result<std::unique_ptr<HostMemory>> memory =
      options.old_memory.is_open() ? HostMemory::recover(options.old_memory.get(), staged)
                                   : HostMemory::create();
  if (!memory) {
    return fail(memory.error());
  }
  return std::make_unique<MemoryHost>(
      executor, *std::move(memory), *std::move(input), *std::move(output), options);
}

}  // namespace pi_mcp::transport
