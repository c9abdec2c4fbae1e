#include "registry/lifecycle_notices.h"

namespace pi_mcp::registry {

std::optional<Notice> LifecycleNotices::ready(std::string_view server, TimePoint now) {
  ready_since_ = now;
  if (told_ != Told::end) {
    return std::nullopt;
  }
  told_ = Told::back;
  return Notice{.level = LogLevel::info, .text = "MCP: " + std::string(server) + " is back"};
}

std::optional<Notice> LifecycleNotices::ended(std::string_view server,
                                              std::string_view reason,
                                              TimePoint now) {
  if (ready_since_ && now - *ready_since_ >= stable_after_) {
    told_ = Told::nothing;
  }
  if (told_ == Told::end || told_ == Told::repeated) {
    return std::nullopt;
  }
  const bool again = told_ == Told::back;
  told_ = again ? Told::repeated : Told::end;
  return Notice{
      .level = LogLevel::warning,
      .text = "MCP: " + std::string(server) + (again ? " ended again (" : " ended (") +
              std::string(reason) +
              (again ? "); it is tried again after growing delays" : ") and is started again")};
}

}  // namespace pi_mcp::registry
