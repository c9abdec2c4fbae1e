#include "access/key_fetch.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "support/http_peer.h"
#include "support/jwt_signer.h"

namespace pi_mcp::access {
namespace {

using std::chrono_literals::operator""min;
using std::chrono_literals::operator""s;
using test::http_answer;
using test::HttpPeer;
using test::HttpScript;
using test::SeenRequest;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Milliseconds patience{20'000};

// An authorization server: what it answers, by the request's target, and what was asked.
struct Issuer {
  using Answer = std::function<std::string(const std::string& origin)>;
  std::map<std::string, Answer> answers;
  std::vector<std::string> asked;
  std::string origin;
};

std::string metadata_of(const std::string& issuer, const std::string& keys) {
  return http_answer("200 OK",
                     "Content-Type: application/json",
                     R"({"issuer":")" + issuer + R"(","jwks_uri":")" + keys + "\"}");
}
std::string good_metadata(const std::string& origin) {
  return metadata_of(origin, origin + "/keys");
}
std::string keys_named(const std::string& id, const std::string& headers = "") {
  static const test::SigningKey key = test::SigningKey::curve();
  return http_answer("200 OK", headers, test::key_set_text({key.jwk(R"("kid":")" + id + "\"")}));
}

constexpr std::string_view metadata_path = "/.well-known/oauth-authorization-server";
constexpr std::string_view openid_path = "/.well-known/openid-configuration";

class KeyFetchTest : public testing::Test {
 public:
  KeyFetchTest() {
    log::set_sink([this](log::Level, std::string_view line) { said.append(line).append("\n"); });
    issuer.answers[std::string(metadata_path)] = good_metadata;
    issuer.answers["/keys"] = [](const std::string&) {
      return keys_named("one");
    };
  }
  ~KeyFetchTest() override { log::set_sink(nullptr); }
  KeyFetchTest(const KeyFetchTest&) = delete;
  KeyFetchTest& operator=(const KeyFetchTest&) = delete;
  KeyFetchTest(KeyFetchTest&&) = delete;
  KeyFetchTest& operator=(KeyFetchTest&&) = delete;

  static io::Task<void> answer(std::shared_ptr<HttpPeer> peer, Issuer* issuer) {
    while (const auto request = co_await peer->read_request()) {
      issuer->asked.push_back(request->target);
      const auto known = issuer->answers.find(request->target);
      const std::string text = known == issuer->answers.end() ? http_answer("404 Not Found", "", "")
                                                              : known->second(issuer->origin);
      if (text.empty() || !co_await peer->write(text)) {
        co_await peer->wait_gone();  // hangs
      }
    }
  }

  // Fetches once, then goes on with `more`.
  using More = std::function<io::Task<void>(KeyFetchTest* test, KeyFetch* fetch)>;
  io::Task<int> body(io::Executor executor, Milliseconds limit, More more) {
    HttpScript script(executor, [this](std::shared_ptr<HttpPeer> peer) {
      return answer(std::move(peer), &issuer);
    });
    issuer.origin = script.url("");
    caches.try_emplace(issuer.origin);
    changed.emplace(executor);
    KeyFetch fetch(executor,
                   caches,
                   {.environment = {},
                    .private_hosts = {},
                    .fetched =
                        [this] {
                          ++fetched;
                          changed->notify_all();
                        },
                    .fetch_max = limit});
    fetch.start();
    co_await fetch.first();
    if (more) {
      co_await more(this, &fetch);
    }
    co_await fetch.stop();
    co_await script.close();
    co_return 0;
  }
  void fetch(Milliseconds limit = patience, More more = {}) {
    io::run([&](const io::Executor& executor) { return body(executor, limit, std::move(more)); });
  }
  io::Task<void> wait_for_fetches(int count) {
    const TimePoint last = io::now() + patience;
    while (fetched < count && io::now() < last) {
      (void)co_await changed->wait_until(last);
    }
    EXPECT_GE(fetched, count);
  }
  [[nodiscard]] KeyCache& cache() { return caches.begin()->second; }
  [[nodiscard]] bool has_keys() { return cache().keys(io::now()) != nullptr; }

  Issuer issuer;
  std::optional<io::Condition> changed;
  std::map<std::string, KeyCache, std::less<>> caches;
  int fetched = 0;
  std::string said;
};

TEST_F(KeyFetchTest, keys_are_where_the_metadata_says) {
  fetch();
  EXPECT_TRUE(has_keys());
  EXPECT_EQ(fetched, 1);
  EXPECT_THAT(said, IsEmpty());
  EXPECT_THAT(issuer.asked, testing::ElementsAre(metadata_path, "/keys"));
}

TEST_F(KeyFetchTest, metadata_may_be_that_of_openid_and_keys_fresh_for_as_long_as_it_says) {
  issuer.answers[std::string(openid_path)] = good_metadata;
  issuer.answers.erase(std::string(metadata_path));
  issuer.answers["/keys"] = [](const std::string&) {
    return keys_named("one", "Cache-Control: public, Max-Age=1200");
  };
  const TimePoint before = io::now();
  fetch();
  EXPECT_TRUE(has_keys());
  EXPECT_GE(cache().due() - before, 20min);
  EXPECT_LE(cache().due() - io::now(), 20min);
}

TEST_F(KeyFetchTest, what_an_issuer_may_answer_instead_leaves_no_keys_and_says_why) {
  const auto reason = [this](const std::string& path, Issuer::Answer answer) {
    issuer.answers[std::string(metadata_path)] = good_metadata;
    issuer.answers["/keys"] = [](const std::string&) {
      return keys_named("one");
    };
    issuer.answers[path] = std::move(answer);
    caches.clear();
    said.clear();
    fetch();
    EXPECT_FALSE(has_keys());
    return said;
  };
  const auto always = [](std::string text) {
    return [text = std::move(text)](const std::string&) {
      return text;
    };
  };
  const std::string meta(metadata_path);
  EXPECT_THAT(reason(meta, always(http_answer("404 Not Found", "", ""))),
              HasSubstr("it has no metadata"));
  EXPECT_THAT(reason(meta, always(http_answer("500 Oops", "", ""))), HasSubstr("answered 500"));
  EXPECT_THAT(reason(meta, always(http_answer("200 OK", "", "{broken"))),
              HasSubstr("metadata is no JSON object"));
  EXPECT_THAT(reason(meta, always(http_answer("200 OK", "", "{}"))), HasSubstr("its issuer is"));
  EXPECT_THAT(reason(meta,
                     [](const std::string& origin) {
                       return metadata_of("https://evil.example", origin + "/keys");
                     }),
              HasSubstr("says that its issuer is \"https://evil.example\""));
  EXPECT_THAT(reason(meta, [](const std::string& origin) { return metadata_of(origin, ""); }),
              HasSubstr("names no jwks_uri"));
  EXPECT_THAT(reason(meta,
                     [](const std::string& origin) {
                       return metadata_of(origin, "https://10.0.0.5/keys");
                     }),
              HasSubstr("10.0.0.5"));
  EXPECT_THAT(
      reason(meta,
             [](const std::string& origin) { return metadata_of(origin, "file:///etc/passwd"); }),
      HasSubstr("cannot be had"));
  EXPECT_THAT(reason("/keys", always(http_answer("200 OK", "", R"({"keys":[]})"))),
              HasSubstr("no key that can be used"));
  EXPECT_THAT(reason("/keys", always(http_answer("200 OK", "", "<html>"))), HasSubstr("no JSON"));
  EXPECT_THAT(reason("/keys", always("no http\r\n\r\n")), HasSubstr("cannot be had"));
}

TEST_F(KeyFetchTest, redirects_are_not_followed) {
  issuer.answers["/keys"] = [](const std::string& origin) {
    return http_answer("302 Found", "Location: " + origin + "/keys", "");
  };
  fetch();
  EXPECT_FALSE(has_keys());
  EXPECT_THAT(said, HasSubstr("answered 302 to the request for its keys"));
  EXPECT_THAT(issuer.asked, testing::ElementsAre(metadata_path, "/keys"));
}

TEST_F(KeyFetchTest, keys_of_100_mb_are_not_read) {
  issuer.answers["/keys"] = [](const std::string&) {
    return "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n{\"keys\":[\"" +
           std::string(4'000'000, 'x');
  };
  fetch();
  EXPECT_FALSE(has_keys());
  EXPECT_THAT(said, HasSubstr("cannot be had"));
}

TEST_F(KeyFetchTest, an_issuer_that_hangs_is_given_up) {
  issuer.answers["/keys"] = [](const std::string&) {
    return "";
  };
  fetch(Milliseconds(100));
  EXPECT_FALSE(has_keys());
  EXPECT_EQ(fetched, 1);
  EXPECT_THAT(said, HasSubstr("cannot be had"));
}

TEST_F(KeyFetchTest, keys_are_fetched_anew_for_a_token_that_needs_it) {
  fetch(patience, [](KeyFetchTest* test, KeyFetch* keys) -> io::Task<void> {
    EXPECT_EQ(test->cache().version(), 1U);
    EXPECT_TRUE(test->cache().ask(io::now()));
    keys->look();
    co_await test->wait_for_fetches(2);
    EXPECT_EQ(test->cache().version(), 2U);
  });
}

TEST_F(KeyFetchTest, a_failure_that_goes_on_is_said_once_and_its_end_too) {
  issuer.answers["/keys"] = [](const std::string&) {
    return http_answer("503 Away", "", "");
  };
  fetch(patience, [](KeyFetchTest* test, KeyFetch*) -> io::Task<void> {
    co_await test->wait_for_fetches(2);
    EXPECT_EQ(test->said.find("answered 503"), test->said.rfind("answered 503"));
    test->issuer.answers["/keys"] = [](const std::string&) {
      return keys_named("one");
    };
    co_await test->wait_for_fetches(3);
  });
  EXPECT_TRUE(has_keys());
  EXPECT_THAT(said, HasSubstr("answered 503"));
  EXPECT_THAT(said, HasSubstr("are there again"));
}

TEST(Freshness, is_what_cache_control_says) {
  const auto of = [](const std::string& value) {
    return freshness({.status = 200, .headers = {{.name = "Cache-Control", .value = value}}});
  };
  EXPECT_EQ(of("max-age=60"), 60s);
  EXPECT_EQ(of("public, max-age=60, must-revalidate"), 60s);
  EXPECT_EQ(of("no-store"), 0s);
  EXPECT_EQ(of("no-cache, max-age=60"), 0s);
  for (const char* none : {"",
                           "public",
                           "max-age",
                           "max-age=",
                           "max-age=x",
                           "max-age=-1",
                           "max-age=99999999999",
                           "s-maxage=60"}) {
    EXPECT_EQ(of(none), std::nullopt) << none;
  }
  EXPECT_EQ(freshness({.status = 200, .headers = {}}), std::nullopt);
}

}  // namespace
}  // namespace pi_mcp::access
