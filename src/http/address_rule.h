// Where an address that a remote party names may lead: authorization servers, metadata, token
// endpoints, urls to open. A server must not make this machine talk to what only this machine, or
// its network, can reach (docs/decisions/0014-named-addresses.md). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/ip_address.h"
#include "http/url.h"

namespace pi_mcp::http {

// For what one server names.
struct AddressRule {
  std::vector<std::string> own_urls;       // what the user configured for it, its own url first
  std::vector<std::string> private_hosts;  // settings.privateHosts: names and globs
};

// The user named this host, so its address is not looked at.
[[nodiscard]] bool is_private_host(const AddressRule& rule, std::string_view host);
// It has the origin of a url that the user configured: nobody else named it.
[[nodiscard]] bool is_own_origin(const AddressRule& rule, const Url& url);
// One of the user's own urls is in this place, as far as its text shows.
[[nodiscard]] bool is_own_place(const AddressRule& rule, Place place);

// What can be said without looking a name up: https without a user in it (plain http where this url
// and one of the user's own are on this machine), and no address or localhost in a place where none
// of the user's own urls is. protocol, with the origin, the rule and the setting.
[[nodiscard]] Result<void> check_named_url(std::string_view url, const AddressRule& rule);

// The refusal of an address that the host of `url` leads to.
Error refused_place(const Url& url, Place place);

}  // namespace pi_mcp::http
