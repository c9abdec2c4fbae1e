// http and https addresses: parsed, joined with relative references, and shown without secrets.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pi_mcp::http {

// Components stay as they were written (percent-encoded) unless noted.
struct Url {
  std::string scheme;  // "http" or "https"
  std::string user_info;
  std::string host;        // lower case; an IPv6 address without its brackets
  std::uint16_t port = 0;  // as written, or the scheme's own
  std::string path;        // begins with "/"
  std::string query;       // begins with "?", or is empty

  // "https://example.com", with the port only where it is not the scheme's own: RFC 6454. It holds
  // no secret, so it is what messages show.
  [[nodiscard]] std::string origin() const;
  // host[:port] as a Host header has it.
  [[nodiscard]] std::string authority() const;
  // Path and query.
  [[nodiscard]] std::string target() const { return path + query; }
  // All of it but the user information.
  [[nodiscard]] std::string text() const { return origin() + target(); }
  [[nodiscard]] bool is_secure() const { return scheme == "https"; }
};

// An absolute http or https address; a fragment is dropped. invalid_argument says what is wrong
// with it and never repeats it: addresses hold secrets.
Result<Url> parse_url(std::string_view text);

// The address that `reference` means in a document at `base` (RFC 3986, section 5.2).
Result<Url> join_url(const Url& base, std::string_view reference);

// 127.0.0.0/8, ::1, localhost and names below it (RFC 6761).
[[nodiscard]] bool is_loopback_host(std::string_view host);

}  // namespace pi_mcp::http
