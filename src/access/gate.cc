#include "access/gate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>

#include "access/expiry.h"
#include "base/ascii.h"
#include "base/text.h"
#include "http/ip_address.h"
#include "http/url.h"

namespace pi_mcp::access {
namespace {

namespace status {
constexpr int unauthorized = 401;
constexpr int forbidden = 403;
constexpr int not_found = 404;
constexpr int unavailable = 503;
}  // namespace status

constexpr std::string_view bearer = "Bearer";
constexpr std::string_view unix_prefix = "unix:";
constexpr std::string_view retry_seconds = "5";
constexpr std::string_view how_to_get_one =
    "a token is made by `pi-mcp token add NAME` where this server runs, and sent as "
    "\"Authorization: Bearer TOKEN\"";

// What reverse proxies say of whom they speak for.
constexpr std::array<std::string_view, 6> proxy_headers = {
    "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via"};

struct HostPort {
  std::string host;        // lower case; an IPv6 address in its brackets
  std::uint16_t port = 0;  // 0: none
};

// nullopt: it is no host of a url, or its port is no number from 1 to 65535.
std::optional<HostPort> parse_host(std::string_view text) {
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t colon = text.find(':', bracket);
  HostPort parsed{.host = text::lower(text.substr(0, colon))};
  if (colon != std::string_view::npos) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + colon + 1, end, parsed.port);
    if (read.ec != std::errc() || read.ptr != end || parsed.port == 0) {
      return std::nullopt;
    }
  }
  const bool is_ip6 = bracket != 0;
  const bool is_host =
      is_ip6 ? parsed.host.ends_with(']') &&
                   http::parse_ip_address(parsed.host.substr(1, parsed.host.size() - 2)).has_value()
             : !parsed.host.empty() && std::ranges::all_of(parsed.host, [](char c) {
                 return ascii::is_alphanumeric_or(c, "-._");
               });
  return is_host ? std::optional(std::move(parsed)) : std::nullopt;
}

bool is_local(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

std::string_view without_brackets(std::string_view host) {
  const bool has = host.starts_with('[') && host.ends_with(']');
  return has ? host.substr(1, host.size() - 2) : host;
}

bool is_address(std::string_view host) {
  return http::parse_ip_address(without_brackets(host)).has_value();
}

// As browsers write it: scheme, host and a port that is not the scheme's own. nullopt: it has more,
// or is no origin of http ("null").
std::optional<http::Url> parse_origin(std::string_view text) {
  const std::size_t host_at = text.find("://");
  const Result<http::Url> url = http::parse_url(text);
  const bool is_bare = host_at != std::string_view::npos &&
                       text.find_first_of("/?#@\\ \t", host_at + 3) == std::string_view::npos;
  return url && is_bare ? std::optional(*url) : std::nullopt;
}

Refusal forbidden(std::string why) {
  return {.status = status::forbidden, .error = std::move(why), .headers = {}};
}

// `parameters`: of WWW-Authenticate, those that are not empty.
Refusal challenged(int status, std::string why, std::initializer_list<std::string> parameters) {
  std::string challenge = "Bearer";
  for (const std::string& each : parameters) {
    if (!each.empty()) {
      challenge += (challenge.size() == bearer.size() ? " " : ", ") + each;
    }
  }
  return {.status = status,
          .error = std::move(why),
          .headers = {{.name = "WWW-Authenticate", .value = std::move(challenge)}}};
}

Refusal unauthorized(std::string why, std::string challenge) {
  return challenged(status::unauthorized, std::move(why), {std::move(challenge)});
}

Refusal bad_token(std::string why, std::string challenge) {
  return challenged(
      status::unauthorized, std::move(why), {R"(error="invalid_token")", std::move(challenge)});
}

// A JWT that lets nobody in.
Refusal bad_jwt(TokenFault fault, std::string challenge) {
  const std::string why(fault_text(fault));
  const bool is_scope = fault == TokenFault::scope;
  return challenged(is_scope ? status::forbidden : status::unauthorized,
                    why,
                    {is_scope ? R"(error="insufficient_scope")" : R"(error="invalid_token")",
                     "error_description=\"" + why + "\"",
                     std::move(challenge)});
}

Refusal not_yet(TokenFault fault) {
  return {.status = status::unavailable,
          .error = std::string(fault_text(fault)) + "; try again",
          .headers = {{.name = "Retry-After", .value = std::string(retry_seconds)}},
          .may_wait = fault == TokenFault::keys_under_way};
}

// "Bearer abc" in any case; nullopt: another scheme.
std::optional<std::string_view> bearer_of(std::string_view value) {
  value = text::trim(value);
  const std::size_t space = std::min(value.find(' '), value.size());
  return text::lower(value.substr(0, space)) == "bearer"
             ? std::optional(text::trim(value.substr(space)))
             : std::nullopt;
}

// What was sent may be anything, and stands in an answer.
std::string shown(std::string_view sent) {
  constexpr std::size_t characters = 100;
  return "\"" + text::shortened(text::printable_line(sent), characters) + "\"";
}

bool came_through_proxy(const http::RequestHead& head) {
  return std::ranges::any_of(proxy_headers, [&head](std::string_view name) {
    return !http::find_headers(head.headers, name).empty();
  });
}

// What an address to listen on has in front of its port.
std::string_view listening_host(std::string_view address) {
  const std::size_t bracket = address.starts_with('[') ? address.find(']') : 0;
  return address.substr(0, address.find(':', bracket));
}

}  // namespace

Result<Gate> Gate::make(Options options) {
  std::vector<HostRule> hosts;
  for (const std::string& text : options.allowed_hosts) {
    std::optional<HostPort> host = parse_host(text);
    if (!host) {
      return fail(ErrorCode::invalid_argument,
                  "--allow-host wants a host as clients name it, with or without a port "
                  "(gateway.example, gateway.example:8443), not " +
                      shown(text));
    }
    hosts.push_back({.host = std::move(host->host), .port = host->port});
  }
  std::vector<std::string> origins;
  for (const std::string& text : options.allowed_origins) {
    const std::optional<http::Url> origin = parse_origin(text);
    if (!origin) {
      return fail(ErrorCode::invalid_argument,
                  "--allow-origin wants scheme and host of a page, and its port if it has one "
                  "(https://app.example), not " +
                      shown(text));
    }
    origins.push_back(origin->origin());
  }
  return Gate(std::move(options), std::move(hosts), std::move(origins));
}

bool Gate::is_allowed_host(std::string_view host) const {
  const std::optional<HostPort> named = parse_host(host);
  // Whoever listens for other machines is reached by its addresses. They are no names that could be
  // made to lead here.
  return named && (is_local(named->host) || (!options_.is_local_only && is_address(named->host)) ||
                   std::ranges::any_of(hosts_, [&](const HostRule& rule) {
                     return rule.host == named->host &&
                            (rule.port == 0 || rule.port == named->port);
                   }));
}

bool Gate::is_allowed_origin(std::string_view origin) const {
  const std::optional<http::Url> url = parse_origin(origin);
  if (!url) {
    return false;
  }
  const bool is_ip6 = url->host.find(':') != std::string::npos;
  return is_local(is_ip6 ? "[" + url->host + "]" : url->host) ||
         std::ranges::find(origins_, url->origin()) != origins_.end();
}

std::optional<Refusal> Gate::check_place(const http::RequestHead& head, const Peer& peer) const {
  const std::vector<std::string_view> hosts = http::find_headers(head.headers, "host");
  if (!peer.is_unix && (hosts.size() != 1 || !is_allowed_host(hosts.front()))) {
    const std::string_view host = hosts.empty() ? std::string_view() : hosts.back();
    return forbidden("the Host " + shown(host) +
                     " is not one of this server; where clients reach it by that name, start it "
                     "with --allow-host and the name");
  }
  const std::vector<std::string_view> origins = http::find_headers(head.headers, "origin");
  if (origins.size() > 1 || (origins.size() == 1 && !is_allowed_origin(origins.front()))) {
    return forbidden("pages of " + shown(origins.back()) +
                     " may not use this server; start it with --allow-origin and that origin if "
                     "they should");
  }
  return std::nullopt;
}

Gate::Admitted Gate::admit(const http::RequestHead& head,
                           const Peer& peer,
                           EpochMs now,
                           TokenLookUp& tokens) const {
  if (std::optional<Refusal> refusal = check_place(head, peer)) {
    return tl::unexpected(*std::move(refusal));
  }
  const std::vector<std::string_view> given = http::find_headers(head.headers, "authorization");
  const std::string_view target = head.target;
  if (given.empty()) {
    return admit_without_token(head, peer, tokens);
  }
  const std::optional<std::string_view> token =
      given.size() == 1 ? bearer_of(given.front()) : std::nullopt;
  if (!token) {
    return tl::unexpected(
        unauthorized("Authorization has to be one bearer token; " + std::string(how_to_get_one),
                     tokens.challenge(target)));
  }
  if (token->empty()) {
    return tl::unexpected(
        bad_token("Authorization has no token behind \"Bearer\"; is the variable set that it "
                  "comes from?",
                  tokens.challenge(target)));
  }
  TokenFound found = tokens.find(*token, now);
  switch (found.what) {
    case TokenFound::What::good:
      return std::move(found.principal);
    case TokenFound::What::expired:
      return tl::unexpected(bad_token("this token has expired on " +
                                          time_text(found.principal->expires.value_or(now)) + "; " +
                                          std::string(how_to_get_one),
                                      tokens.challenge(target)));
    case TokenFound::What::refused:
      return tl::unexpected(bad_jwt(found.fault, tokens.challenge(target)));
    case TokenFound::What::waiting:
      return tl::unexpected(not_yet(found.fault));
    case TokenFound::What::unknown:
      break;
  }
  return tl::unexpected(
      bad_token("this token is not known here, or was revoked; " + std::string(how_to_get_one),
                tokens.challenge(target)));
}

Refusal Gate::refuse_place(const Principal& principal,
                           std::string_view target,
                           const TokenLookUp& tokens) {
  std::string more = tokens.challenge_for_more(principal, target);
  return more.empty() ? Refusal{.status = status::not_found,
                                .error = "there is no such server",
                                .headers = {}}
                      : bad_jwt(TokenFault::scope, std::move(more));
}

Gate::Admitted Gate::admit_without_token(const http::RequestHead& head,
                                         const Peer& peer,
                                         const TokenLookUp& tokens) const {
  std::string why;
  if (!options_.is_local_only || !peer.is_here) {
    why = "a token is needed";
  } else if (came_through_proxy(head)) {
    why = "who comes through a proxy needs a token";
  } else if (!peer.user) {
    why = "a token is needed: the system does not say whose process this is";
  } else if (*peer.user != options_.own_user) {
    why = "a token is needed: this process belongs to another user than the server";
  } else {
    return user_;
  }
  return tl::unexpected(
      unauthorized(why + "; " + std::string(how_to_get_one), tokens.challenge(head.target)));
}

bool is_local_address(std::string_view address) {
  if (address.starts_with(unix_prefix)) {
    return true;
  }
  const std::string_view host = without_brackets(listening_host(address));
  return host == "localhost" || (http::parse_ip_address(host) && http::is_loopback_host(host));
}

Result<void> may_listen(std::string_view address, bool anybody_may) {
  if (is_local_address(address) || anybody_may) {
    return {};
  }
  return fail(ErrorCode::unauthorized,
              "other machines reach " + std::string(address) +
                  ", and nobody has a token yet; make one first: pi-mcp token add NAME (or listen "
                  "on 127.0.0.1 or a Unix socket, for this user alone)");
}

}  // namespace pi_mcp::access
