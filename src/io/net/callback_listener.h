// A web server of one purpose: it waits on this machine for the browser to come back from a login
// (RFC 8252 section 7.3).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

struct CallbackPage {
  int status = 200;
  std::string title;  // plain text; shown as a page
  std::string text;
};

// Answers GET requests on 127.0.0.1 whose Host is a name of this machine with our port. A browser
// opens connections that it does not use, and others on this machine may connect: each has a few
// seconds and a few kilobytes, none holds up another, and of more than connections_max that ask
// nothing the oldest is closed.
class CallbackListener {
 public:
  // Called on the loop with path and query of each GET.
  using Handler = std::function<CallbackPage(std::string_view target)>;

  // Port 0: one that the system chooses. io: the port is taken.
  static Result<std::unique_ptr<CallbackListener>> open(const Executor& executor,
                                                        std::uint16_t port,
                                                        Handler handler);
  CallbackListener(const CallbackListener&) = delete;
  CallbackListener& operator=(const CallbackListener&) = delete;
  ~CallbackListener();

  [[nodiscard]] std::uint16_t port() const;
  // Stops listening; pages under way are finished within a second. Must have returned before
  // destruction.
  Task<void> close();

  static constexpr std::size_t connections_max = 64;
  static constexpr std::size_t request_bytes_max = std::size_t{16} << 10U;

 private:
  struct State;
  explicit CallbackListener(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pi_mcp::io
