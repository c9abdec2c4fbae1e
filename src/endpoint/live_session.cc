#include "endpoint/live_session.h"

#include <utility>

#include "io/loop/clock.h"

namespace pi_mcp::endpoint {
namespace {

// Of a session that has done nothing but introduce itself and read lists.
constexpr Milliseconds kept_light{10'000};
// Of one that has used servers; as long as an idle server stays.
constexpr Milliseconds kept_used{30 * 60'000};

}  // namespace

LiveSession::LiveSession(const io::Executor& executor,
                         gateway::Gateway& gateway,
                         gateway::Session& session,
                         std::unique_ptr<transport::HttpHost> link)
    : gateway_(gateway),
      session_(session),
      link_(std::move(link)),
      tasks_(executor),
      used_(io::now()) {}

void LiveSession::start(host::HostOptions options) {
  options.on_met = [this](const mcp::HostInfo& /*host*/) {
    warm_up();
  };
  tasks_.spawn("http session",
               host::serve_host(link_.get(), &session_, std::move(options)),
               [this](const std::string& /*what*/) {
                 tasks_.spawn("ending", link_->close(), io::log_only);
               });
}

// Servers are started once the host is known, because they are told what it can do.
void LiveSession::warm_up() {
  if (!std::exchange(is_warm_, true)) {
    tasks_.spawn("warming up", session_.warm_up(), io::log_only);
  }
}

io::Task<void> LiveSession::end() {
  co_await link_->close();
  co_await tasks_.join();
  co_await gateway_.close(&session_);
}

void LiveSession::note_use(TimePoint now, bool lasting) {
  used_ = now;
  lasts_ = lasts_ || lasting;
}

bool LiveSession::is_idle() const {
  return link_->under_way() == 0 && !link_->has_stream();
}

bool LiveSession::may_be_forgotten(TimePoint now) const {
  return is_idle() && now - used_ > (lasts_ ? kept_used : kept_light);
}

}  // namespace pi_mcp::endpoint
