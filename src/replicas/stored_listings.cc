#include "replicas/stored_listings.h"

#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "io/loop/clock.h"

namespace pi_mcp::replicas {
namespace {

constexpr std::string_view listing_prefix = "pi-mcp:1:listing:";

std::string purpose_of(std::string_view id) {
  return "listing 1 " + std::string(id);
}

std::string key_of(std::string_view id) {
  return std::string(listing_prefix) + std::string(id);
}

// One more has room in it.
template <class Value>
void make_room(std::map<std::string, Value>& remembered) {
  if (remembered.size() >= StoredListings::remembered_max) {
    remembered.erase(remembered.begin());
  }
}

}  // namespace

// Each part as a digest, so that no two names have the same text.
std::string listing_id(const catalog::ListingName& name) {
  std::string all;
  for (const std::string* part : {&name.principal, &name.server, &name.identity, &name.declared}) {
    all += sha256_hex(*part);
  }
  return sha256_hex(all);
}

std::string sealed_listing(const access::SessionKeys& keys,
                           const catalog::ListingName& name,
                           std::string_view text) {
  return keys.seal(purpose_of(listing_id(name)), text, catalog::shared_listing_bytes_max);
}

std::optional<std::string> opened_listing(const access::SessionKeys& keys,
                                          const catalog::ListingName& name,
                                          std::string_view sealed) {
  return keys.open(purpose_of(listing_id(name)), sealed, catalog::shared_listing_bytes_max);
}

StoredListings::StoredListings(const io::Executor& executor,
                               Redis& store,
                               const access::SessionKeys& keys)
    : store_(store), keys_(keys), changed_(executor), settled_(executor), tasks_(executor) {}

void StoredListings::start() {
  tasks_.spawn("lists of replicas", run(), io::log_only);
}

void StoredListings::offer(catalog::ListingName name, std::string text, std::string content) {
  if (text.size() > catalog::shared_listing_bytes_max) {
    log::info(name.server + ": what it lists is too much to be told to other replicas");
    return;
  }
  if (const auto before = offers_.find(name); before != offers_.end()) {
    offered_bytes_ -= before->second.text.size();
    offers_.erase(before);
  }
  if (offers_.size() >= waiting_max || offered_bytes_ + text.size() > offered_bytes_max) {
    return;
  }
  offered_bytes_ += text.size();
  offers_.emplace(std::move(name), Offer{.text = std::move(text), .content = std::move(content)});
  changed_.notify_all();
}

void StoredListings::want(catalog::ListingName name, Got got) {
  const std::string id = listing_id(name);
  const TimePoint now = io::now();
  const auto asked = asked_.find(id);
  const bool is_early = asked != asked_.end() && now - asked->second < ask_pause;
  if (is_early || wants_.size() >= waiting_max || !store_.may_answer()) {
    return;
  }
  make_room(asked_);
  asked_.insert_or_assign(id, now);
  wants_.emplace_back(std::move(name), std::move(got));
  changed_.notify_all();
}

io::Task<void> StoredListings::settle(TimePoint deadline) {
  while (is_asking_ || !wants_.empty()) {
    if (co_await settled_.wait_until(deadline) != io::Wake::notified) {
      co_return;
    }
  }
}

// What is wanted goes first: somebody may be searching.
io::Task<void> StoredListings::run() {
  for (;;) {
    if (!wants_.empty()) {
      auto [name, got] = std::move(wants_.front());
      wants_.pop_front();
      is_asking_ = true;
      co_await ask(std::move(name), std::move(got));
      is_asking_ = false;
      settled_.notify_all();
    } else if (!offers_.empty()) {
      auto first = offers_.extract(offers_.begin());
      offered_bytes_ -= first.mapped().text.size();
      co_await tell(std::move(first.key()), std::move(first.mapped()));
    } else if (co_await changed_.wait() == io::Wake::cancelled) {
      co_return;
    }
  }
}

// One that has not changed is only kept longer, where the store still has it.
io::Task<void> StoredListings::tell(catalog::ListingName name, Offer offer) {
  const std::string id = listing_id(name);
  const std::string seconds = std::to_string(listing_age_max.count());
  if (const auto told = told_.find(id); told != told_.end() && told->second == offer.content) {
    const Result<RedisReply> kept =
        co_await store_.ask(redis_command({"EXPIRE", key_of(id), seconds}));
    if (!kept || (kept->kind == RedisReply::Kind::number && kept->number == 1)) {
      co_return;
    }
  }
  const std::string sealed = sealed_listing(keys_, name, offer.text);
  const Result<RedisReply> reply =
      co_await store_.ask(redis_command({"SET", key_of(id), sealed, "EX", seconds}));
  if (!reply) {
    log::info(name.server +
              ": other replicas are not told what it lists: " + reply.error().message());
    told_.erase(id);
    co_return;
  }
  make_room(told_);
  told_.insert_or_assign(id, std::move(offer.content));
}

io::Task<void> StoredListings::ask(catalog::ListingName name, Got got) {
  const std::string id = listing_id(name);
  const Result<RedisReply> reply = co_await store_.ask(redis_command({"GET", key_of(id)}));
  if (!reply || reply->text.empty()) {
    co_return;
  }
  const std::optional<std::string> text = opened_listing(keys_, name, reply->text);
  if (!text) {
    log::warning(store_.name() + " has something for the lists of " + name.server +
                 " that none with these session keys has put there; it is not used");
    co_return;
  }
  got(*text);
}

io::Task<void> StoredListings::close() {
  tasks_.cancel();
  co_await tasks_.join();
}

}  // namespace pi_mcp::replicas
