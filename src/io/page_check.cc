#include "io/page_check.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "io/proxy.h"
#include "io/resolve.h"
#include "io/with_deadline.h"

namespace pi_mcp::io {
namespace {

constexpr Milliseconds lookup_max{2'000};

// Empty: nothing is known.
Task<Result<std::vector<Place>>> places_of(Url url) {
  const Result<std::vector<Address>> found =
      co_await with_deadline(lookup_max, "looking up a name", resolve(url.host, url.port));
  if (!found && found.error().code() == ErrorCode::cancelled) {
    co_return fail(found.error());
  }
  std::vector<Place> places;
  for (const Address& address : found ? *found : std::vector<Address>()) {
    places.push_back(place_of(address));
  }
  co_return places;
}

Task<Result<bool>> is_own_by_name(AddressRule rule, Place place) {
  for (const std::string& own : rule.own_urls) {
    const Result<Url> url = parse_url(own);
    if (!url) {
      continue;
    }
    const Result<std::vector<Place>> places = co_await places_of(*url);
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
  Result<void> checked = check_named_url(url, rule.addresses);
  const Result<Url> page = parse_url(url);
  if (!checked || !page) {
    co_return checked;
  }
  const Result<std::optional<Url>> proxy = proxy_for(*page, rule.environment);
  if ((proxy && *proxy) || is_private_host(rule.addresses, page->host) ||
      is_own_origin(rule.addresses, *page)) {
    co_return checked;
  }
  const Result<std::vector<Place>> places = co_await places_of(*page);
  if (!places) {
    co_return fail(places.error());
  }
  for (const Place place : *places) {
    if (place == Place::internet) {
      continue;
    }
    const Result<bool> own = co_await is_own_by_name(rule.addresses, place);
    if (!own || !*own) {
      co_return fail(own ? refused_place(*page, place) : own.error());
    }
  }
  co_return Result<void>();
}

}  // namespace pi_mcp::io
