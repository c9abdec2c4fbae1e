// A host whose pipes or sockets another process has handed to us, with the memory that lets the
// next process go on where we end.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "io/files/fd.h"
#include "io/loop/task.h"
#include "rpc/line_framer.h"
#include "rpc/message.h"
#include "transport/transport.h"

namespace pi_mcp::transport {

// What has to be known of a message by a process that goes on after us: it is told again, in the
// order of the keys, and not answered.
struct Declaration {
  std::string key;       // a newer one replaces an older one
  bool ends_it = false;  // an older one no longer counts, and this need not be known
};

struct AttachedHostOptions {
  io::Fd input;
  io::Fd output;
  // Of the process before us; not open: there was none.
  // NOLINTBEGIN(readability-redundant-member-init): may be left out where one is made
  io::Fd old_memory = {};
  io::Fd old_staging = {};
  // nullopt: nothing has to be known of it.
  std::optional<Declaration> (*declaration)(const rpc::Message& message) = nullptr;
  rpc::LineLimits line_limits = {};
  // NOLINTEND(readability-redundant-member-init)
  Milliseconds flush_max{2000};  // close() gives the host this long to read what it is owed
};

class AttachedHost : public Transport {
 public:
  // Reads and writes nothing before begin(). invalid_argument: this input or output cannot be used
  // (io/process/host_channel.h). io: no memory; the system's reason.
  static Result<std::unique_ptr<AttachedHost>> open(const io::Executor& executor,
                                                    AttachedHostOptions options);

  // What whoever waits for our death has to hold. Both descriptors stay ours; staging -1: none.
  [[nodiscard]] virtual int memory() const = 0;
  [[nodiscard]] virtual int staging() const = 0;
  // From here on our memory counts, and no longer the old one. Those whose calls a death has ended
  // are told so.
  virtual void begin() = 0;
  // The host has gone, or must not hear from us any more: close() waits for nobody.
  virtual void forsake() = 0;
  // How many processes had this session before us.
  [[nodiscard]] virtual std::uint64_t generation() const = 0;
};

}  // namespace pi_mcp::transport
