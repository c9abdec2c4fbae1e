// The sessions of hosts that come over HTTP. What a session is stands in its id (ticket.h), so only
// those that something is going on in are in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "access/principal.h"
#include "access/session_keys.h"
#include "base/pinned.h"
#include "base/time.h"
#include "config/environment.h"
#include "config/settings.h"
#include "endpoint/live_session.h"
#include "endpoint/place.h"
#include "endpoint/shares.h"
#include "endpoint/sleepers.h"
#include "endpoint/ticket.h"
#include "gateway/gateway.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "mcp/client_features.h"

namespace pi_mcp::endpoint {

using PrincipalPtr = std::shared_ptr<const access::Principal>;

// How long a session's id is good.
constexpr std::chrono::seconds ticket_age_max{24 * 3600};

class Sessions : Pinned {
 public:
  struct Options {
    config::Environment environment;
    // The configuration as this principal sees it.
    std::function<config::Settings(const access::Principal&)> settings;
    // Whether an enabled server of this name is in it; asked for each request.
    std::function<bool(const access::Principal&, const std::string& name)> has_server;
    // Whether one that came before may go on: its token may have been taken from it since.
    std::function<bool(const access::Principal&)> is_good;
    transport::HttpHost::Answered answered;  // of every session; may be null
    std::string version;                     // of this program
    std::size_t live_max = 16'384;           // in memory; of one principal see shares.h
    std::size_t light_max = 256;             // of them those that have only introduced themselves
    std::size_t calls_max = 16'384;          // without an answer, of all; the same
    std::size_t ended_max = 65'536;          // that are remembered as ended
    std::chrono::seconds age_max = ticket_age_max;
    // Where other replicas reach this one; empty: nowhere.
    // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
    std::string own_url = {};
    // Something is kept in memory for it that was not before; may be null.
    std::function<void(const access::Principal&)> came = nullptr;
    // Of sessions that replicas share, by their nonces; may be null.
    std::function<void(const std::string& nonce)> begun = nullptr;
    std::function<void(const std::string& nonce)> forgotten = nullptr;
    std::function<void(const std::string& nonce)> ended = nullptr;
  };
  // `gateway` and `keys` outlive it.
  Sessions(const io::Executor& executor,
           gateway::Gateway& gateway,
           const access::SessionKeys& keys,
           Options options);

  // Whether there is something for this principal.
  [[nodiscard]] bool exists(const access::Principal& principal, const Place& place) const;

  struct Begun {
    std::string id;
    LiveSession* session = nullptr;  // null: as many as there may be have work
  };
  // For an initialize that its session will get.
  Begun begin(const PrincipalPtr& principal, const Place& place, const mcp::HostInfo& host);

  struct Found {
    mcp::HostInfo host;
    LiveSession* session = nullptr;  // null: no room
  };
  // Of revisions with a handshake. nullopt: it was ended, is too old, or belongs to another
  // principal or place, or to nobody.
  std::optional<Found> find(std::string_view id, const PrincipalPtr& principal, const Place& place);
  // For requests that say themselves who asks: there is one for each set of features, because
  // servers with a handshake are told of them once, and nobody is to be asked what it cannot be
  // asked. Null: busy.
  LiveSession* stateless(const PrincipalPtr& principal,
                         const Place& place,
                         const mcp::ClientFeatures& features);
  // The nonce of a session that is good and not in memory here.
  std::optional<std::string> nonce_elsewhere(std::string_view id,
                                             const access::Principal& principal,
                                             const Place& place);
  // Where a call waits that this requestState goes on with; empty: here, or it is none of ours.
  [[nodiscard]] std::string place_of_state(std::string_view state) const;
  // Those that are in memory, and whose they are.
  [[nodiscard]] std::vector<std::string> nonces() const;
  [[nodiscard]] std::vector<PrincipalPtr> principals() const;
  // Another replica holds this session now.
  void lose(const std::string& nonce);
  enum class MayCall : std::uint8_t {
    yes,
    has_much,  // the rest is for others
    busy,      // there are as many calls as there may be
  };
  // Whether it may have one more call under way; then it has.
  MayCall may_call(const access::Principal& principal);
  // It has so much that it may have no more for now; others may.
  [[nodiscard]] bool has_much(const access::Principal& principal) const {
    return shares_.has_much(principal.id);
  }
  // False: there was none.
  bool end(std::string_view id, const PrincipalPtr& principal, const Place& place);

  // Every second or so.
  void look_at_clock();
  // The configuration has changed.
  void reload();
  // Streams end and tell their clients to come back, elsewhere or later.
  void send_away();
  [[nodiscard]] std::size_t under_way() const;
  [[nodiscard]] std::size_t live() const { return live_.size(); }
  [[nodiscard]] std::size_t live_max() const { return options_.live_max; }
  [[nodiscard]] std::size_t calls_max() const { return options_.calls_max; }
  // Must have returned before destruction.
  io::Task<void> close();

 private:
  struct Entry {
    PrincipalPtr principal;
    Place place;
    transport::HttpHost::Kind kind = transport::HttpHost::Kind::session;
    std::string key;  // of live_
    std::unique_ptr<LiveSession> session;
    std::optional<Shares::Taken> share;
  };
  // How many calls each principal has under way, at most: those that have ended since all were
  // counted are still in it.
  struct Calls {
    std::map<std::string, std::size_t> of;
    std::size_t total = 0;
    TimePoint counted;
  };
  struct Opening {
    std::string key;
    transport::HttpHost::Kind kind = transport::HttpHost::Kind::session;
    std::optional<mcp::HostInfo> met_before;  // by a process or a session that forgot it
  };
  // Null: there is no room.
  LiveSession* open(const PrincipalPtr& principal, const Place& place, Opening opening);
  [[nodiscard]] config::Settings settings_of(const Entry& entry) const;
  [[nodiscard]] static bool may_sleep(const Entry& entry);
  gateway::Session& made(const Entry& entry);
  [[nodiscard]] host::HostOptions options_of(const Entry& entry) const;
  bool make_room(const std::string& principal);
  template <class Which>
  bool forget_oldest_idle(const Which& which);
  void count_calls(TimePoint now);
  void forget_early();
  enum class Telling : std::uint8_t { yes, no };
  void forget(std::map<std::string, Entry>::iterator entry, Telling telling = Telling::yes);
  void let_sleep(Entry& entry, TimePoint now);
  void put_to_sleep(Entry& entry);
  void hear_for(Entry& entry);
  void forget_sleepers();
  static io::Task<void> end_sleepers(std::unique_ptr<Sleepers> sleepers);
  io::Task<void> end_session(std::unique_ptr<LiveSession> session);
  // Null: none. Valid until the next call.
  [[nodiscard]] const Ticket* valid_ticket(std::string_view id,
                                           const access::Principal& principal,
                                           const Place& place);

  io::Executor executor_;
  gateway::Gateway& gateway_;
  const access::SessionKeys& keys_;
  TicketReader tickets_;
  Options options_;
  // By the nonce of the ticket, or by what stateless() has been told.
  std::map<std::string, Entry> live_;
  std::map<std::string, std::unique_ptr<Sleepers>> sleepers_;
  Shares shares_;  // of live_
  Calls calls_;
  std::deque<std::string> opened_;  // sessions, the last light_max, oldest first
  std::deque<std::string> ended_;   // oldest first
  std::unordered_set<std::string> ended_set_;
  io::TaskGroup ending_;
  bool is_closed_ = false;  // what comes meanwhile finds no session
};

}  // namespace pi_mcp::endpoint
