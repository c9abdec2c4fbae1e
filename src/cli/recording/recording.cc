#include "cli/recording/recording.h"

#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "io/loop/clock.h"
#include "json/document.h"
#include "json/writer.h"
#include "secrets/message.h"
#include "transport/observed.h"

namespace pi_mcp::cli {
namespace {

constexpr std::string_view kind_key = "pi-mcp";
constexpr std::string_view kind = "recording";
constexpr std::int64_t version = 1;

// "calls.jsonl", "calls-2.jsonl"
std::string numbered(const std::string& path, std::size_t number) {
  if (number == 1) {
    return path;
  }
  const std::size_t name = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  const std::size_t dot = path.rfind('.');
  const bool has_extension = dot != std::string::npos && dot > name;
  const std::size_t end = has_extension ? dot : path.size();
  return path.substr(0, end) + "-" + std::to_string(number) + path.substr(end);
}

// Written at once: a host that does not wait kills us soon after it has gone.
class HostRecorder final : public transport::Observer {
 public:
  explicit HostRecorder(Recorder* recorder) : recorder_(recorder) {}

  void sending(std::string_view message) override {
    recorder_->take(Speaker::server, message, io::now());
  }
  void received(const rpc::Message& message) override {
    recorder_->take(Speaker::host, message.root().raw(), io::now());
  }
  void ended() override {
    (void)recorder_->finish();  // asked again by the command, which says it
  }

 private:
  Recorder* recorder_;
};

// One line of a file, or what is wrong with it.
class Reader {
 public:
  Reader(const std::string& path, std::string_view text) : path_(path), rest_(text) {}

  Result<std::vector<RecordedMessage>> run() && {
    const Result<json::Document> first = next();
    if (!first || !first->root().find(kind_key).equals(kind)) {
      return wrong(line_ == 0 ? "the file is empty; pi-mcp record makes recordings"
                              : "this is not a recording of pi-mcp record");
    }
    if (first->root().find("version").as_int() != version) {
      return wrong("a recording of another version of pi-mcp; record it anew");
    }
    while (!rest_.empty()) {
      const Result<json::Document> line = next();
      if (!line) {
        return fail(line.error());
      }
      const json::Value end = line->root().find("messages");
      if (end) {
        return finish(end);
      }
      if (const Result<void> taken = take(line->root()); !taken) {
        return fail(taken.error());
      }
    }
    ++line_;
    return wrong("the recording is cut short: its last line would say how many messages it has");
  }

 private:
  [[nodiscard]] tl::unexpected<Error> wrong(const std::string& why) const {
    return fail(ErrorCode::invalid_argument,
                path_ + ": line " + std::to_string(std::max<std::size_t>(line_, 1)) + ": " + why);
  }

  Result<json::Document> next() {
    if (rest_.empty()) {
      return wrong("");
    }
    ++line_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const bool is_whole = end < rest_.size();
    Result<json::Document> document = json::Document::parse(std::string(rest_.substr(0, end)));
    rest_.remove_prefix(is_whole ? end + 1 : end);
    if (!document || !document->root().is_object()) {
      return wrong(is_whole ? "not a JSON object" : "cut short in the middle of a message");
    }
    return document;
  }

  Result<void> take(json::Value line) {
    const json::Value from = line.find("from");
    const json::Value message = line.find("message");
    if (!message || !(from.equals("host") || from.equals("server"))) {
      return wrong("neither a message of a host nor of a server");
    }
    ++count_;
    const Speaker speaker = from.equals("host") ? Speaker::host : Speaker::server;
    if (!message.is_array()) {
      return take_message(speaker, message);
    }
    for (const json::Value one : message.elements()) {
      if (Result<void> taken = take_message(speaker, one); !taken) {
        return taken;
      }
    }
    return {};
  }

  Result<void> take_message(Speaker from, json::Value value) {
    Result<rpc::Message> message = rpc::Message::parse(std::string(value.raw()));
    if (!message) {
      return wrong(message.error().message());
    }
    messages_.push_back({.line = line_, .from = from, .message = *std::move(message)});
    return {};
  }

  Result<std::vector<RecordedMessage>> finish(json::Value count) {
    if (count.as_int() != static_cast<std::int64_t>(count_)) {
      return wrong("the recording had " + std::string(count.raw()) + " messages, and " +
                   std::to_string(count_) + " are here");
    }
    if (!text::trim(rest_).empty()) {
      ++line_;
      return wrong("there is more behind the end of the recording");
    }
    return std::move(messages_);
  }

  std::string path_;
  std::string_view rest_;
  std::size_t line_ = 0;
  std::size_t count_ = 0;
  std::vector<RecordedMessage> messages_;
};

}  // namespace

Result<Recorder> Recorder::begin(const std::string& path, TimePoint now) {
  constexpr std::size_t files_max = 10'000;
  Result<std::optional<io::PrivateOutput>> file = std::nullopt;
  std::string used;
  for (std::size_t number = 1; number <= files_max && file && !*file; ++number) {
    used = numbered(path, number);
    file = io::PrivateOutput::open_unused(used);
  }
  if (!file || !*file) {
    return fail(file ? Error(ErrorCode::io, path + " and all files numbered after it are taken")
                     : file.error());
  }
  Recorder recorder(**std::move(file), std::move(used), now);
  json::Writer out;
  out.begin_object().member(kind_key, kind).member("version", version).end_object();
  recorder.write(out.take());
  return recorder.state_ ? Result<Recorder>(std::move(recorder)) : fail(recorder.state_.error());
}

void Recorder::take(Speaker from, std::string_view message, TimePoint now) {
  const Result<json::Document> document =
      finished_ || !state_ ? json::Document() : json::Document::parse_view(message);
  if (!document || !document->root()) {
    return;
  }
  json::Writer out;
  out.begin_object().member("from", from == Speaker::host ? "host" : "server");
  out.member("ms", std::chrono::duration_cast<Milliseconds>(now - begun_).count());
  out.key("message");
  if (document->root().is_array()) {
    out.begin_array();
    for (const json::Value one : document->root().elements()) {
      out.raw(secrets::mask_message(one, known_));
    }
    out.end_array();
  } else {
    out.raw(secrets::mask_message(document->root(), known_));
  }
  ++messages_;
  write(out.end_object().take());
}

void Recorder::write(std::string line) {
  line += "\n";
  bytes_ += line.size();
  if (bytes_ > recording_bytes_max) {
    state_ = fail(ErrorCode::io,
                  "the recording ended early: it would be larger than " +
                      text::size_text(recording_bytes_max));
  } else {
    state_ = file_.append(line);
  }
  if (!state_) {
    log::warning(state_.error().message());
  }
}

Result<void> Recorder::finish() {
  if (!std::exchange(finished_, true) && state_) {
    json::Writer out;
    write(out.begin_object().member("messages", messages_).end_object().take());
  }
  return state_;
}

std::unique_ptr<transport::Transport> recorded(std::unique_ptr<transport::Transport> host,
                                               Recorder* recorder) {
  return transport::observed(std::move(host), std::make_unique<HostRecorder>(recorder));
}

Result<std::vector<RecordedMessage>> parse_recording(const std::string& path,
                                                     std::string_view text) {
  return Reader(path, text).run();
}

}  // namespace pi_mcp::cli
