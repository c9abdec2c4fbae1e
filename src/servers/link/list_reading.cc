// The part of LiveConnection that reads the server's lists, first at the start and again when the
// server says that they have changed.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "io/loop/clock.h"
#include "io/loop/sleep.h"
#include "servers/link/live_connection.h"

namespace pi_mcp::servers {

// One list on its way in, page by page.
struct LiveConnection::ListFetch {
  // `bytes` is counted by all lists that are read together.
  ListFetch(mcp::ListKind list, std::size_t* bytes) : kind(list), pager(list, {.bytes = bytes}) {}

  mcp::ListKind kind;
  TimePoint began = io::now();
  mcp::Pager pager;
  mcp::Listing listing;
  std::unique_ptr<Pending> page;  // while its request is under way
  bool more = true;
  std::optional<Error> error;  // then `more` is false
};

Result<void> LiveConnection::begin_page(ListFetch& fetch, rpc::CallTimes times) {
  fetch.page = std::make_unique<Pending>(this);
  fetch.page->method = mcp::list_method(fetch.kind);
  return begin(*fetch.page, fetch.pager.params(), times);
}

io::Task<void> LiveConnection::finish_page(ListFetch* fetch) {
  const Result<rpc::Message> answer = co_await fetch->page->answer.wait();
  fetch->page.reset();  // tells the server if there is no answer
  fetch->more = false;
  if (!answer) {
    fetch->error = answer.error();
    co_return;
  }
  Result<bool> more = fetch->pager.take(*answer, fetch->listing);
  if (!more) {
    fetch->error = std::move(more).error().while_doing(mcp::list_method(fetch->kind));
    co_return;
  }
  fetch->more = *more;
}

// All wanted lists that the server has, side by side. Without its tools a server is of no use; the
// other lists may fail.
io::Task<Result<void>> LiveConnection::read_lists(ListSet wanted, rpc::CallTimes times) {
  std::size_t bytes = 0;
  std::vector<std::unique_ptr<ListFetch>> fetches;
  for (const auto kind : {mcp::ListKind::tools, mcp::ListKind::resources, mcp::ListKind::prompts}) {
    if (wanted.test(static_cast<std::size_t>(kind)) &&
        mcp::has_list(opening_.server().capabilities, kind)) {
      fetches.push_back(std::make_unique<ListFetch>(kind, &bytes));
    }
  }
  const TimePoint deadline = io::now() + times.total_max;
  while (!fetches.empty()) {
    times.total_max = deadline - io::now();
    for (const auto& fetch : fetches) {
      const Result<void> begun = begin_page(*fetch, times);
      if (!begun) {
        co_return fail(co_await reason_not_sent(fetch->page->method, begun.error()));
      }
    }
    for (const auto& fetch : fetches) {
      co_await finish_page(fetch.get());
    }
    for (auto fetch = fetches.begin(); fetch != fetches.end();) {
      if ((*fetch)->more) {
        ++fetch;
        continue;
      }
      Result<void> kept = keep_list(**fetch);
      if (!kept) {
        co_return kept;
      }
      fetch = fetches.erase(fetch);
    }
  }
  co_return Result<void>();
}

Result<void> LiveConnection::keep_list(ListFetch& fetch) {
  if (fetch.error) {
    const bool ended = phase_ == Phase::ended || fetch.error->code() == ErrorCode::cancelled;
    if (ended || fetch.kind == mcp::ListKind::tools) {
      return fail(*std::move(fetch.error));
    }
    log::info("server " + options_.server + ": " + fetch.error->message());
    constexpr Milliseconds pause{60'000};
    fresh_until_.at(static_cast<std::size_t>(fetch.kind)) = io::now() + pause;
    return {};  // what was known of it stays
  }
  if (!fetch.pager.warning().empty()) {
    log::warning("server " + options_.server + ": " + fetch.pager.warning());
  }
  const auto list = static_cast<std::size_t>(fetch.kind);
  const Milliseconds ttl = fetch.listing.caching.value_or(mcp::Caching{}).ttl;
  fresh_until_.at(list) = fetch.began + std::max(ttl, options_.list_fresh_min);
  lists_.at(list) = std::move(fetch.listing);
  return {};
}

// Servers of earlier revisions tell when a list has changed, and nothing else.
LiveConnection::ListSet LiveConnection::stale_lists() const {
  ListSet stale;
  if (!is_open() || !traits().lists_have_ttl) {
    return stale;
  }
  const TimePoint now = io::now();
  for (const auto kind : {mcp::ListKind::tools, mcp::ListKind::resources, mcp::ListKind::prompts}) {
    const auto list = static_cast<std::size_t>(kind);
    stale.set(list,
              mcp::has_list(opening_.server().capabilities, kind) && now >= fresh_until_.at(list));
  }
  return stale;
}

void LiveConnection::note_use() {
  const ListSet stale = stale_lists();
  if (stale.none()) {
    return;
  }
  for (std::size_t list = 0; list < list_count; ++list) {
    if (stale.test(list)) {  // until that is done, or the server refuses
      fresh_until_.at(list) = io::now() + options_.list_fresh_min;
    }
  }
  changed_ |= stale;
  list_changed_.notify_all();
}

void LiveConnection::rebuild_listing() {
  read_header_params();
  ++listing_revision_;
  listing_ = lists_.at(static_cast<std::size_t>(mcp::ListKind::tools));
  const mcp::Listing& resources = lists_.at(static_cast<std::size_t>(mcp::ListKind::resources));
  const mcp::Listing& prompts = lists_.at(static_cast<std::size_t>(mcp::ListKind::prompts));
  listing_.resources = resources.resources;
  listing_.prompts = prompts.prompts;
  listing_.skipped += resources.skipped + prompts.skipped;
  for (const mcp::Listing* const list : {&resources, &prompts}) {
    listing_.notes.insert(listing_.notes.end(), list->notes.begin(), list->notes.end());
  }
  listing_.instructions = opening_.server().instructions;
  listing_.caching.reset();
  for (const mcp::Listing& list : lists_) {
    if (list.caching && traits().lists_have_ttl) {
      listing_.caching =
          listing_.caching ? mcp::narrower(*listing_.caching, *list.caching) : list.caching;
    }
  }
}

io::Task<Result<void>> LiveConnection::refresh() {
  const CountedCall counted(options_.on_call);
  if (!is_open()) {
    co_return fail(ErrorCode::io, "the server is being stopped");
  }
  if (!refresh_) {
    refresh_ = std::make_shared<Refresh>(co_await boost::asio::this_coro::executor);
    list_changed_.notify_all();
  }
  const std::shared_ptr<Refresh> shared = refresh_;
  while (!shared->result) {
    const io::Wake wake = co_await shared->ended.wait();  // bounded by the reading of the lists
    if (wake == io::Wake::cancelled) {
      co_return fail(ErrorCode::cancelled, "cancelled");
    }
  }
  co_return *shared->result;
}

void LiveConnection::settle(const std::shared_ptr<Refresh>& refresh, Result<void> result) {
  if (refresh) {
    refresh->result = std::move(result);
    refresh->ended.notify_all();
  }
}

io::Task<void> LiveConnection::follow_list_changes() {
  bool goes_on = true;
  while (goes_on) {
    goes_on = co_await follow_once();
  }
  settle(std::exchange(refresh_, nullptr), fail(ErrorCode::io, "the server is being stopped"));
}

// False: cancelled.
io::Task<bool> LiveConnection::wait_for_list_change() {
  while (changed_.none() && !refresh_) {
    const io::Wake wake = co_await list_changed_.wait();
    if (wake == io::Wake::cancelled) {
      co_return false;
    }
  }
  if (refresh_) {
    co_return true;
  }
  const TimePoint now = io::now();
  const TimePoint due = std::max(now + options_.list_changed_pause, list_changes_.next(now));
  auto wake = io::Wake::notified;
  while (!refresh_ && wake == io::Wake::notified) {  // more changes make no difference
    wake = co_await list_changed_.wait_until(due);
  }
  (void)list_changes_.take(due);
  co_return wake != io::Wake::cancelled;
}

// False: the connection is at its end.
io::Task<bool> LiveConnection::follow_once() {
  const bool has_work = co_await wait_for_list_change();
  if (!has_work) {
    co_return false;
  }
  const std::shared_ptr<Refresh> refresh = reading_for_ = std::exchange(refresh_, nullptr);
  const ListSet changed = std::exchange(changed_, ListSet());
  Result<void> read = co_await read_lists(refresh ? ListSet().set() : changed, list_times());
  if (!read && read.error().code() == ErrorCode::cancelled) {
    settle(refresh, fail(ErrorCode::io, "the server is being stopped"));
    co_return false;
  }
  if (read) {
    rebuild_listing();
    if (events_.listing_changed) {
      events_.listing_changed(listing_);
    }
  } else if (!refresh && phase_ != Phase::ended) {
    log::warning("server " + options_.server + ": its lists changed, but reading them failed: " +
                 read.error().message() + "; the old ones stay");
  }
  reading_for_.reset();
  settle(refresh, std::move(read));
  co_return phase_ != Phase::ended;
}

}  // namespace pi_mcp::servers
