// What requests under way wait for, for people who read a pipe, a log or a terminal that cannot
// redraw a line: a line now and then. Pure; time is an argument.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "base/time.h"

namespace pi_mcp::cli {

class Activity {
 public:
  static constexpr Milliseconds line_pause{5000};

  void begin(std::size_t request, std::string subject, TimePoint now);
  // Empty: nothing that is worth a line.
  void say(std::size_t request, std::string what);
  void end(std::size_t request);

  // When the next line is due; TimePoint::max() while nothing is under way.
  [[nodiscard]] TimePoint next_line() const { return next_; }
  // "installing x with npx (5 s)"; empty when none is due, or there is nothing to say.
  std::string take_line(TimePoint now);

 private:
  struct Request {
    std::string subject;
    std::string what;
    TimePoint since;
  };
  std::map<std::size_t, Request> requests_;
  TimePoint next_ = TimePoint::max();
};

}  // namespace pi_mcp::cli
