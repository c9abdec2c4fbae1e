#include "cli/http/replica.h"

#include <utility>

#include "http/url.h"
#include "io/loop/clock.h"

namespace pi_mcp::cli {
namespace {

// In place of a password in the command line, which everybody on the machine can read.
constexpr const char* password_variable = "PI_MCP_STORE_PASSWORD";
// A list of some MiB.
constexpr Milliseconds listing_answer_max{10'000};

Error wants(std::string what) {
  return Error(ErrorCode::invalid_argument, std::move(what));
}

Result<std::string> own_url(std::string_view said) {
  const Result<http::Url> url = http::parse_url(said);
  if (!url || !url->user_info.empty() || url->path != "/" || !url->query.empty()) {
    return fail(
        wants("--advertise wants scheme, host and port by which other replicas reach this "
              "one: http://10.0.0.5:8808"));
  }
  return url->origin();
}

}  // namespace

Result<std::optional<ReplicaOptions>> replica_options(const Setup& setup) {
  const CommandLine& line = setup.line;
  const std::optional<std::string> advertise = line.value(OptionId::advertise);
  const std::optional<std::string> store = line.value(OptionId::store);
  if (!advertise && !store) {
    return std::nullopt;
  }
  if (!advertise) {
    return fail(
        wants("--store wants --advertise as well: the URL by which other replicas reach "
              "this one"));
  }
  if (!line.value(OptionId::session_key)) {
    return fail(
        wants("--advertise wants --session-key as well: the file with the keys that all "
              "replicas have"));
  }
  ReplicaOptions options;
  Result<std::string> url = own_url(*advertise);
  if (!url) {
    return fail(url.error());
  }
  options.own_url = *std::move(url);
  Result<std::optional<replicas::StoreAddress>> address = store_option_of(setup);
  if (!address) {
    return fail(address.error());
  }
  options.address = *std::move(address);
  return std::optional(std::move(options));
}

Result<std::optional<replicas::StoreAddress>> store_option_of(const Setup& setup) {
  const std::optional<std::string> store = setup.line.value(OptionId::store);
  if (!store) {
    return std::optional<replicas::StoreAddress>();
  }
  Result<replicas::StoreAddress> address = replicas::parse_store_address(*store);
  if (!address) {
    return fail(address.error());
  }
  if (address->password.empty()) {
    address->password = setup.environment.variable(password_variable).value_or("");
  }
  return std::optional(*std::move(address));
}

Replica::Replica(const io::Executor& executor,
                 const Setup& setup,
                 const access::SessionKeys& keys,
                 ReplicaOptions options,
                 std::function<void(const std::string& nonce)> lost)
    : own_url_(options.own_url),
      forwarder_(executor, keys, setup.environment.variables),
      routing_(executor, forwarder_) {
  if (options.address) {
    replicas::Redis::Options store{.address = *std::move(options.address),
                                   .environment = setup.environment.variables};
    store_.emplace(executor, store);
    owners_.emplace(
        executor,
        *store_,
        keys,
        replicas::Owners::Options{
            .own_url = own_url_, .age_max = endpoint::ticket_age_max, .lost = std::move(lost)});
    routing_.use(*owners_);
    logins_.emplace(executor, *store_, keys);
    store.answer_max = listing_answer_max;
    store.reply_bytes_max = replicas::StoredListings::reply_bytes_max;
    store.warns = false;
    listing_store_.emplace(executor, std::move(store));
    listings_.emplace(executor, *listing_store_, keys);
  }
}

void Replica::start() {
  if (store_) {
    store_->start();
    listing_store_->start();
    listings_->start();
  }
}

endpoint::Metrics::Replica Replica::figures() const {
  return {.forwarded = routing_.forwarded(),
          .has_store = store_.has_value(),
          .is_store_up = store_ && store_->is_up(),
          .store_waiting = store_ ? store_->waiting() : 0};
}

void Replica::listen_to(endpoint::Sessions::Options& options) {
  options.own_url = own_url_;
  if (owners_) {
    options.begun = [this](const std::string& nonce) {
      owners_->claim(nonce);
    };
    options.forgotten = [this](const std::string& nonce) {
      owners_->release(nonce);
    };
    options.ended = [this](const std::string& nonce) {
      owners_->end(nonce);
    };
  }
}

void Replica::look_at_clock(const endpoint::Sessions& sessions) {
  if (owners_) {
    owners_->look_at_clock(io::now(), [&sessions] { return sessions.nonces(); });
    logins_->look_at_clock(io::now());
  }
}

io::Task<void> Replica::end_routing() {
  co_await routing_.close();
}

io::Task<void> Replica::close() {
  if (owners_) {
    co_await owners_->close();
    co_await logins_->close();
    co_await listings_->close();
    co_await listing_store_->close();
    co_await store_->close();
  }
}

}  // namespace pi_mcp::cli
