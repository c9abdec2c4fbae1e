#include "servers/launch/trace.h"

#include <array>
#include <chrono>
#include <ctime>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "io/files/file.h"
#include "io/loop/clock.h"
#include "io/loop/random.h"
#include "json/writer.h"
#include "transport/observed.h"

namespace pi_mcp::servers {
namespace {

constexpr std::int64_t version = 1;
// A server that never answers must not fill our memory.
constexpr std::size_t waiting_max = 1000;
constexpr std::size_t method_bytes_max = 120;

// ISO 8601 in UTC, to the millisecond.
std::string iso_time(EpochMs at) {
  constexpr std::int64_t ms_per_s = 1000;
  const std::time_t seconds = at.value / ms_per_s;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::string fraction = std::to_string(ms_per_s + at.value % ms_per_s);
  fraction.front() = '.';
  return std::string(text.data(), length) + fraction + "Z";
}

std::string_view transport_of(const Launch& launch) {
  if (!launch.socket.empty()) {
    return "unix-socket";
  }
  if (!launch.remote) {
    return "stdio";
  }
  return launch.remote->kind == config::HttpTransport::sse ? "sse" : "streamable-http";
}

// A new name in a folder, or the path as it is.
std::string file_of(const std::string& path) {
  if (!path.ends_with('/')) {
    return path;
  }
  constexpr std::size_t random_bytes = 4;
  std::string name = iso_time(io::epoch_now());
  for (char& c : name) {
    c = c == ':' || c == '.' ? '-' : c;
  }
  return path + "mcp-" + name + "-" + io::random_hex(random_bytes) + ".jsonl";
}

class LinkTrace final : public transport::Observer {
 public:
  LinkTrace(TraceLines lines, std::shared_ptr<TraceFile> file)
      : lines_(std::move(lines)), file_(std::move(file)) {}

  void sent(std::string_view message, bool taken) override {
    file_->write(lines_.outbound(message, taken, io::epoch_now(), io::now()));
  }
  void received(const rpc::Message& message) override {
    file_->write(lines_.inbound(message, io::epoch_now(), io::now()));
  }

 private:
  TraceLines lines_;
  std::shared_ptr<TraceFile> file_;
};

}  // namespace

struct TraceLines::Event {
  const rpc::Message& message;
  std::string_view direction;
  std::string_view status;
  std::string method;
  std::optional<TimePoint> since;  // when what it answers was sent
  TimePoint now;
};

std::string TraceLines::outbound(std::string_view message, bool taken, EpochMs at, TimePoint now) {
  const Result<rpc::Message> parsed = rpc::Message::parse(std::string(message));
  if (!parsed) {
    return "";
  }
  if (taken && parsed->kind() == rpc::Message::Kind::request && waiting_.size() < waiting_max) {
    waiting_[parsed->id().json()] = {.method = parsed->method(), .sent = now};
  }
  return line({.message = *parsed,
               .direction = "outbound",
               .status = taken ? "sent" : "error",
               .method = parsed->method(),
               .since = {},
               .now = now},
              at);
}

std::string TraceLines::inbound(const rpc::Message& message, EpochMs at, TimePoint now) {
  Event event{.message = message,
              .direction = "inbound",
              .status = "received",
              .method = message.method(),
              .since = {},
              .now = now};
  if (message.method().empty()) {
    if (auto asked = waiting_.extract(message.id().json())) {
      event.method = std::move(asked.mapped().method);
      event.since = asked.mapped().sent;
    }
  }
  return line(event, at);
}

std::string TraceLines::line(const Event& event, EpochMs at) const {
  using enum rpc::Message::Kind;
  const rpc::Message& message = event.message;
  const bool is_response = message.kind() == result || message.kind() == failure;
  json::Writer out;
  out.begin_object()
      .member("version", version)
      .member("timestamp", iso_time(at))
      .member("direction", event.direction)
      .member("server", server_)
      .member("transport", transport_)
      .member("kind",
              is_response                 ? "response"
              : message.kind() == request ? "request"
                                          : "notification")
      .member("status", event.status);
  if (!event.method.empty()) {
    out.member("method", text::printable(text::cut(event.method, method_bytes_max)));
  }
  const std::string& id = message.id().json();
  if (id.starts_with('"')) {
    out.member("id", "[REDACTED_ID]");
  } else if (is_response || !id.empty()) {
    out.member_raw("id", id.empty() ? "null" : id);
  }
  out.member("bytes", message.root().raw().size());
  if (const std::optional<std::int64_t> code = message.error().find("code").as_int()) {
    out.member("errorCode", *code);
  }
  if (event.since) {
    const auto took = std::chrono::duration<double, std::milli>(event.now - *event.since);
    constexpr double hundredths = 100;
    out.key("durationMs")
        .number(static_cast<double>(static_cast<std::int64_t>(took.count() * hundredths)) /
                hundredths);
  }
  return out.end_object().take() + "\n";
}

void TraceFile::write(std::string_view line) {
  if (line.empty() || is_over_) {
    return;
  }
  if (lines_ + 1 > trace_.lines_max || bytes_ + line.size() > trace_.bytes_max) {
    is_over_ = true;
    return;
  }
  if (const Result<void> written = append(line); !written) {
    is_over_ = true;
    log::warning("the trace ended: " + written.error().message());
    return;
  }
  ++lines_;
  bytes_ += line.size();
}

Result<void> TraceFile::append(std::string_view line) {
  if (!output_) {
    const std::string path = file_of(trace_.path);
    if (const Result<void> made = io::make_folders(path.substr(0, path.rfind('/'))); !made) {
      return made;
    }
    Result<io::PrivateOutput> output = io::PrivateOutput::replace(path);
    if (!output) {
      return fail(std::move(output).error());
    }
    log::info("what is said to servers, without its content, is traced in " + path);
    output_ = *std::move(output);
  }
  return output_->append(line);
}

std::unique_ptr<transport::Transport> Traces::traced(std::unique_ptr<transport::Transport> link,
                                                     const Launch& launch) {
  std::shared_ptr<TraceFile>& file = files_[launch.trace->path];
  if (!file) {
    file = std::make_shared<TraceFile>(*launch.trace);
  }
  return transport::observed(
      std::move(link),
      std::make_unique<LinkTrace>(TraceLines(launch.server, transport_of(launch)), file));
}

}  // namespace pi_mcp::servers
