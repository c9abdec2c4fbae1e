#include "access/key_fetch.h"

#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "auth/metadata.h"
#include "base/log.h"
#include "base/text.h"
#include "http/address_rule.h"
#include "io/loop/clock.h"
#include "json/document.h"

namespace pi_mcp::access {
namespace {

constexpr int ok = 200;
constexpr std::uint32_t depth_max = 32;

// Where the keys are, by the issuer's metadata (RFC 8414 section 2, OpenID Connect Discovery 1.0).
Result<std::string> key_address(const http::Answer& metadata, const std::string& issuer) {
  const Result<json::Document> document = json::Document::parse_view(
      metadata.body, {.depth_max = depth_max, .bytes_max = auth::document_bytes_max});
  const json::Value root = document ? document->root() : json::Value();
  if (!root.is_object()) {
    return fail(ErrorCode::protocol, "its metadata is no JSON object");
  }
  // RFC 8414 section 3.3: else one server could speak for another.
  if (!root.find("issuer").equals(issuer)) {
    return fail(ErrorCode::protocol,
                "its metadata says that its issuer is \"" +
                    text::printable_line(root.find("issuer").string_or("")) + "\"");
  }
  std::string address = root.find("jwks_uri").string_or("");
  if (address.empty()) {
    return fail(ErrorCode::protocol, "its metadata names no jwks_uri");
  }
  return address;
}

io::HttpClientOptions client_options(const std::map<std::string, std::string>& environment) {
  io::HttpClientOptions options;
  options.environment = environment;
  return options;
}

}  // namespace

struct KeyFetch::Fetched {
  KeySet keys;
  std::optional<Milliseconds> fresh;
};

std::optional<Milliseconds> freshness(const http::Head& head) {
  constexpr std::string_view name = "max-age=";
  for (const std::string_view header : head.find_all("cache-control")) {
    for (const std::string_view part : text::split(header, ',')) {
      const std::string directive = text::lower(text::trim(part));
      if (directive == "no-store" || directive == "no-cache") {
        return Milliseconds(0);
      }
      std::uint32_t seconds = 0;
      const char* const end = directive.data() + directive.size();
      if (!directive.starts_with(name)) {
        continue;
      }
      const auto read = std::from_chars(directive.data() + name.size(), end, seconds);
      if (read.ec == std::errc() && read.ptr == end) {
        return std::chrono::seconds(seconds);
      }
    }
  }
  return std::nullopt;
}

KeyFetch::KeyFetch(const io::Executor& executor,
                   std::map<std::string, KeyCache, std::less<>>& caches,
                   Options options)
    : caches_(caches),
      options_(std::move(options)),
      client_(executor, client_options(options_.environment)),
      changed_(executor),
      tasks_(executor) {
  for (const auto& [issuer, cache] : caches) {
    first_left_.insert(issuer);
  }
}

void KeyFetch::start() {
  for (auto& [issuer, cache] : caches_) {
    begin(issuer, &cache);
  }
}

void KeyFetch::begin(const std::string& issuer, KeyCache* cache) {
  // Those who wait for this fetch would do so for ever.
  const auto again = [this, issuer, cache](const std::string& what) {
    end_fetch(issuer, cache, fail(ErrorCode::unavailable, io::escaped_text(what)));
    begin(issuer, cache);
  };
  tasks_.spawn("keys of an issuer", keep(issuer, cache), again);
}

io::Task<void> KeyFetch::first() {
  io::Wake wake = io::Wake::notified;
  while (!first_left_.empty() && wake != io::Wake::cancelled) {
    wake = co_await changed_.wait();
  }
}

io::Task<void> KeyFetch::stop() {
  tasks_.cancel();
  co_await tasks_.join();
}

io::Task<void> KeyFetch::keep(std::string issuer, KeyCache* cache) {
  for (;;) {
    while (cache->due() > io::now()) {
      if (co_await changed_.wait_until(cache->due()) == io::Wake::cancelled) {
        co_return;
      }
    }
    cache->begin();
    Result<Fetched> fetched = co_await fetch(issuer);
    if (!fetched && fetched.error().code() == ErrorCode::cancelled) {
      co_return;
    }
    end_fetch(issuer, cache, std::move(fetched));
  }
}

void KeyFetch::end_fetch(const std::string& issuer, KeyCache* cache, Result<Fetched> fetched) {
  tell(issuer, fetched ? "" : fetched.error().message());
  if (fetched) {
    cache->succeed(std::move(fetched->keys), fetched->fresh, io::now());
  } else {
    cache->fail(io::now());
  }
  first_left_.erase(issuer);
  changed_.notify_all();
  options_.fetched();
}

// A failure that goes on is said once.
void KeyFetch::tell(const std::string& issuer, const std::string& failure) {
  std::string& said = said_[issuer];
  if (!failure.empty() && failure != said) {
    log::warning("the keys of the authorization server " + issuer + " cannot be had: " + failure +
                 "; its tokens are refused where no earlier keys are known");
  } else if (failure.empty() && !said.empty()) {
    log::warning("the keys of the authorization server " + issuer + " are there again");
  }
  said = failure;
}

io::Task<Result<http::Answer>> KeyFetch::get(http::Request request, TimePoint deadline) {
  const auto left = std::chrono::ceil<Milliseconds>(deadline - io::now());
  if (left <= Milliseconds(0)) {
    co_return fail(ErrorCode::timed_out, "not done in time");
  }
  co_return co_await client_.fetch(std::move(request), left, key_set_bytes_max);
}

io::Task<Result<KeyFetch::Fetched>> KeyFetch::fetch(std::string issuer) {
  const TimePoint deadline = io::now() + options_.fetch_max;
  // What the user has written is trusted; where its metadata leads is not.
  const auto named = std::make_shared<const http::AddressRule>(
      http::AddressRule{.own_urls = {issuer}, .private_hosts = options_.private_hosts});
  const Result<std::vector<std::string>> places = auth::server_metadata_urls(issuer);
  if (!places) {
    co_return fail(places.error());
  }
  Result<std::string> address = fail(ErrorCode::protocol, "it has no metadata");
  for (const std::string& place : *places) {
    const Result<http::Answer> metadata = co_await get(auth::metadata_request(place, ""), deadline);
    if (!metadata) {
      co_return fail(metadata.error());
    }
    if (metadata->head.status == ok && !auth::has_no_document(*metadata)) {
      address = key_address(*metadata, issuer);
      break;
    }
    if (!auth::has_no_document(*metadata)) {
      co_return fail(ErrorCode::protocol,
                     "it answered " + std::to_string(metadata->head.status) +
                         " to the request for its metadata");
    }
  }
  if (!address) {
    co_return fail(address.error());
  }
  http::Request request = auth::metadata_request(*address, "");
  request.named_under = named;
  const Result<http::Answer> answer = co_await get(std::move(request), deadline);
  if (!answer) {
    co_return fail(answer.error());
  }
  if (answer->head.status != ok) {
    co_return fail(
        ErrorCode::protocol,
        "it answered " + std::to_string(answer->head.status) + " to the request for its keys");
  }
  Result<KeySet> keys = KeySet::parse(answer->body);
  if (!keys) {
    co_return fail(keys.error());
  }
  co_return Fetched{.keys = *std::move(keys), .fresh = freshness(answer->head)};
}

}  // namespace pi_mcp::access
