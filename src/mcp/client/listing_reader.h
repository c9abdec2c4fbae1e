// What one server offers: its lists, read at the start, again when it says that they have changed,
// and when they are older than it says they are good for. Pure: no I/O; time is an argument.
#pragma once

#include <array>
#include <bitset>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/rate.h"
#include "base/result.h"
#include "base/time.h"
#include "mcp/client/actions.h"
#include "mcp/client/in_flight.h"
#include "mcp/client_session.h"
#include "mcp/header_params.h"
#include "mcp/lists.h"
#include "mcp/revisions.h"
#include "rpc/call_table.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

class ListingReader {
 public:
  struct Options {
    bool has_headers = false;  // of its requests, where the revision wants any
    rpc::CallTimes times;      // of one page; of all lists that are read together
    // After list_changed, so that a burst of them costs one look.
    Milliseconds changed_pause{50};
    // So often a server is asked again because it says that they have changed.
    RateLimits changes{.burst = 10, .interval = Milliseconds(1000)};
    // A list counts as good for so long whatever the server says: what is used all the time must
    // not be asked for all the time.
    Milliseconds fresh_min{5000};
    // So often all lists are read again for a name that is in none of them: the server may be a
    // newer one that cannot tell, as over HTTP without a session.
    Milliseconds unknown_pause{60'000};
  };
  // `outbox` and `in_flight` outlive this.
  ListingReader(Options options, Outbox* outbox, InFlight* in_flight)
      : options_(options), outbox_(outbox), in_flight_(in_flight), changes_(options.changes) {}

  // For whom all lists are read: somebody outside, or one of the calls under way.
  struct Waiter {
    Refreshed refreshed;
    rpc::CallNumber rounds = 0;
  };

  // Reads all lists. Without its tools a server is of no use; the other lists may fail.
  void start(const ServerDescription& server,
             const RevisionTraits& traits,
             std::optional<Era> era,
             TimePoint now);
  // Reads all lists again, at the next on_time(): simultaneous callers share one look.
  void refresh(Waiter waiter, TimePoint now);
  // Somebody looks for what is in no list. `waiter` waits for lists that are on their way; if there
  // are none and it is time for that, all are read again. False: neither, and it does not wait.
  bool look_for_unknown(Waiter waiter, TimePoint now);
  void on_changed(ListKind list, TimePoint now);
  // Nobody told what has changed.
  void on_all_changed(TimePoint now);
  // Somebody looks at what the server offers: stale lists are read again.
  void note_use(TimePoint now);
  void on_time(TimePoint now);
  // An answer to a request for InFlight::Part::list.
  void on_page(ListKind list, Result<rpc::Message> answer, TimePoint now);
  // There is no link any more: pages that are under way fail, and nothing is read again.
  void on_end() { has_ended_ = true; }

  // To be asked for after each of the calls above. A reading is over; then listing() is what it
  // gave. Who has waited for it is to hear of it, then on_time() goes on.
  struct Outcome {
    Result<void> result;
    std::vector<Waiter> waiting;
    bool is_first = false;
    ChangedLists said = {};  // see action::ListingChanged
  };
  std::optional<Outcome> take_outcome() { return std::exchange(outcome_, std::nullopt); }
  // Those who wait for a reading that will never be.
  std::vector<Waiter> take_waiting() { return std::exchange(waiting_, {}); }

  [[nodiscard]] const Listing& listing() const { return listing_; }
  [[nodiscard]] std::uint64_t revision() const { return listing_revision_; }
  [[nodiscard]] bool has_stale(TimePoint now) const { return stale(now).any(); }
  // Those of the tool that a request calls.
  [[nodiscard]] const std::vector<HeaderParam>& header_params_of(const rpc::Message& request) const;
  // Whether it calls a tool that runs only as a task (2025-11-25).
  [[nodiscard]] bool wants_task(std::string_view method, const SharedText& params) const;
  [[nodiscard]] bool has_task_tools() const { return !task_tools_.empty(); }
  [[nodiscard]] TimePoint next_wake() const;

 private:
  static constexpr std::size_t list_count = 4;
  using ListSet = std::bitset<list_count>;  // by ListKind

  // One list on its way in, page by page.
  struct Fetch {
    ListKind list = ListKind::tools;
    TimePoint began;
    Pager pager;
    Listing listing = {};
    rpc::CallNumber page = 0;  // whose request is under way
    bool more = true;
    std::optional<Error> error = std::nullopt;  // then `more` is false
  };
  struct Reading {
    bool is_first = false;
    std::vector<Waiter> waiting;
    TimePoint deadline;
    std::size_t bytes = 0;  // of all lists
    // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
    std::vector<Fetch> fetches = {};
    std::size_t under_way = 0;  // pages
  };

  void advance(TimePoint now);
  void begin(ListSet wanted, TimePoint now);
  void note(log::Level level, std::string text);
  void begin_pages(TimePoint now);
  void end_pages(TimePoint now);
  Result<void> keep(Fetch& fetch, TimePoint now);
  void finish(Result<void> result);
  void rebuild();
  void read_header_params();
  void read_task_tools();
  [[nodiscard]] bool has(ListKind list) const;
  [[nodiscard]] bool may_begin() const;
  [[nodiscard]] ListSet stale(TimePoint now) const;

  Options options_;
  Outbox* outbox_;
  InFlight* in_flight_;
  const RevisionTraits* traits_ = nullptr;  // null: not started
  ServerCapabilities capabilities_;
  std::string instructions_;
  std::string title_;
  std::optional<Era> era_;
  bool has_ended_ = false;

  std::array<Listing, list_count> lists_;  // what each list gave last
  std::array<TimePoint, list_count> fresh_until_{};
  Listing listing_;  // all of them together
  std::uint64_t listing_revision_ = 0;
  // By the name of the tool; only those that have any.
  std::unordered_map<std::string, std::vector<HeaderParam>> header_params_;

  std::unordered_set<std::string> task_tools_;  // execution.taskSupport: required

  ListSet changed_;    // the server says so, and we have not looked yet
  ChangedLists said_;  // the same, until that was told
  Rate changes_;
  std::vector<Waiter> waiting_;         // for the next reading
  std::optional<TimePoint> wanted_at_;  // of all lists, and not begun
  std::optional<TimePoint> due_;        // to look at what has changed
  TimePoint next_unknown_;              // see unknown_pause
  std::optional<Reading> reading_;

  std::optional<Outcome> outcome_;
};

}  // namespace pi_mcp::mcp
