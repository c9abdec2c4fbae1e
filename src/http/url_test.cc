#include "http/url.h"

#include <gtest/gtest.h>

#include "base/ascii.h"

namespace pi_mcp::http {
namespace {

std::string joined(std::string_view base, std::string_view reference) {
  const Result<Url> url = join_url(parse_url(base).value(), reference);
  return url ? url->text() : url.error().message();
}

TEST(Url, is_taken_apart) {
  const Result<Url> url = parse_url(" HTTPS://Me:pw@Example.COM:8443/a/b?x=1&y=%20#part ");
  ASSERT_TRUE(url) << url.error().message();
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->user_info, "Me:pw");
  EXPECT_EQ(url->host, "example.com");
  EXPECT_EQ(url->port, 8443);
  EXPECT_EQ(url->path, "/a/b");
  EXPECT_EQ(url->query, "?x=1&y=%20");
  EXPECT_EQ(url->origin(), "https://example.com:8443");
  EXPECT_EQ(url->text(), "https://example.com:8443/a/b?x=1&y=%20");
}

TEST(Url, leaves_out_the_own_port_of_its_scheme) {
  EXPECT_EQ(parse_url("http://a:80")->text(), "http://a/");
  EXPECT_EQ(parse_url("https://a:80")->text(), "https://a:80/");
  EXPECT_EQ(parse_url("https://a?q")->text(), "https://a/?q");
}

TEST(Url, keeps_the_brackets_of_an_ipv6_address_out_of_the_host) {
  const Result<Url> url = parse_url("http://[::1]:3000/mcp");
  ASSERT_TRUE(url) << url.error().message();
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->authority(), "[::1]:3000");
}

TEST(Url, has_nothing_but_ipv6_addresses_in_brackets) {
  for (const char* host :
       {"[]", "[:]", "[cafe]", "[127.0.0.1]", "[1:2:3]", "[::1::]", "[::12345]"}) {
    const Result<Url> url = parse_url("http://" + std::string(host) + "/");
    ASSERT_FALSE(url) << host;
    EXPECT_EQ(url.error().message(), "the url has a broken IPv6 address");
  }
  EXPECT_EQ(parse_url("http://[::FFFF:192.0.2.1]/")->host, "::ffff:192.0.2.1");
}

TEST(Url, escapes_what_a_request_line_cannot_carry) {
  EXPECT_EQ(parse_url("http://a/x y\r\nHost: b")->target(), "/x%20y%0D%0AHost:%20b");
}

TEST(Url, says_what_is_wrong_without_repeating_it) {
  for (const char* text : {"",
                           "secret",
                           "ftp://secret/",
                           "http:secret",
                           "http://:1/secret",
                           "http://secret:0/",
                           "http://secret:65536/",
                           "http://secret:x/",
                           "http://[secret]/",
                           "http://[::1]secret/",
                           "http://sec ret/",
                           "http://sec\nret/"}) {
    const Result<Url> url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code(), ErrorCode::invalid_argument);
    EXPECT_EQ(url.error().message().find("sec"), std::string::npos) << url.error().message();
  }
}

// RFC 3986, section 5.4.
TEST(Url, joins_relative_references) {
  const std::string_view base = "http://a/b/c/d;p?q";
  EXPECT_EQ(joined(base, "g"), "http://a/b/c/g");
  EXPECT_EQ(joined(base, "./g/"), "http://a/b/c/g/");
  EXPECT_EQ(joined(base, "/g"), "http://a/g");
  EXPECT_EQ(joined(base, "//g"), "http://g/");
  EXPECT_EQ(joined(base, "?y"), "http://a/b/c/d;p?y");
  EXPECT_EQ(joined(base, "g?y#s"), "http://a/b/c/g?y");
  EXPECT_EQ(joined(base, "#s"), "http://a/b/c/d;p?q");
  EXPECT_EQ(joined(base, ""), "http://a/b/c/d;p?q");
  EXPECT_EQ(joined(base, ".."), "http://a/b/");
  EXPECT_EQ(joined(base, "../../g"), "http://a/g");
  EXPECT_EQ(joined(base, "../../../g"), "http://a/g");
  EXPECT_EQ(joined(base, "https://h/x"), "https://h/x");
  EXPECT_EQ(joined(base, "g:1"), "the url does not begin with http:// or https://");
}

TEST(Url, decodes_percent_escapes) {
  EXPECT_EQ(ascii::percent_decoded("a%20b%3a%zz%4"), "a b:%zz%4");
}

TEST(Url, knows_loopback_hosts) {
  for (const char* host : {"localhost", "x.localhost", "127.0.0.1", "127.9.9.9", "::1"}) {
    EXPECT_TRUE(is_loopback_host(host)) << host;
  }
  for (const char* host : {"localhost.example.com", "127.example.com", "10.0.0.1", "example.com"}) {
    EXPECT_FALSE(is_loopback_host(host)) << host;
  }
}

}  // namespace
}  // namespace pi_mcp::http
