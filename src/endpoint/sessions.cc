#include "endpoint/sessions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "io/loop/clock.h"
#include "io/loop/random.h"
#include "mcp/methods.h"

namespace pi_mcp::endpoint {
namespace {

constexpr std::size_t nonce_bytes = 9;
// Between two counts of the calls of so many sessions and more.
constexpr Milliseconds count_pause{50};
constexpr std::size_t counted_at_once_max = 256;

// Of requests that say themselves who asks, of all clients of one principal.
constexpr mcp::ServerSession::Limits stateless_limits{.running_max = 4096,
                                                      .waiting_max = 4096,
                                                      .waiting_bytes_max = std::size_t{64} << 20U,
                                                      .questions_max = 512,
                                                      .early_notices_max = 0,
                                                      .rounds_max = 1024,
                                                      .rounds_bytes_max = std::size_t{64} << 20U,
                                                      .round_max = Milliseconds(10 * 60'000),
                                                      .listens_max = 4096};

// Of questions to a host; a session that was forgotten may have asked before.
std::int64_t first_question() {
  return static_cast<std::int64_t>(io::random_fraction() * (std::int64_t{1} << 51U));
}

constexpr std::string_view state_purpose = "state 1";

// Sealed, so that another replica can tell that one of us has given it out, and which.
std::string new_state(const access::SessionKeys& keys, const std::string& own_url) {
  return keys.seal(state_purpose, io::random_hex(nonce_bytes) + own_url);
}

// Made anew from its id a session is the same to servers that keep a state for it.
gateway::Session::Options session_options(const Place& place, const std::string& key) {
  gateway::Session::Options options;
  options.sharing = {.with_others = true, .scope = key};
  if (place.kind == Place::Kind::server) {
    tool::ThroughOptions through{.server = place.server};
    if (!place.tools.empty()) {
      through.tools.emplace(place.tools.begin(), place.tools.end());
    }
    options.through = std::move(through);
  }
  return options;
}

// A host of 2026-07-28 in front of one server has nothing translated that need not be. At a pipe
// that would cost a second process.
void prefer_newest(config::Settings& settings, const Place& place) {
  for (config::Server& server : settings.servers) {
    if (server.name == place.server && server.url && server.protocol == mcp::Protocol::automatic) {
      server.protocol = mcp::Protocol::newest;
    }
  }
}

std::int64_t seconds_now() {
  return io::epoch_now().value / 1000;
}

}  // namespace

Sessions::Sessions(const io::Executor& executor,
                   gateway::Gateway& gateway,
                   const access::SessionKeys& keys,
                   Options options)
    : executor_(executor),
      gateway_(gateway),
      keys_(keys),
      tickets_(keys),
      options_(std::move(options)),
      shares_(options_.live_max),
      ending_(executor) {}

bool Sessions::exists(const access::Principal& principal, const Place& place) const {
  return place.kind != Place::Kind::server || options_.has_server(principal, place.server);
}

config::Settings Sessions::settings_of(const Entry& entry) const {
  config::Settings settings = options_.settings(*entry.principal);
  if (entry.kind == transport::HttpHost::Kind::stateless) {
    prefer_newest(settings, entry.place);
  }
  return settings;
}

LiveSession* Sessions::open(const PrincipalPtr& principal, const Place& place, Opening opening) {
  if (is_closed_ || (!shares_.may_take(principal->id) && !make_room(principal->id))) {
    return nullptr;
  }
  if (options_.came) {
    options_.came(*principal);
  }
  forget_early();
  if (opening.kind == transport::HttpHost::Kind::session) {
    opened_.push_back(opening.key);
  }
  Entry& entry = live_[opening.key];
  entry.principal = principal;
  entry.place = place;
  entry.kind = opening.kind;
  entry.key = opening.key;
  entry.share.emplace(shares_.take(principal->id));
  // The entry is there as long as messages can reach the session.
  entry.session = std::make_unique<LiveSession>(
      executor_,
      gateway_,
      std::make_unique<transport::HttpHost>(
          executor_, opening.kind, transport::HttpHost::Limits(), options_.answered),
      LiveSession::Making{.session = [this, &entry]() -> gateway::Session& { return made(entry); },
                          .options = [this, &entry] { return options_of(entry); },
                          .holds_server = place.kind == Place::Kind::server},
      std::move(opening.met_before));
  if (!may_sleep(entry)) {
    entry.session->wake();
  }
  return entry.session.get();
}

// Requests that say themselves who asks have one session for many clients.
bool Sessions::may_sleep(const Entry& entry) {
  return entry.kind == transport::HttpHost::Kind::session;
}

gateway::Session& Sessions::made(const Entry& entry) {
  return gateway_.open(
      settings_of(entry), options_.environment, session_options(entry.place, entry.key));
}

host::HostOptions Sessions::options_of(const Entry& entry) const {
  const bool is_stateless = entry.kind == transport::HttpHost::Kind::stateless;
  return {.version = options_.version,
          .on_met = nullptr,
          .last_question = first_question(),
          .limits = is_stateless ? stateless_limits : mcp::ServerSession::Limits(),
          .new_state = [this] {
            return new_state(keys_, options_.own_url);
          }};
}

// Many that only introduce themselves are not kept for as long as a few.
void Sessions::forget_early() {
  if (opened_.size() < options_.light_max) {
    return;
  }
  if (const auto oldest = live_.find(opened_.front()); oldest != live_.end()) {
    LiveSession& session = *oldest->second.session;
    if (session.is_light()) {
      forget(oldest);
    } else if (may_sleep(oldest->second) && session.may_sleep()) {
      put_to_sleep(oldest->second);
    }
  }
  opened_.pop_front();
}

void Sessions::let_sleep(Entry& entry, TimePoint now) {
  if (entry.session->may_sleep() && entry.session->is_tired(now)) {
    put_to_sleep(entry);
  } else if (entry.session->wants_to_hear()) {
    hear_for(entry);
  }
}

// Others hear for it before it does so no more, and have its server.
void Sessions::put_to_sleep(Entry& entry) {
  hear_for(entry);
  if (entry.session->has_server_running()) {
    entry.session->sleepers()->hold_server();
  }
  entry.session->fall_asleep();
}

void Sessions::hear_for(Entry& entry) {
  const std::string key = entry.principal->id + "\n" + entry.place.key() + "\n" +
                          mcp::capabilities_json(entry.session->host().features);
  std::unique_ptr<Sleepers>& sleepers = sleepers_[key];
  if (!sleepers) {
    sleepers = std::make_unique<Sleepers>(executor_, gateway_, made(entry), entry.session->host());
  }
  entry.session->join(*sleepers);
}

io::Task<void> Sessions::end_sleepers(std::unique_ptr<Sleepers> sleepers) {
  co_await sleepers->close();
}

void Sessions::forget_sleepers() {
  for (auto next = sleepers_.begin(); next != sleepers_.end();) {
    const auto each = next++;
    if (each->second->empty()) {
      ending_.spawn("ending a session", end_sleepers(std::move(each->second)), io::log_only);
      sleepers_.erase(each);
    }
  }
}

// Whoever has much makes room for itself and for those who have little.
bool Sessions::make_room(const std::string& principal) {
  if (shares_.has_much(principal)) {
    return forget_oldest_idle([&](const Entry& entry) { return entry.principal->id == principal; });
  }
  return forget_oldest_idle(
             [this](const Entry& entry) { return shares_.has_much(entry.principal->id); }) ||
         forget_oldest_idle([](const Entry& /*entry*/) { return true; });
}

// Those that may be forgotten anyway soon go first.
template <class Which>
bool Sessions::forget_oldest_idle(const Which& which) {
  auto oldest = live_.end();
  for (auto each = live_.begin(); each != live_.end(); ++each) {
    if (which(each->second) && each->second.session->is_idle() &&
        (oldest == live_.end() || each->second.session->used() < oldest->second.session->used())) {
      oldest = each;
    }
  }
  if (oldest == live_.end()) {
    return false;
  }
  forget(oldest);
  return true;
}

Sessions::Begun Sessions::begin(const PrincipalPtr& principal,
                                const Place& place,
                                const mcp::HostInfo& host) {
  const Ticket ticket{.nonce = io::random_hex(nonce_bytes),
                      .principal = principal->id,
                      .place = place.key(),
                      .made = seconds_now(),
                      .host = host};
  LiveSession* const session =
      open(principal, place, {.key = ticket.nonce, .met_before = std::nullopt});
  if (session != nullptr && options_.begun) {
    options_.begun(ticket.nonce);
  }
  return {.id = seal_ticket(keys_, ticket), .session = session};
}

std::optional<std::string> Sessions::nonce_elsewhere(std::string_view id,
                                                     const access::Principal& principal,
                                                     const Place& place) {
  const Ticket* const ticket = valid_ticket(id, principal, place);
  return ticket != nullptr && !live_.contains(ticket->nonce) ? std::optional(ticket->nonce)
                                                             : std::nullopt;
}

std::string Sessions::place_of_state(std::string_view state) const {
  const std::optional<std::string> made = keys_.open(state_purpose, state);
  const std::string url = made ? made->substr(std::min(made->size(), nonce_bytes * 2)) : "";
  return url == options_.own_url ? "" : url;
}

std::vector<std::string> Sessions::nonces() const {
  std::vector<std::string> found;
  for (const auto& [key, entry] : live_) {
    if (entry.kind == transport::HttpHost::Kind::session) {
      found.push_back(key);
    }
  }
  return found;
}

std::vector<PrincipalPtr> Sessions::principals() const {
  std::map<std::string_view, PrincipalPtr> by_id;
  for (const auto& [key, entry] : live_) {
    by_id.try_emplace(entry.principal->id, entry.principal);
  }
  std::vector<PrincipalPtr> found;
  found.reserve(by_id.size());
  for (auto& [id, principal] : by_id) {
    found.push_back(std::move(principal));
  }
  return found;
}

void Sessions::lose(const std::string& nonce) {
  if (const auto live = live_.find(nonce); live != live_.end()) {
    forget(live, Telling::no);
  }
}

const Ticket* Sessions::valid_ticket(std::string_view id,
                                     const access::Principal& principal,
                                     const Place& place) {
  const Ticket* const ticket = tickets_.open(id);
  if (ticket == nullptr || ticket->principal != principal.id || ticket->place != place.key() ||
      seconds_now() - ticket->made > options_.age_max.count() ||
      ended_set_.contains(ticket->nonce)) {
    return nullptr;
  }
  return ticket;
}

std::optional<Sessions::Found> Sessions::find(std::string_view id,
                                              const PrincipalPtr& principal,
                                              const Place& place) {
  const Ticket* const ticket = valid_ticket(id, *principal, place);
  if (ticket == nullptr) {
    return std::nullopt;
  }
  if (const auto live = live_.find(ticket->nonce); live != live_.end()) {
    live->second.principal = principal;  // its token may be a newer one
    return Found{.host = ticket->host, .session = live->second.session.get()};
  }
  return Found{
      .host = ticket->host,
      .session = open(principal, place, {.key = ticket->nonce, .met_before = ticket->host})};
}

LiveSession* Sessions::stateless(const PrincipalPtr& principal,
                                 const Place& place,
                                 const mcp::ClientFeatures& features) {
  // A nonce has no line feed.
  const std::string key =
      principal->id + "\n" + place.key() + "\n" + mcp::capabilities_json(features);
  if (const auto live = live_.find(key); live != live_.end()) {
    live->second.principal = principal;  // its token may be a newer one
    return live->second.session.get();
  }
  return open(principal,
              place,
              {.key = key, .kind = transport::HttpHost::Kind::stateless, .met_before = {}});
}

Sessions::MayCall Sessions::may_call(const access::Principal& principal) {
  const ShareRule rule{.whole = options_.calls_max};
  if (!rule.may_take(calls_.of[principal.id], calls_.total)) {
    count_calls(io::now());
  }
  std::size_t& own = calls_.of[principal.id];
  if (!rule.may_take(own, calls_.total)) {
    return own < rule.little() ? MayCall::busy : MayCall::has_much;
  }
  ++own;
  ++calls_.total;
  return MayCall::yes;
}

// Where there are thousands of sessions, not for each call that is refused.
void Sessions::count_calls(TimePoint now) {
  if (live_.size() > counted_at_once_max && now - calls_.counted < count_pause) {
    return;
  }
  calls_ = {.of = {}, .total = 0, .counted = now};
  for (const auto& [key, entry] : live_) {
    if (const std::size_t under_way = entry.session->link().under_way(); under_way > 0) {
      calls_.of[entry.principal->id] += under_way;
      calls_.total += under_way;
    }
  }
}

bool Sessions::end(std::string_view id, const PrincipalPtr& principal, const Place& place) {
  const Ticket* const ticket = valid_ticket(id, *principal, place);
  if (ticket == nullptr) {
    return false;
  }
  if (ended_.size() >= options_.ended_max) {
    ended_set_.erase(ended_.front());
    ended_.pop_front();
  }
  ended_.push_back(ticket->nonce);
  ended_set_.insert(ticket->nonce);
  lose(ticket->nonce);
  if (options_.ended) {
    options_.ended(ticket->nonce);
  }
  return true;
}

void Sessions::forget(std::map<std::string, Entry>::iterator entry, Telling telling) {
  if (telling == Telling::yes && options_.forgotten &&
      entry->second.kind == transport::HttpHost::Kind::session) {
    options_.forgotten(entry->first);
  }
  std::unique_ptr<LiveSession> session = std::move(entry->second.session);
  session->let_go();
  live_.erase(entry);
  ending_.spawn("ending a session", end_session(std::move(session)), io::log_only);
}

io::Task<void> Sessions::end_session(std::unique_ptr<LiveSession> session) {
  co_await session->end();
}

void Sessions::look_at_clock() {
  const TimePoint now = io::now();
  count_calls(now);
  for (auto next = live_.begin(); next != live_.end();) {
    const auto each = next++;
    each->second.session->link().look_at_clock(now);
    if (each->second.session->may_be_forgotten(now) || !options_.is_good(*each->second.principal)) {
      forget(each);
    } else if (may_sleep(each->second)) {
      let_sleep(each->second, now);
    }
  }
  forget_sleepers();
}

void Sessions::reload() {
  std::set<const Sleepers*> told;
  for (auto& [key, entry] : live_) {
    if (gateway::Session* const session = entry.session->awake()) {
      session->reload(settings_of(entry));
    } else if (Sleepers* const sleepers = entry.session->sleepers();
               sleepers != nullptr && told.insert(sleepers).second) {
      sleepers->session().reload(settings_of(entry));
    }
  }
}

void Sessions::send_away() {
  for (auto& [key, entry] : live_) {
    entry.session->link().send_away();
  }
}

std::size_t Sessions::under_way() const {
  std::size_t count = 0;
  for (const auto& [key, entry] : live_) {
    count += entry.session->link().under_way();
  }
  return count;
}

io::Task<void> Sessions::close() {
  is_closed_ = true;
  while (!live_.empty()) {
    forget(live_.begin());
  }
  forget_sleepers();
  co_await ending_.join();
}

}  // namespace pi_mcp::endpoint
