// What a person reads about a link that ended or does not answer. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace pi_mcp::mcp {

// "250 ms", "60 s", "5 min", "1 h".
std::string duration_text(Duration duration);

// How a link ended.
struct LinkEnd {
  std::string reason;      // "exited with status 1"; empty: not known
  std::string last_words;  // of a child on its stderr, in one line
  bool is_wanted = false;  // somebody has ended it, although calls were under way
};

// "exited with status 1 during initialize; stderr: Error: GITHUB_TOKEN is required". `when` is
// "during initialize" and the like.
std::string ended_text(const LinkEnd& end, std::string_view when);

// A request that was not answered in time.
struct Overdue {
  std::string_view method;
  Duration limit;           // the one that passed
  bool total = false;       // although something was heard of it
  std::string preparation;  // what was still done before the server itself; empty: nothing
};
struct OverdueText {
  std::string reason;
  std::string advice;  // which setting gives it more time
};
OverdueText overdue_text(const Overdue& overdue);

// Whether a program that is no server sends our own first request back, as cat does, and what to
// say of it.
bool is_echo(std::string_view method);
Error echo_error();

}  // namespace pi_mcp::mcp
