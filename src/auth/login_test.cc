#include "auth/login.h"

#include <chrono>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/form.h"
#include "http/url.h"
#include "io/loop/loop.h"
#include "io/loop/random.h"
#include "io/loop/task_group.h"
#include "support/auth_scene.h"

namespace pi_mcp::auth {
namespace {

using std::chrono_literals::operator""ms;
using testing::HasSubstr;

constexpr Milliseconds patience{20'000};

// A person with a browser: opens what is shown and goes where it is sent.
class Person {
 public:
  Person(io::Executor executor, io::HttpClient* client)
      : client_(client), tasks_(std::move(executor)) {}

  void open(const std::string& url) { tasks_.spawn("browser", browse(url), io::log_only); }
  io::Task<void> leave() { return tasks_.join(); }

  std::string change;   // appended to the address that the browser is sent to
  bool copies = false;  // does not follow it: the address is kept for pasting
  std::string copied;
  std::vector<std::string> pages;

 private:
  io::Task<void> browse(std::string url) {
    const auto redirect = co_await get(std::move(url));
    if (!redirect) {
      co_return;
    }
    const std::string next = std::string(redirect->head.find("location")) + change;
    if (copies) {
      copied = next;
      co_return;
    }
    const auto page = co_await get(next);
    pages.push_back(page ? std::to_string(page->head.status) : page.error().message());
  }

  io::Task<Result<http::Answer>> get(std::string url) {
    http::Request request;
    request.url = std::move(url);
    co_return co_await client_->fetch(std::move(request), patience, 1U << 20U);
  }

  io::HttpClient* client_;
  io::TaskGroup tasks_;
};

struct Scene : test::AuthScene {
  explicit Scene(const io::Executor& executor) : AuthScene(executor), person(executor, &client) {}

  io::Task<Result<Credentials>> log_in() {
    Login login(executor, &client, access, {.open = [this](const std::string& url) {
                  person.open(url);
                }});
    co_return co_await login.run(std::nullopt);
  }
  io::Task<void> end() {
    co_await person.leave();
    co_await AuthScene::end();
  }

  Person person;
};

void play(io::Task<int> (*test)(Scene*)) {
  test::play(test);
}

TEST(LoginTest, a_person_logs_in_and_the_tokens_are_stored_for_this_server_alone) {
  play([](Scene* scene) -> io::Task<int> {
    const auto credentials = co_await scene->log_in();
    EXPECT_TRUE(credentials) << credentials.error().message();
    EXPECT_EQ(scene->peer.registrations, 1);
    EXPECT_EQ(scene->peer.codes, 1);
    const auto stored = TokenStore(scene->access).record();
    EXPECT_TRUE(stored && *stored);
    if (stored && *stored) {
      EXPECT_EQ((*stored)->tokens->access, scene->peer.access);
      EXPECT_EQ((*stored)->issuer, scene->peer.origin());
    }
    Access other_url = scene->access;
    other_url.url += "/other";
    EXPECT_FALSE(TokenStore(other_url).record()->has_value());
    Access other_name = scene->access;
    other_name.server = "../remote";
    EXPECT_FALSE(TokenStore(other_name).record()->has_value());
    co_await scene->person.leave();
    EXPECT_THAT(scene->person.pages, testing::ElementsAre("200"));
    co_return 0;
  });
}

TEST(LoginTest, the_files_of_tokens_are_for_their_owner_alone) {
  play([](Scene* scene) -> io::Task<int> {
    EXPECT_TRUE(co_await scene->log_in());
    namespace fs = std::filesystem;
    const fs::path folder = scene->access.agent_dir + "/mcp-credentials";
    EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
    for (const auto& file : fs::directory_iterator(folder)) {
      EXPECT_EQ(file.status().permissions(), fs::perms::owner_read | fs::perms::owner_write);
      EXPECT_EQ(file.path().filename().string().find("remote"), std::string::npos);
    }
    co_return 0;
  });
}

TEST(LoginTest, a_second_login_uses_the_registration_and_the_port_of_the_first) {
  play([](Scene* scene) -> io::Task<int> {
    EXPECT_TRUE(co_await scene->log_in());
    EXPECT_TRUE(co_await scene->log_in());
    EXPECT_EQ(scene->peer.registrations, 1);
    EXPECT_EQ(http::form_value(scene->peer.authorize_queries.at(0), "redirect_uri"),
              http::form_value(scene->peer.authorize_queries.at(1), "redirect_uri"));
    co_return 0;
  });
}

TEST(LoginTest, a_wrong_issuer_ends_the_login_before_the_code_is_redeemed) {
  play([](Scene* scene) -> io::Task<int> {
    scene->peer.issuer_in_answer = "https://evil.example";
    const auto credentials = co_await scene->log_in();
    EXPECT_FALSE(credentials);
    EXPECT_EQ(scene->peer.codes, 0);
    EXPECT_TRUE(scene->peer.token_bodies.empty());
    co_return 0;
  });
}

io::Task<void> run_login(Login* login, Result<Credentials>* credentials, bool* done) {
  *credentials = co_await login->run(std::nullopt);
  *done = true;
}

TEST(LoginTest, strangers_at_the_callback_change_nothing_and_a_pasted_address_will_do) {
  play([](Scene* scene) -> io::Task<int> {
    scene->person.copies = true;
    Login login(
        scene->executor, &scene->client, scene->access, {.open = [scene](const std::string& url) {
          scene->person.open(url);
        }});
    io::TaskGroup tasks(scene->executor);
    Result<Credentials> credentials = fail(ErrorCode::cancelled, "not run");
    bool done = false;
    tasks.spawn("login", run_login(&login, &credentials, &done), io::log_only);
    while (scene->person.copied.empty() && !done) {
      http::Request request;  // a turn of the loop that takes a real request's time
      request.url = scene->peer.server_url();
      (void)co_await scene->client.fetch(std::move(request), patience, 1U << 20U);
    }
    for (const std::string target : {"/callback?code=x&state=guessed", "/other", "/callback"}) {
      http::Request request;
      request.url = "http://127.0.0.1:" + std::to_string(login.port()) + target;
      const auto page = co_await scene->client.fetch(std::move(request), patience, 1U << 20U);
      EXPECT_TRUE(page);
      EXPECT_GE(page->head.status, 400) << target;
    }
    EXPECT_FALSE(login.paste("http://127.0.0.1:1/callback?code=x&state=guessed"));
    EXPECT_FALSE(login.paste(""));
    EXPECT_FALSE(done);
    EXPECT_TRUE(login.paste(" " + scene->person.copied + "\n"));
    co_await tasks.join();
    EXPECT_TRUE(credentials) << credentials.error().message();
    co_return 0;
  });
}

TEST(LoginTest, client_credentials_open_nothing) {
  play([](Scene* scene) -> io::Task<int> {
    scene->access.settings.grant = Grant::client_credentials;
    scene->access.settings.client_id = "id";
    scene->access.settings.client_secret = "secret";
    const auto credentials = co_await scene->log_in();
    EXPECT_TRUE(credentials) << credentials.error().message();
    EXPECT_TRUE(scene->peer.authorize_queries.empty());
    co_return 0;
  });
}

io::Task<Result<std::string>> identity(std::vector<std::string>* tokens) {
  std::string token = tokens->front();
  tokens->erase(tokens->begin());
  co_return token;
}

TEST(LoginTest, a_company_vouches_for_its_user_with_a_fresh_identity_token_each_time) {
  play([](Scene* scene) -> io::Task<int> {
    std::vector<std::string> tokens = {"of-today", "of-tomorrow", "of-yesterday"};
    scene->access.settings.grant = Grant::cross_app_access;
    scene->access.settings.client_id = "id";
    scene->access.settings.client_secret = "secret";
    scene->access.settings.identity_provider.issuer = scene->peer.origin() + "/idp";
    scene->access.settings.identity_provider.client_id = "id-of-the-company";
    scene->access.identity_token = [&tokens] {
      return identity(&tokens);
    };
    for (const std::string now : {"of-today", "of-tomorrow"}) {
      scene->peer.identity_token = now;
      const auto credentials = co_await scene->log_in();
      EXPECT_TRUE(credentials) << credentials.error().message();
    }
    EXPECT_EQ(http::form_value(scene->peer.exchanges.at(1), "client_id"), "id-of-the-company");
    EXPECT_TRUE(scene->peer.authorize_queries.empty());
    EXPECT_EQ(scene->peer.registrations, 0);

    const auto refused = co_await scene->log_in();
    EXPECT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::unauthorized);
    EXPECT_THAT(refused.error().message(), HasSubstr("oauth.idp.idToken"));
    EXPECT_THAT(refused.error().message(), testing::Not(HasSubstr("of-yesterday")));
    co_return 0;
  });
}

}  // namespace
}  // namespace pi_mcp::auth
