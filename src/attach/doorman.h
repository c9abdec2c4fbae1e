// The doorman: lets fronts into the shared process whose standing is its own, and nobody else.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "attach/greeting.h"
#include "attach/session_facts.h"
#include "base/pinned.h"
#include "base/result.h"
#include "base/time.h"
#include "io/files/fd.h"
#include "io/loop/task.h"
#include "io/net/packets.h"
#include "io/process/newborn.h"

namespace pi_mcp::attach {

// Our end of the line to a front. First attached() or refuse(), then the others.
class FrontLink : Pinned {
 public:
  FrontLink(const io::Executor& executor, io::Fd control);

  // From now on this memory counts. To be called before the first byte of the host is read or
  // written. `staging` is -1 without one. io: the front is gone.
  Result<void> attached(int memory, int staging);
  void refuse(std::string_view reason);
  // For a stderr that only the front can write to. What does not fit on the way is dropped.
  void write_errors(std::string_view text);
  // The session has ended.
  void over(int exit_status);
  // Waits until the front is gone: so is its session. cancelled.
  io::Task<Result<void>> wait_gone();
  void close();

 private:
  friend class Doorman;
  io::PacketStream control_;
};

struct HandedSession {
  std::unique_ptr<FrontLink> front;
  io::Fd input;
  io::Fd output;
  io::Fd errors;
  // Of the shared process that died; not open: there was none.
  io::Fd old_memory;
  io::Fd old_staging;
  SessionFacts facts;
};

// Fronts that are being checked; more wait in the socket's queue.
inline constexpr std::size_t greeting_fronts_max = 64;
inline constexpr Milliseconds greeting_time_max{5000};

class Doorman : Pinned {
 public:
  // Called from the loop. Answers by attached() or refuse(), then or later.
  using OnSession = std::function<void(HandedSession)>;

  // Listens in the folder that the process was born with and says that it is ready. io: the
  // system's reason.
  static Result<std::unique_ptr<Doorman>> open(const io::Executor& executor,
                                               io::BirthGifts gifts,
                                               const std::string& socket_name,
                                               OnSession on_session,
                                               PeerCheck check = PeerCheck::by_kernel);
  ~Doorman();

  // For a process without sessions and servers: under the folder's lock, looks whether somebody has
  // come meanwhile. True: nobody finds us any more, and this process must end soon (until then it
  // holds the lock). False: stay.
  [[nodiscard]] bool may_leave();
  // How many fronts have come and are not handed over yet.
  [[nodiscard]] std::size_t greeting() const;
  // Ends what is under way. Must have returned before destruction.
  io::Task<void> close();

 private:
  struct State;
  explicit Doorman(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pi_mcp::attach
