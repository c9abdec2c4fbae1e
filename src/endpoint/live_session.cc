#include "endpoint/live_session.h"

#include <utility>

#include "io/loop/clock.h"

namespace pi_mcp::endpoint {
namespace {

// Of a session that has done nothing but introduce itself and read lists.
constexpr Milliseconds kept_light{10'000};
// Of one that has used servers; as long as an idle server stays.
constexpr Milliseconds kept_used{30 * 60'000};

// It has used no server but one that is the same for another session, and shown its host nothing
// that has to stay as it is.
bool is_at_rest(gateway::Session& session) {
  if (const tool::Through* const through = session.through()) {
    return through->is_interchangeable();
  }
  return !session.settings().freeze_direct_tools &&
         session.status([](const registry::RegistryEntry& entry) { return entry.was_tried(); })
             .empty();
}

}  // namespace

LiveSession::LiveSession(const io::Executor& executor,
                         gateway::Gateway& gateway,
                         std::unique_ptr<transport::HttpHost> link,
                         Making making,
                         std::optional<mcp::HostInfo> met_before)
    : executor_(executor),
      gateway_(gateway),
      link_(std::move(link)),
      making_(std::move(making)),
      host_(std::move(met_before)),
      used_(io::now()) {
  link_->on_arrival([this] { wake(); });
}

void LiveSession::wake() {
  if (serving_ || is_over_) {
    return;
  }
  leave();
  link_->on_arrival(nullptr);
  serving_ = std::make_unique<Serving>(executor_, making_.session());
  host::HostOptions options = making_.options();
  options.met_before = host_;
  options.on_met = [this](const mcp::HostInfo& host) {
    host_ = host;
    warm_up();
  };
  serving_->tasks.spawn("http session",
                        host::serve_host(link_.get(), &serving_->session, std::move(options)),
                        [this](const std::string& /*what*/) {
                          serving_->tasks.spawn("ending", link_->close(), io::log_only);
                        });
}

// Servers are started once the host is known, because they are told what it can do.
void LiveSession::warm_up() {
  if (!std::exchange(serving_->is_warm, true)) {
    serving_->tasks.spawn("warming up", serving_->session.warm_up(), io::log_only);
  }
}

void LiveSession::let_go() {
  is_over_ = true;
  leave();
}

io::Task<void> LiveSession::end() {
  let_go();
  co_await link_->close();
  if (falling_) {
    co_await falling_->join();
  }
  if (serving_) {
    co_await serving_->tasks.join();
    co_await gateway_.close(&serving_->session);
  }
}

void LiveSession::note_use(TimePoint now, bool lasting) {
  used_ = now;
  lasts_ = lasts_ || lasting;
}

bool LiveSession::is_idle() const {
  return link_->under_way() == 0 && !link_->has_stream();
}

bool LiveSession::may_be_forgotten(TimePoint now) const {
  return is_idle() && now - used_ > (lasts_ || making_.holds_server ? kept_used : kept_light);
}

bool LiveSession::may_sleep() const {
  return serving_ && host_ && !lasts_ && link_->under_way() == 0 && link_->is_empty() &&
         (!falling_ || falling_->running() == 0) && is_at_rest(serving_->session);
}

bool LiveSession::is_tired(TimePoint now) const {
  return now - used_ > kept_light;
}

// What comes meanwhile waits.
void LiveSession::fall_asleep() {
  if (!falling_) {
    falling_ = std::make_unique<io::TaskGroup>(executor_);
  }
  link_->hold(true);
  falling_->spawn("falling asleep", end_serving(), io::log_only);
}

io::Task<void> LiveSession::end_serving() {
  serving_->tasks.cancel();
  co_await serving_->tasks.join();
  co_await gateway_.close(&serving_->session);
  serving_.reset();
  link_->on_arrival([this] { wake(); });
  link_->hold(false);
  if (!link_->is_empty()) {
    wake();
  }
}

void LiveSession::join(Sleepers& sleepers) {
  sleepers_ = &sleepers;
  sleepers_->add(*link_);
}

void LiveSession::leave() {
  if (Sleepers* const sleepers = std::exchange(sleepers_, nullptr)) {
    sleepers->remove(*link_);
  }
}

}  // namespace pi_mcp::endpoint
