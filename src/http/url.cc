#include "http/url.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "base/text.h"
#include "http/ip_address.h"

namespace pi_mcp::http {
namespace {

constexpr std::uint16_t http_port = 80;
constexpr std::uint16_t https_port = 443;
constexpr std::size_t url_bytes_max = 8192;

std::uint16_t own_port(std::string_view scheme) {
  return scheme == "https" ? https_port : http_port;
}

tl::unexpected<Error> bad(std::string_view what) {
  return fail(ErrorCode::invalid_argument, "the url " + std::string(what));
}

// What a request line cannot carry is escaped, as browsers do.
std::string escaped(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view unsafe = "\"<>\\^`{|}";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20U || byte >= 0x7FU || unsafe.find(c) != std::string_view::npos) {
      out += '%';
      out += digits[byte >> 4U];
      out += digits[byte & 0xFU];
    } else {
      out += c;
    }
  }
  return out;
}

Result<void> read_port(std::string_view text, Url& url) {
  if (text.empty()) {
    return {};  // "host:" is allowed (RFC 3986, 3.2.3)
  }
  const auto read = std::from_chars(text.data(), text.data() + text.size(), url.port);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || url.port == 0) {
    return bad("has a port that is not a number from 1 to 65535");
  }
  return {};
}

bool is_host_character(char c) {
  const auto byte = static_cast<unsigned char>(c);
  constexpr std::string_view never = "\"#/<>?@[\\]^`{|}%:";
  return byte > 0x20U && byte < 0x7FU && never.find(c) == std::string_view::npos;
}

Result<void> read_host(std::string_view text, Url& url) {
  if (text.starts_with('[')) {
    const std::size_t end = std::min(text.find(']'), text.size());
    url.host = text::lower(text.substr(1, end - 1));
    const bool is_ipv4 = url.host.find(':') == std::string::npos;
    if (end == text.size() || is_ipv4 || !parse_ip_address(url.host)) {
      return bad("has a broken IPv6 address");
    }
    text.remove_prefix(end + 1);
  } else {
    const std::size_t end = text.find(':');
    url.host = text::lower(text.substr(0, end));
    text.remove_prefix(std::min(end, text.size()));
    for (const char c : url.host) {
      if (!is_host_character(c)) {
        return bad("has a host with characters that no host has; write it in ASCII (xn--...)");
      }
    }
  }
  if (url.host.empty()) {
    return bad("has no host");
  }
  if (!text.empty() && text.front() != ':') {
    return bad("has text between its host and its path");
  }
  return read_port(text.empty() ? text : text.substr(1), url);
}

// RFC 3986, 5.2.4.
std::string without_dots(std::string_view path) {
  std::vector<std::string> kept;
  const std::vector<std::string_view> segments = text::split(path, '/');
  for (std::size_t i = 1; i < segments.size(); ++i) {  // a path begins with "/"
    const bool is_last = i + 1 == segments.size();
    const std::string_view segment = segments[i];
    if (segment == ".." && !kept.empty()) {
      kept.pop_back();
    }
    if (segment != "." && segment != "..") {
      kept.emplace_back(segment);
    } else if (is_last) {
      kept.emplace_back();
    }
  }
  return "/" + text::join(kept, "/");
}

void take_target(std::string_view text, Url& url) {
  text = text.substr(0, text.find('#'));
  const std::size_t mark = text.find('?');
  url.path = escaped(text.substr(0, mark));
  if (!url.path.starts_with('/')) {
    url.path.insert(0, "/");
  }
  url.query = mark == std::string_view::npos ? "" : escaped(text.substr(mark));
}

// "https" of "https://x"; empty when the text begins with no scheme.
std::string_view scheme_of(std::string_view text) {
  const std::size_t end = text.find_first_of(":/?#");
  return end == std::string_view::npos || text[end] != ':' ? "" : text.substr(0, end);
}

}  // namespace

std::string Url::authority() const {
  std::string text = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != own_port(scheme)) {
    text += ":" + std::to_string(port);
  }
  return text;
}

std::string Url::origin() const {
  return scheme + "://" + authority();
}

Result<Url> parse_url(std::string_view text) {
  text = text::trim(text);
  if (text.size() > url_bytes_max) {
    return bad("is longer than 8192 bytes");
  }
  Url url;
  url.scheme = text::lower(scheme_of(text));
  if (url.scheme != "http" && url.scheme != "https") {
    return bad("does not begin with http:// or https://");
  }
  text.remove_prefix(url.scheme.size() + 1);
  if (!text.starts_with("//")) {
    return bad("does not begin with http:// or https://");
  }
  text.remove_prefix(2);
  url.port = own_port(url.scheme);
  const std::size_t path = std::min(text.find_first_of("/?#\\"), text.size());
  std::string_view host = text.substr(0, path);
  const std::size_t at = host.rfind('@');
  if (at != std::string_view::npos) {
    url.user_info = host.substr(0, at);
    host.remove_prefix(at + 1);
  }
  const Result<void> read = read_host(host, url);
  if (!read) {
    return fail(read.error());
  }
  take_target(text.substr(path), url);
  return url;
}

Result<Url> join_url(const Url& base, std::string_view reference) {
  reference = text::trim(reference);
  if (!scheme_of(reference).empty()) {
    return parse_url(reference);
  }
  if (reference.starts_with("//")) {
    return parse_url(base.scheme + ":" + std::string(reference));
  }
  if (reference.size() > url_bytes_max) {
    return bad("is longer than 8192 bytes");
  }
  Url url = base;
  reference = reference.substr(0, reference.find('#'));
  if (reference.empty()) {
    return url;
  }
  if (reference.starts_with('?')) {
    url.query = escaped(reference);
    return url;
  }
  const std::string folder = base.path.substr(0, base.path.rfind('/') + 1);
  take_target(reference.starts_with('/') ? std::string(reference) : folder + std::string(reference),
              url);
  url.path = without_dots(url.path);
  return url;
}

bool is_loopback_host(std::string_view host) {
  const bool is_address = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || host.ends_with(".localhost") || host == "::1" ||
         (is_address && host.starts_with("127."));
}

}  // namespace pi_mcp::http
