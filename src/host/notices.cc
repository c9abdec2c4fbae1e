#include "host/notices.h"

#include <utility>

#include "io/loop/clock.h"

namespace pi_mcp::host {

HostNotices::HostNotices(const io::Executor& executor, Send send)
    : send_(std::move(send)), reports_(executor, "log messages left out", left_out_pause, [this] {
        for (rpc::Outgoing& report : log_.left_out()) {
          send_(std::move(report));
        }
      }) {}

void HostNotices::forward(std::string_view server, json::Value params) {
  if (!begun_) {
    return;
  }
  std::optional<rpc::Outgoing> notification = log_.of_server(server, params, io::now());
  if (log_.has_left_out()) {
    reports_.ask();
  }
  if (notification) {
    send_(*std::move(notification));
  }
}

void HostNotices::forward(const registry::Notice& notice) {
  std::optional<rpc::Outgoing> notification = log_.of_notice(notice);
  if (notification && begun_) {
    send_(*std::move(notification));
  } else if (notification && early_.size() < early_notices_max) {
    early_.push_back(*std::move(notification));
  }
}

void HostNotices::begin() {
  if (std::exchange(begun_, true)) {
    return;
  }
  reports_.start();
  for (rpc::Outgoing& notice : std::exchange(early_, {})) {
    send_(std::move(notice));
  }
}

}  // namespace pi_mcp::host
