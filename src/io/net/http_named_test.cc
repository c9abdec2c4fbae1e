// Requests to addresses that a remote party named: what a name leads to decides, once.
#include <netinet/in.h>

#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/loop.h"
#include "io/net/address_check.h"
#include "io/net/http_client.h"
#include "support/http_peer.h"

namespace pi_mcp::io {
namespace {

using std::chrono_literals::operator""ms;
using test::HttpScript;
using testing::HasSubstr;

// What names mean here, and how often each was looked up.
struct Names {
  std::map<std::string, std::vector<std::uint32_t>> known;
  std::map<std::string, int> asked;

  Task<Result<std::vector<Address>>> look_up(std::string host, std::uint16_t port) {
    ++asked[host];
    if (!known.contains(host)) {
      co_return co_await resolve(std::move(host), port);
    }
    std::vector<Address> found;
    for (const std::uint32_t value : known[host]) {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(port);
      address.sin_addr.s_addr = htonl(value);
      Address made;
      std::memcpy(&made.storage, &address, sizeof(address));
      made.length = sizeof(address);
      found.push_back(made);
    }
    co_return found;
  }
};

constexpr std::uint32_t loopback = 0x7F000001;
constexpr std::uint32_t test_net = 0xCB007107;  // 203.0.113.7: nobody (RFC 5737)

struct Scene {
  explicit Scene(const Executor& executor)
      : script(executor,
               [this](std::shared_ptr<test::HttpPeer> peer) { return serve(std::move(peer)); }),
        client(executor, options()) {}

  Task<void> serve(std::shared_ptr<test::HttpPeer> peer) {
    ++connections;
    co_await peer->write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    co_await peer->wait_gone();
  }

  HttpClientOptions options() {
    HttpClientOptions made;
    made.connect_max = 300ms;
    made.look_up = [this](std::string host, std::uint16_t port) {
      return names.look_up(std::move(host), port);
    };
    return made;
  }

  Task<std::string> ask(std::string url, http::AddressRule rule) {
    http::Request request;
    request.url = std::move(url);
    request.named_under = std::make_shared<http::AddressRule>(std::move(rule));
    const auto answer = co_await client.fetch(std::move(request), 5'000ms, 1000);
    co_return answer ? "answered" : answer.error().message();
  }

  [[nodiscard]] std::string at(const std::string& scheme, const std::string& host) const {
    return scheme + "://" + host + ":" + std::to_string(script.port());
  }

  Names names;
  int connections = 0;
  HttpScript script;
  HttpClient client;
};

// The peer speaks no TLS, so this is what a connection that was made says.
constexpr const char* connected = "it does not speak TLS there";

void play(Task<void> (*test)(Scene*)) {
  struct Played {
    static Task<int> run(Executor executor, Task<void> (*test)(Scene*)) {
      Scene scene(executor);
      co_await test(&scene);
      co_await scene.script.close();
      co_return 0;
    }
  };
  run([test](const Executor& executor) { return Played::run(executor, test); });
}

TEST(HttpNamed, a_name_that_leads_to_this_machine_is_refused_before_anything_is_sent) {
  play([](Scene* scene) -> Task<void> {
    scene->names.known = {{"as.test", {loopback}}, {"mcp.test", {loopback}}};
    const std::string refused =
        co_await scene->ask(scene->at("https", "as.test"), {.own_urls = {}, .private_hosts = {}});
    EXPECT_THAT(refused, HasSubstr("is on this machine"));
    EXPECT_THAT(refused, HasSubstr("add \"as.test\" to privateHosts"));
    // That the server's own name leads here as well proves nothing while it cannot be reached here.
    const std::string rebound = co_await scene->ask(
        scene->at("https", "as.test"), {.own_urls = {"https://mcp.test:1"}, .private_hosts = {}});
    EXPECT_THAT(rebound, HasSubstr("is on this machine"));
    EXPECT_EQ(scene->connections, 0);
  });
}

TEST(HttpNamed, of_many_addresses_only_those_that_are_allowed_are_connected_to) {
  play([](Scene* scene) -> Task<void> {
    scene->names.known = {{"as.test", {test_net, loopback, 0x0A000001}}};
    const std::string said =
        co_await scene->ask(scene->at("https", "as.test"), {.own_urls = {}, .private_hosts = {}});
    EXPECT_EQ(said.find(connected), std::string::npos) << said;
    EXPECT_EQ(scene->connections, 0);
    EXPECT_EQ(scene->names.asked["as.test"], 1) << "what was checked is what is used";
  });
}

TEST(HttpNamed, where_a_connection_to_the_users_own_url_led_others_may_be_named) {
  play([](Scene* scene) -> Task<void> {
    scene->names.known = {{"as.test", {loopback}}, {"intranet.test", {loopback}}};
    const std::string own = scene->at("http", "intranet.test");
    const std::string said = co_await scene->ask(scene->at("https", "as.test"),
                                                 {.own_urls = {own}, .private_hosts = {}});
    EXPECT_THAT(said, HasSubstr(connected));
    EXPECT_EQ(scene->names.asked["intranet.test"], 1);
  });
}

TEST(HttpNamed, a_host_that_the_user_names_is_connected_to_wherever_it_is) {
  play([](Scene* scene) -> Task<void> {
    scene->names.known = {{"as.test", {loopback}}};
    const std::string said = co_await scene->ask(scene->at("https", "as.test"),
                                                 {.own_urls = {}, .private_hosts = {"*.test"}});
    EXPECT_THAT(said, HasSubstr(connected));
  });
}

TEST(HttpNamed, a_connection_of_the_user_is_not_reused_for_what_others_name) {
  play([](Scene* scene) -> Task<void> {
    scene->names.known = {{"mine.test", {loopback}}};
    http::Request request;
    request.url = scene->at("http", "mine.test");
    const auto answer = co_await scene->client.fetch(std::move(request), 5'000ms, 1000);
    EXPECT_TRUE(answer);
    const std::string said = co_await scene->ask(
        scene->at("http", "mine.test"), {.own_urls = {"https://mcp.test"}, .private_hosts = {}});
    EXPECT_THAT(said, HasSubstr("not an https address"));
    EXPECT_EQ(scene->connections, 1);
  });
}

struct Asked {
  std::string url;
  http::AddressRule rule;
  std::string said;
};

Task<int> ask_page(Asked* asked) {
  const Result<void> checked =
      co_await check_page(asked->url, {.addresses = asked->rule, .environment = {}});
  asked->said = checked ? "" : checked.error().message();
  co_return 0;
}

std::string page(std::string url, http::AddressRule rule) {
  Asked asked{.url = std::move(url), .rule = std::move(rule), .said = ""};
  run([&asked](const Executor& /*executor*/) { return ask_page(&asked); });
  return asked.said;
}

TEST(PageCheck, pages_of_this_network_are_refused_but_for_servers_that_are_there) {
  const http::AddressRule remote{.own_urls = {"https://8.8.8.8"}, .private_hosts = {"10.0.0.1"}};
  EXPECT_THAT(page("http://169.254.169.254/", remote), HasSubstr("not an https"));
  EXPECT_THAT(page("https://169.254.169.254/", remote), HasSubstr("on the local link"));
  EXPECT_THAT(page("https://localhost/", remote), HasSubstr("on this machine"));
  EXPECT_THAT(page("javascript:alert(1)", remote), HasSubstr("not an https"));
  EXPECT_EQ(page("https://10.0.0.1/", remote), "");
  EXPECT_EQ(page("https://8.8.4.4/", remote), "");
  const http::AddressRule local{.own_urls = {"http://localhost"}, .private_hosts = {}};
  EXPECT_EQ(page("http://127.0.0.1:3000/login", local), "");
  EXPECT_THAT(page("https://192.168.1.1/", local), HasSubstr("in a private network"));
}

}  // namespace
}  // namespace pi_mcp::io
