#include "endpoint/place.h"

#include <algorithm>
#include <array>
#include <utility>

#include "access/oauth_rules.h"
#include "base/text.h"
#include "http/form.h"

namespace pi_mcp::endpoint {
namespace {

constexpr std::string_view servers_prefix = "/servers/";
constexpr std::string_view sign_in_prefix = access::OAuthRules::metadata_path;
constexpr std::string_view mcp_suffix = "/mcp";

constexpr std::array<std::pair<std::string_view, Place::Kind>, 4> fixed = {{
    {"/mcp", Place::Kind::tool},
    {"/healthz", Place::Kind::health},
    {"/readyz", Place::Kind::ready},
    {"/metrics", Place::Kind::metrics},
}};

// A part of a path, where "+" is no space.
std::string decoded(std::string_view part) {
  std::string form = "part=";
  for (const char c : part) {
    form += c == '+' ? "%2B" : std::string(1, c);
  }
  return http::form_value(form, "part");
}

}  // namespace

std::string Place::key() const {
  return kind == Kind::server ? server + "\n" + text::join(tools, ",") : std::string();
}

std::string_view signed_into(std::string_view target) {
  return target.substr(std::min(sign_in_prefix.size(), target.size()));
}

std::optional<Place> place_of(std::string_view target) {
  const std::size_t query_at = target.find('?');
  std::string_view path = target.substr(0, query_at);
  if (path.size() > 1 && path.ends_with('/')) {
    path.remove_suffix(1);
  }
  const auto* const found =
      std::ranges::find(fixed, path, [](const auto& each) { return each.first; });
  if (found != fixed.end()) {
    return Place{.kind = found->second, .server = "", .tools = {}};
  }
  if (path.starts_with(sign_in_prefix)) {
    const std::string_view rest = path.substr(sign_in_prefix.size());
    const bool is_nested = rest.starts_with(sign_in_prefix);
    const std::optional<Place> of = rest.empty() ? Place()
                                    : is_nested  ? std::nullopt
                                                 : place_of(rest);
    return of && of->is_mcp()
               ? std::optional(Place{.kind = Place::Kind::sign_in, .server = "", .tools = {}})
               : std::nullopt;
  }
  if (!path.starts_with(servers_prefix) || !path.ends_with(mcp_suffix) ||
      path.size() <= servers_prefix.size() + mcp_suffix.size()) {
    return std::nullopt;
  }
  const std::string_view name =
      path.substr(servers_prefix.size(), path.size() - servers_prefix.size() - mcp_suffix.size());
  Place place{.kind = Place::Kind::server, .server = decoded(name), .tools = {}};
  if (query_at != std::string_view::npos) {
    const std::string tools = http::form_value(target.substr(query_at + 1), "tools");
    for (const std::string_view tool : text::split(tools, ',')) {
      if (!tool.empty()) {
        place.tools.emplace_back(tool);
      }
    }
  }
  return place;
}

}  // namespace pi_mcp::endpoint
