// From lines to messages: what is done with the lines that are none. Writes to the log, no other
// I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "rpc/line_framer.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "secrets/secrets.h"
#include "transport/transport.h"

namespace pi_mcp::transport {

// Who writes the lines. Programs print banners on their stdout, so a server's junk is passed over;
// a host that sends junk is told (JSON-RPC 2.0, "Response object": a parse error has the id null).
enum class Peer : std::uint8_t { server, host };

// Of the id of a host's request, as JSON; a longer one is refused. Ids under way are kept in places
// of one size, for whoever goes on when this process dies (host_memory.h). JSON-RPC 2.0 has no
// limit; hosts count, or send UUIDs.
inline constexpr std::size_t host_id_bytes_max = 228;

class LineIntake {
 public:
  // `name` is for the log, which shows none of the secrets.
  LineIntake(Peer peer, std::string name) : peer_(peer), name_(std::move(name)) {}

  void hide(secrets::Secrets secrets) { secrets_ = std::move(secrets); }

  struct Taken {
    std::optional<rpc::Message> message;  // for the receiver
    rpc::Outgoing answer;                 // to be sent back, unless empty
  };
  // A line that is too long or broken but shows the call that it answers becomes a failure of that
  // call; one that shows a request, or has one with too long an id, is answered with an error. The
  // rest is counted and dropped.
  Taken take(const rpc::LineFramer::Line& line, std::size_t line_bytes_max);
  // A last line without line feed: a message, or it is dropped, because the end of the link tells
  // the reason better.
  std::optional<rpc::Message> take_last(const rpc::LineFramer::Line& line);

  [[nodiscard]] LinkCounters counters() const { return counters_; }
  // The last lines that were no messages, as they came.
  [[nodiscard]] const std::string& junk() const { return junk_; }

 private:
  Taken take_broken(const rpc::LineFramer::Line& line, const Error& error);
  void note_junk(std::string_view line);
  // Enough for a stack trace.
  static constexpr std::size_t junk_bytes_max = std::size_t{4} << 10U;

  Peer peer_;
  std::string name_;
  secrets::Secrets secrets_;
  LinkCounters counters_;
  std::string junk_;  // at most twice junk_bytes_max
};

}  // namespace pi_mcp::transport
