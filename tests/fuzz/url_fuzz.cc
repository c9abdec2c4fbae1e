// Addresses as people, files and servers write them: what was read, written down again, is read
// the same; what is sent holds nothing that a request line cannot carry; what Boost.URL takes too
// means the same, and a reference leads where RFC 3986 says. A line end divides the input into an
// address and a reference.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <boost/url/src.hpp>

#include "http/url.h"

namespace {

namespace urls = boost::urls;
using pi_mcp::Result;
using pi_mcp::http::join_url;
using pi_mcp::http::parse_url;
using pi_mcp::http::Url;

constexpr std::size_t url_bytes_max = 8192;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

bool is_visible(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

void require_same(const Url& one, const Url& other) {
  require(one.scheme == other.scheme && one.host == other.host && one.port == other.port);
  require(one.path == other.path && one.query == other.query);
}

void check_parts(const Url& url) {
  require(url.scheme == "http" || url.scheme == "https");
  require(!url.host.empty() && url.port != 0 && url.path.starts_with('/'));
  require(url.query.empty() || url.query.starts_with('?'));
  require(is_visible(url.text()) && url.text().find('#') == std::string::npos);
  require(url.text() == url.origin() + url.target());
}

// Written down it means the same; so two addresses of one text are one, and origins compare by
// text.
void check_text(const Url& url) {
  const std::string text = url.text();
  if (text.size() > url_bytes_max) {
    return;  // it grew by its escapes
  }
  const Result<Url> again = parse_url(text);
  require(again.has_value());
  require_same(url, *again);
  require(again->user_info.empty() && again->text() == text);
  const Result<Url> origin = parse_url(url.origin());
  require(origin && origin->origin() == url.origin() && origin->target() == "/");
}

// Boost.URL takes every origin of ours, and agrees about every address that it takes as we write
// it.
void check_oracle(const Url& url) {
  require(urls::parse_uri(url.origin()).has_value());
  const std::string text = url.text();
  const auto other = urls::parse_uri(text);
  if (!other) {
    return;  // we take percent signs and the like as they come
  }
  require(other->scheme() == url.scheme && other->encoded_path() == url.path);
  const bool is_ipv6 = url.host.find(':') != std::string::npos;
  require(other->encoded_host() == (is_ipv6 ? "[" + url.host + "]" : url.host));
  require(!other->has_port() || other->port_number() == url.port);
  require((other->has_query() ? "?" + std::string(other->encoded_query()) : "") == url.query);
}

// Boost 1.81 keeps what leads above the root; RFC 3986, 5.2.4 drops it.
std::string_view below_root(std::string_view path) {
  while (path.starts_with("/../")) {
    path.remove_prefix(3);
  }
  return path == "/.." ? "/" : path;
}

// RFC 3986, 5.2, by Boost.URL, for what stays at the same host.
void check_join(const Url& base, std::string_view reference, const Url& joined) {
  const std::string text = base.text();
  const auto from = urls::parse_uri(text);
  const auto to = urls::parse_relative_ref(reference);
  // It also normalises escapes, and a path that nothing is joined to; RFC 3986, 5.2 does neither.
  const bool has_escape = (text + std::string(reference)).find('%') != std::string::npos;
  if (!from || !to || to->has_authority() || to->encoded_path().empty() || has_escape) {
    return;
  }
  require(joined.origin() == base.origin() && joined.user_info == base.user_info);
  urls::url expected;
  require(urls::resolve(*from, *to, expected).has_value());
  const std::string query =
      expected.has_query() ? "?" + std::string(expected.encoded_query()) : std::string();
  require(query == joined.query);
  require(below_root(std::string(expected.encoded_path())) == joined.path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t line_end = std::min(input.find('\n'), input.size());
  const Result<Url> base = parse_url(input.substr(0, line_end));
  if (!base) {
    return 0;
  }
  check_parts(*base);
  check_text(*base);
  check_oracle(*base);
  const std::string_view reference = input.substr(std::min(line_end + 1, input.size()));
  const Result<Url> joined = join_url(*base, reference);
  if (joined) {
    check_parts(*joined);
    check_text(*joined);
    check_oracle(*joined);
    check_join(*base, reference, *joined);
  }
  return 0;
}
