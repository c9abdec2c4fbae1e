// settings.trace: a line for each message between us and servers that says what kind of message it
// is, how large, and how long an answer took. Never what is in it: no parameters, no results, no
// names of tools, no urls, no headers. The members are those of the Pi MCP Adapter's traces.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/pinned.h"
#include "base/time.h"
#include "io/files/private_output.h"
#include "rpc/message.h"
#include "servers/launch/launch.h"
#include "transport/transport.h"

namespace pi_mcp::servers {

// The lines of one server's link, each with its line feed. Pure.
class TraceLines {
 public:
  TraceLines(std::string server, std::string_view transport)
      : server_(std::move(server)), transport_(transport) {}

  // Empty: not a message.
  std::string outbound(std::string_view message, bool taken, EpochMs at, TimePoint now);
  std::string inbound(const rpc::Message& message, EpochMs at, TimePoint now);

 private:
  struct Request {
    std::string method;
    TimePoint sent;
  };
  struct Event;
  [[nodiscard]] std::string line(const Event& event, EpochMs at) const;

  std::string server_;
  std::string_view transport_;
  std::map<std::string, Request> waiting_;  // ours without an answer, by id, JSON; bounded
};

// The file of one process, for all its servers. It is made with the first line, in place of one
// that is there, for its owner alone; no link is followed. When a limit is reached, or the file
// cannot be written, which the log says once, nothing more is.
class TraceFile : Pinned {
 public:
  explicit TraceFile(Trace trace) : trace_(std::move(trace)) {}
  void write(std::string_view line);

 private:
  Result<void> append(std::string_view line);

  Trace trace_;
  std::optional<io::PrivateOutput> output_;
  std::size_t bytes_ = 0;
  std::size_t lines_ = 0;
  bool is_over_ = false;
};

// The traces of one process, a file for each place.
class Traces : Pinned {
 public:
  // `link` with its messages traced as `launch` wants it.
  std::unique_ptr<transport::Transport> traced(std::unique_ptr<transport::Transport> link,
                                               const Launch& launch);

 private:
  std::map<std::string, std::shared_ptr<TraceFile>> files_;  // by Trace::path
};

}  // namespace pi_mcp::servers
