#include "io/net/address_check.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "http/proxy.h"
#include "io/loop/with_deadline.h"
#include "io/net/resolve.h"

namespace pi_mcp::io {
namespace {

constexpr Milliseconds lookup_max{2'000};

// Empty: nothing is known.
Task<Result<std::vector<http::Place>>> places_of(http::Url url) {
  const Result<std::vector<Address>> found =
      co_await with_deadline(lookup_max, "looking up a name", resolve(url.host, url.port));
  if (!found && found.error().code() == ErrorCode::cancelled) {
    co_return fail(found.error());
  }
  std::vector<http::Place> places;
  for (const Address& address : found ? *found : std::vector<Address>()) {
    places.push_back(place_of(address));
  }
  co_return places;
}

Task<Result<bool>> is_own_by_name(http::AddressRule rule, http::Place place) {
  for (const std::string& own : rule.own_urls) {
    const Result<http::Url> url = http::parse_url(own);
    if (!url) {
      continue;
    }
    const Result<std::vector<http::Place>> places = co_await places_of(*url);
    if (!places) {
      co_return fail(places.error());
    }
    if (std::ranges::find(*places, place) != places->end()) {
      co_return true;
    }
  }
  co_return false;
}

}  // namespace

Task<Result<void>> check_page(std::string url, PageRule rule) {
  Result<void> checked = http::check_named_url(url, rule.addresses);
  const Result<http::Url> page = http::parse_url(url);
  if (!checked || !page) {
    co_return checked;
  }
  const Result<std::optional<http::Url>> proxy = http::proxy_for(*page, rule.environment);
  if ((proxy && *proxy) || http::is_private_host(rule.addresses, page->host) ||
      http::is_own_origin(rule.addresses, *page)) {
    co_return checked;
  }
  const Result<std::vector<http::Place>> places = co_await places_of(*page);
  if (!places) {
    co_return fail(places.error());
  }
  for (const http::Place place : *places) {
    if (place == http::Place::internet) {
      continue;
    }
    const Result<bool> own = co_await is_own_by_name(rule.addresses, place);
    if (!own || !*own) {
      co_return fail(own ? http::refused_place(*page, place) : own.error());
    }
  }
  co_return Result<void>();
}

}  // namespace pi_mcp::io
