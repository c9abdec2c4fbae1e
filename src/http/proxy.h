// Which proxy a request goes through, by the usual environment variables. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "http/url.h"

namespace pi_mcp::http {

// https_proxy, http_proxy and all_proxy, and no_proxy against them: a comma-separated list of
// names (with all below them), addresses, name:port, or "*". Lower case is looked at first. A
// loopback host is never reached through a proxy. nullopt: directly. invalid_argument: the variable
// holds no http:// address; its value is not repeated.
Result<std::optional<Url>> proxy_for(const Url& url,
                                     const std::map<std::string, std::string>& environment);

// "the proxy http://proxy.corp:3128 of HTTPS_PROXY": that one and the variable that names it. Empty
// where proxy_for() gives none.
std::string proxy_words(const Url& url, const std::map<std::string, std::string>& environment);

}  // namespace pi_mcp::http
