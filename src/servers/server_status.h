// What `status` shows of one server. Pure data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::servers {

struct ServerStatus {
  enum class State : std::uint8_t {
    connected,
    connecting,
    cached,
    not_connected,
    failed,
    needs_auth,
    disabled,
    needs_trust,  // of the project, and the user has not allowed it
  };
  std::string name;
  State state = State::not_connected;
  bool is_projects = false;  // defined by a file of the project
  std::size_t tools = 0;
  std::optional<std::int64_t> failed_seconds_ago;
  std::string reason;              // failed, or a configuration problem
  std::vector<std::string> notes;  // what of its lists was left out and why
  std::string login_ends;          // "its login ends in 5 h", while it has to be renewed
  int process_id = 0;
  std::optional<std::int64_t> connected_seconds;
  std::uint64_t restarts = 0;  // connections after the first one
  // Why it failed or ended the last time, also when it works again.
  std::string last_error;
  std::optional<std::int64_t> last_error_seconds_ago;
  bool recovered = false;    // it has started again since, so its run did not end with last_error
  bool wants_login = false;  // last_error is that
};

// "connected", "not connected", ...: as in the details object.
std::string_view state_name(ServerStatus::State state);

}  // namespace pi_mcp::servers
