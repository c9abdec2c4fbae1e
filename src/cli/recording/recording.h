// The file of `pi-mcp record`: what a host and a server said to each other, JSON lines. The first
// says what it is, the last how many messages it has, each between them has `from` (host or
// server), `ms` since the beginning, and the `message`.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "io/files/private_output.h"
#include "rpc/message.h"
#include "secrets/secrets.h"
#include "transport/transport.h"

namespace pi_mcp::cli {

constexpr std::size_t recording_bytes_max = std::size_t{256} << 20U;

enum class Speaker : std::uint8_t { host, server };

class Recorder {
 public:
  // Begins the file; where that one has content or somebody writes it, the first of FILE-2, FILE-3
  // and so on (before the extension) that is free. io: it cannot be written.
  static Result<Recorder> begin(const std::string& path, TimePoint now);

  [[nodiscard]] const std::string& path() const { return path_; }
  // Hidden beside what looks like a secret (secrets/message.h).
  void hide(secrets::Secrets known) { known_ = std::move(known); }
  // Nothing more is written after a failure or the end.
  void take(Speaker from, std::string_view message, TimePoint now);
  // The last line, once. What went wrong first: io, or the recording would be too large.
  Result<void> finish();

 private:
  Recorder(io::PrivateOutput file, std::string path, TimePoint now)
      : file_(std::move(file)), path_(std::move(path)), begun_(now) {}
  void write(std::string line);

  io::PrivateOutput file_;
  std::string path_;
  TimePoint begun_;
  secrets::Secrets known_;
  std::size_t bytes_ = 0;
  std::size_t messages_ = 0;
  bool finished_ = false;
  Result<void> state_;
};

// The link to a host, with all that goes over it recorded. The recorder outlives it, and is
// finished when the host has gone.
std::unique_ptr<transport::Transport> recorded(std::unique_ptr<transport::Transport> host,
                                               Recorder* recorder);

struct RecordedMessage {
  std::size_t line = 0;
  Speaker from = Speaker::host;
  rpc::Message message;
};

// The messages of a file, batches taken apart. invalid_argument names the line that is wrong.
Result<std::vector<RecordedMessage>> parse_recording(const std::string& path,
                                                     std::string_view text);

}  // namespace pi_mcp::cli
