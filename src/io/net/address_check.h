// Whether a url that a remote party names may be put to a person, whose browser will go there.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "http/address_rule.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

// What a server may name, and how this machine reaches the network.
struct PageRule {
  http::AddressRule addresses;
  std::map<std::string, std::string> environment;  // names proxies
};

// check_named_url(), and then the addresses of its host, unless a proxy looks them up. protocol:
// the url is refused, and why. A name that is not known within 2 s leads nowhere from here and is
// not refused. The browser looks the name up itself, so this keeps off fixed names, not somebody
// who changes what a name means in between. cancelled.
Task<Result<void>> check_page(std::string url, PageRule rule);

}  // namespace pi_mcp::io
