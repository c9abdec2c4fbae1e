#include "http/proxy.h"

#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"

namespace pi_mcp::http {
namespace {

using Environment = std::map<std::string, std::string>;

// Name and value of a variable in either case; upper case only where it means the same.
std::pair<std::string, std::string> variable(const Environment& environment, std::string lower) {
  for (const std::string& name : {lower, ascii::upper(lower)}) {
    const auto found = environment.find(name);
    if (found != environment.end() && !found->second.empty()) {
      return {name, found->second};
    }
  }
  return {std::move(lower), ""};
}

bool names_host(std::string_view entry, const Url& url) {
  const std::string port = ":" + std::to_string(url.port);
  const bool has_port = entry.find(':') == entry.rfind(':') && entry.ends_with(port);
  if (has_port) {
    entry.remove_suffix(port.size());
  }
  if (entry.starts_with("*.")) {
    entry.remove_prefix(2);
  }
  if (entry.starts_with('.')) {
    entry.remove_prefix(1);
  }
  if (entry.starts_with('[') && entry.ends_with(']')) {
    entry = entry.substr(1, entry.size() - 2);
  }
  const std::string name = text::lower(entry);
  return !name.empty() && (url.host == name || url.host.ends_with("." + name));
}

bool is_excepted(const Url& url, const Environment& environment) {
  const std::string list = variable(environment, "no_proxy").second;
  for (const std::string_view part : text::split(list, ',')) {
    const std::string_view entry = text::trim(part);
    if (entry == "*" || names_host(entry, url)) {
      return true;
    }
  }
  return false;
}

// Name and value of the one that says what is in the way to the url.
std::pair<std::string, std::string> deciding(const Environment& environment, const Url& url) {
  auto found = variable(environment, url.scheme + "_proxy");
  return found.second.empty() ? variable(environment, "all_proxy") : std::move(found);
}

}  // namespace

std::string proxy_words(const Url& url, const Environment& environment) {
  const Result<std::optional<Url>> proxy = proxy_for(url, environment);
  return proxy && *proxy
             ? "the proxy " + (*proxy)->origin() + " of " + deciding(environment, url).first
             : "";
}

Result<std::optional<Url>> proxy_for(const Url& url, const Environment& environment) {
  auto [name, value] = deciding(environment, url);
  if (value.empty() || is_loopback_host(url.host) || is_excepted(url, environment)) {
    return std::optional<Url>();
  }
  if (value.find("://") == std::string::npos) {
    value.insert(0, "http://");  // "proxy:3128", as curl and others read it
  }
  Result<Url> proxy = parse_url(value);
  if (!proxy || proxy->is_secure()) {
    return fail(ErrorCode::invalid_argument,
                name +
                    " is not the http:// address of a proxy; other kinds of proxies are not "
                    "supported, and no_proxy names hosts to reach without one");
  }
  return std::optional<Url>(*std::move(proxy));
}

}  // namespace pi_mcp::http
