#include "http/proxy.h"

#include <gtest/gtest.h>

namespace pi_mcp::http {
namespace {

using Environment = std::map<std::string, std::string>;

// The proxy's origin, "directly", or what is wrong.
std::string proxy_of(std::string_view url, const Environment& environment) {
  const auto proxy = proxy_for(parse_url(url).value(), environment);
  if (!proxy) {
    return proxy.error().message();
  }
  return *proxy ? (*proxy)->origin() : "directly";
}

TEST(Proxy, is_chosen_by_the_scheme_of_the_request) {
  const Environment both{{"http_proxy", "http://a:1"}, {"HTTPS_PROXY", "b:2"}};
  EXPECT_EQ(proxy_of("http://x/", both), "http://a:1");
  EXPECT_EQ(proxy_of("https://x/", both), "http://b:2");
  EXPECT_EQ(proxy_of("https://x/", {{"ALL_PROXY", "http://c:3"}}), "http://c:3");
  EXPECT_EQ(proxy_of("https://x/", {{"http_proxy", "http://a:1"}}), "directly");
  EXPECT_EQ(proxy_of("http://x/", {{"http_proxy", "http://a:1"}, {"HTTP_PROXY", "http://b:2"}}),
            "http://a:1");
}

TEST(Proxy, no_proxy_names_hosts_domains_and_ports) {
  const auto with = [](std::string_view url, const char* list) {
    return proxy_of(url, {{"ALL_PROXY", "http://p:1"}, {"NO_PROXY", list}});
  };
  EXPECT_EQ(with("http://example.com/", "other, example.com"), "directly");
  EXPECT_EQ(with("http://a.Example.com/", "EXAMPLE.com"), "directly");
  EXPECT_EQ(with("http://a.example.com/", ".example.com"), "directly");
  EXPECT_EQ(with("http://a.example.com/", "*.example.com"), "directly");
  EXPECT_EQ(with("http://myexample.com/", "example.com"), "http://p:1");
  EXPECT_EQ(with("http://example.com:8080/", "example.com:8080"), "directly");
  EXPECT_EQ(with("http://example.com/", "example.com:8080"), "http://p:1");
  EXPECT_EQ(with("http://10.0.0.1/", "10.0.0.1"), "directly");
  EXPECT_EQ(with("http://[fe80::1]/", "[fe80::1]"), "directly");
  EXPECT_EQ(with("http://x/", "*"), "directly");
  EXPECT_EQ(with("http://x/", " , "), "http://p:1");
}

TEST(Proxy, it_is_named_with_the_variable_that_names_it) {
  const auto words = [](const std::map<std::string, std::string>& environment) {
    return proxy_words(parse_url("https://example.com/").value(), environment);
  };
  EXPECT_EQ(words({{"HTTPS_PROXY", "http://me:secret@p:1"}}),
            "the proxy http://p:1 of HTTPS_PROXY");
  EXPECT_EQ(words({{"all_proxy", "p:1"}}), "the proxy http://p:1 of all_proxy");
  EXPECT_EQ(words({{"http_proxy", "http://p:1"}}), "");
  EXPECT_EQ(words({{"ALL_PROXY", "http://p:1"}, {"NO_PROXY", "example.com"}}), "");
}

TEST(Proxy, loopback_hosts_are_reached_directly) {
  EXPECT_EQ(proxy_of("http://localhost:3000/", {{"ALL_PROXY", "http://p:1"}}), "directly");
  EXPECT_EQ(proxy_of("http://127.0.0.1/", {{"ALL_PROXY", "http://p:1"}}), "directly");
}

TEST(Proxy, an_address_that_is_not_understood_is_named_by_its_variable_only) {
  for (const char* value : {"socks5://me:secret@p:1", "https://secret", "http://se cret"}) {
    const std::string text = proxy_of("http://x/", {{"ALL_PROXY", value}});
    EXPECT_EQ(text.find("ALL_PROXY is not the http:// address of a proxy"), 0U) << text;
    EXPECT_EQ(text.find("secret"), std::string::npos);
  }
}

}  // namespace
}  // namespace pi_mcp::http
