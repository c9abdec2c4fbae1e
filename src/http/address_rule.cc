#include "http/address_rule.h"

#include <algorithm>

#include "base/text.h"

namespace pi_mcp::http {

bool is_private_host(const AddressRule& rule, std::string_view host) {
  return std::any_of(
      rule.private_hosts.begin(), rule.private_hosts.end(), [host](std::string_view pattern) {
        if (pattern.starts_with('[') && pattern.ends_with(']')) {
          pattern = pattern.substr(1, pattern.size() - 2);
        }
        return text::glob_match(text::lower(pattern), host);
      });
}

bool is_own_origin(const AddressRule& rule, const Url& url) {
  return std::any_of(rule.own_urls.begin(), rule.own_urls.end(), [&url](const std::string& own) {
    const Result<Url> parsed = parse_url(own);
    return parsed && parsed->origin() == url.origin();
  });
}

bool is_own_place(const AddressRule& rule, Place place) {
  return std::any_of(rule.own_urls.begin(), rule.own_urls.end(), [place](const std::string& own) {
    const Result<Url> parsed = parse_url(own);
    return parsed && place_of_host(parsed->host) == place;
  });
}

Result<void> check_named_url(std::string_view url, const AddressRule& rule) {
  const Result<Url> parsed = parse_url(url);
  if (!parsed || !parsed->user_info.empty()) {
    return fail(ErrorCode::protocol,
                parsed ? "\"" + parsed->origin() + "\" has a user name in its address"
                       : "it is not an https address");
  }
  const Place place = place_of_host(parsed->host);
  const bool is_local = place == Place::this_machine && is_own_place(rule, place);
  if (!parsed->is_secure() && !is_local) {
    return fail(ErrorCode::protocol,
                "\"" + parsed->origin() +
                    "\" is not an https address; plain http is for servers on this machine that "
                    "talk to each other");
  }
  if (place != Place::internet && !is_own_origin(rule, *parsed) && !is_own_place(rule, place) &&
      !is_private_host(rule, parsed->host)) {
    return fail(refused_place(*parsed, place));
  }
  return {};
}

Error refused_place(const Url& url, Place place) {
  return {ErrorCode::protocol,
          "\"" + url.origin() + "\" is " + std::string(place_text(place)) +
              ", and what a server names has to be a public https address; if this one is right, "
              "add \"" +
              url.host + "\" to privateHosts in your own settings"};
}

}  // namespace pi_mcp::http
