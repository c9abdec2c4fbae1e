#include "auth/shared_logins.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/authorizer.h"
#include "auth/login.h"
#include "auth/token_store.h"
#include "io/files/file.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/task_group.h"
#include "support/auth_scene.h"
#include "support/shared_logins.h"

namespace pi_mcp::auth {
namespace {

using testing::HasSubstr;

// Two machines.
struct Scene : test::AuthScene {
  explicit Scene(const io::Executor& executor) : AuthScene(executor), shared(executor) {
    access.shared = &shared;
    other = access;
    other.agent_dir += "/other";
  }

  [[nodiscard]] Credentials login(std::string token, std::int64_t stale_in_ms) const {
    Credentials credentials = this->credentials(std::move(token), "refresh-1", stale_in_ms);
    credentials.made_at = EpochMs{1'000};
    return credentials;
  }
  [[nodiscard]] LoginName name() const { return {"", access.server, access.url}; }
  Credentials& kept() { return shared.kept.at(test::FakeSharedLogins::key(name())); }
  void keep(Credentials credentials) {
    shared.kept.insert_or_assign(test::FakeSharedLogins::key(name()), std::move(credentials));
  }
  [[nodiscard]] Refusal refusal(std::string token) const {
    return {.status = 401, .challenges = {"Bearer"}, .token = std::move(token), .attempt = 0};
  }

  test::FakeSharedLogins shared;
  Access other;
};

void play(io::Task<int> (*test)(Scene*)) {
  test::play(test);
}

TEST(SharedLogins, what_one_machine_has_renewed_the_other_uses) {
  play([](Scene* scene) -> io::Task<int> {
    scene->keep(scene->login("old", -1));
    Authorizer here(scene->executor, &scene->client, scene->access);
    Authorizer there(scene->executor, &scene->client, scene->other);
    EXPECT_EQ(*co_await here.token(), "access-new-1");
    EXPECT_EQ(*co_await there.token(), "access-new-1");
    EXPECT_EQ(scene->peer.redemptions, 1);
    EXPECT_EQ(scene->kept().turn, 1);
    EXPECT_FALSE(std::filesystem::exists(scene->access.agent_dir + "/mcp-credentials"));
    co_return 0;
  });
}

io::Task<void> note_token(Authorizer* authorizer, std::vector<std::string>* found) {
  const Result<std::string> token = co_await authorizer->token();
  found->push_back(token ? *token : token.error().message());
}

TEST(SharedLogins, machines_that_renew_at_once_redeem_once) {
  play([](Scene* scene) -> io::Task<int> {
    scene->keep(scene->login("old", -1));
    Authorizer here(scene->executor, &scene->client, scene->access);
    Authorizer there(scene->executor, &scene->client, scene->other);
    std::vector<std::string> found;
    io::TaskGroup tasks(scene->executor);
    for (int i = 0; i < 10; ++i) {
      tasks.spawn("here", note_token(&here, &found), io::log_only);
      tasks.spawn("there", note_token(&there, &found), io::log_only);
    }
    co_await tasks.join();
    EXPECT_THAT(found, testing::SizeIs(20));
    EXPECT_THAT(found, testing::Each("access-new-1"));
    EXPECT_EQ(scene->peer.redemptions, 1);
    co_return 0;
  });
}

TEST(SharedLogins, where_nobody_is_logged_in_they_are_asked_after_a_refusal_alone) {
  play([](Scene* scene) -> io::Task<int> {
    Authorizer authorizer(scene->executor, &scene->client, scene->access);
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(*co_await authorizer.token(), "");
    }
    EXPECT_EQ(scene->shared.reads, 1);
    scene->keep(scene->login("theirs", 60'000));
    EXPECT_EQ(*co_await authorizer.token(), "");
    EXPECT_TRUE(*co_await authorizer.refused(scene->refusal("")));
    EXPECT_EQ(*co_await authorizer.token(), "theirs");
    co_return 0;
  });
}

TEST(SharedLogins, without_the_others_nothing_is_redeemed_and_what_is_known_is_used) {
  play([](Scene* scene) -> io::Task<int> {
    scene->keep(scene->login("mine", 60'000));
    scene->shared.is_away = true;
    Authorizer authorizer(scene->executor, &scene->client, scene->access);
    EXPECT_EQ(*co_await authorizer.token(), "mine");
    const Result<bool> again = co_await authorizer.refused(scene->refusal("mine"));
    EXPECT_FALSE(again);
    EXPECT_EQ(again.error().code(), ErrorCode::unavailable);
    EXPECT_EQ(again.error().message(), "getting a new token: the store is away");
    EXPECT_EQ(scene->peer.redemptions, 0);
    EXPECT_FALSE(co_await authorizer.log_out());
    Login login(scene->executor, &scene->client, scene->access, {});
    EXPECT_EQ((co_await login.run(std::nullopt)).error().message(), "the store is bad");
    scene->shared.is_away = false;
    EXPECT_TRUE(*co_await authorizer.refused(scene->refusal("mine")));
    EXPECT_EQ(scene->peer.redemptions, 1);
    co_return 0;
  });
}

TEST(SharedLogins, something_else_in_the_place_of_a_login_is_said_and_never_redeemed) {
  play([](Scene* scene) -> io::Task<int> {
    scene->keep(scene->login("mine", -1));
    scene->shared.is_strange = true;
    Authorizer authorizer(scene->executor, &scene->client, scene->access);
    EXPECT_EQ(*co_await authorizer.token(), "mine");
    const Result<bool> again = co_await authorizer.refused(scene->refusal("mine"));
    EXPECT_FALSE(again);
    EXPECT_EQ(again.error().message(), "the store is bad");
    EXPECT_EQ(scene->peer.redemptions, 0);
    EXPECT_TRUE(co_await TokenStore(scene->access).check()) << "so that a new login repairs it";
    co_return 0;
  });
}

TEST(SharedLogins, a_newer_login_in_a_file_is_everybodys_and_an_older_one_nobodys) {
  play([](Scene* scene) -> io::Task<int> {
    Credentials older = scene->login("older", 60'000);
    EXPECT_TRUE(TokenStore(scene->access).write_record(older));
    Authorizer here(scene->executor, &scene->client, scene->access);
    EXPECT_EQ(*co_await here.token(), "older");
    EXPECT_EQ(scene->kept().tokens->access, "older");

    Credentials newer = scene->login("newer", 60'000);
    newer.made_at = EpochMs{2'000};
    scene->keep(newer);
    Authorizer again(scene->executor, &scene->client, scene->access);
    EXPECT_EQ(*co_await again.token(), "newer");

    Credentials renewed = newer;
    renewed.turn = 3;
    renewed.tokens->access = "renewed by a program that knows no replicas";
    EXPECT_TRUE(TokenStore(scene->other).write_record(renewed));
    Authorizer there(scene->executor, &scene->client, scene->other);
    EXPECT_EQ(*co_await there.token(), renewed.tokens->access);
    EXPECT_EQ(scene->kept().turn, 3);
    co_return 0;
  });
}

TEST(SharedLogins, the_file_that_a_login_has_come_from_stays_up_to_date) {
  play([](Scene* scene) -> io::Task<int> {
    EXPECT_TRUE(TokenStore(scene->access).write_record(scene->login("old", -1)));
    Authorizer authorizer(scene->executor, &scene->client, scene->access);
    EXPECT_EQ(*co_await authorizer.token(), "access-new-1");
    const Result<std::optional<Credentials>> file = TokenStore(scene->access).record();
    EXPECT_EQ((*file)->tokens->refresh, "refresh-new-1");
    EXPECT_FALSE(is_newer(**file, scene->kept()));
    co_return 0;
  });
}

TEST(SharedLogins, who_has_logged_out_at_one_machine_is_so_at_all) {
  play([](Scene* scene) -> io::Task<int> {
    EXPECT_TRUE(TokenStore(scene->other).write_record(scene->login("mine", 60'000)));
    Authorizer there(scene->executor, &scene->client, scene->other);
    EXPECT_EQ(*co_await there.token(), "mine");
    Authorizer here(scene->executor, &scene->client, scene->access);
    EXPECT_TRUE(*co_await here.log_out());
    EXPECT_THAT(scene->peer.revoked, testing::ElementsAre("refresh-1", "mine"));
    EXPECT_FALSE(scene->kept().tokens);
    EXPECT_FALSE((*co_await TokenStore(scene->other).read()).has_value()) << "its file is older";
    EXPECT_FALSE(*co_await here.log_out());
    co_return 0;
  });
}

struct Shown {
  explicit Shown(const io::Executor& executor) : changed(executor) {}
  std::string url;
  io::Condition changed;
};

// Waits for its person, who goes elsewhere.
io::Task<void> begin_login(Scene* scene, Shown* shown) {
  Login login(
      scene->executor, &scene->client, scene->access, {.open = [shown](const std::string& url) {
        shown->url = url;
        shown->changed.notify_all();
      }});
  (void)co_await login.run(std::nullopt);
}

TEST(SharedLogins, a_login_that_one_machine_has_begun_another_one_completes) {
  play([](Scene* scene) -> io::Task<int> {
    Shown shown(scene->executor);
    io::TaskGroup tasks(scene->executor);
    tasks.spawn("login", begin_login(scene, &shown), io::log_only);
    (void)co_await shown.changed.wait_until(io::now() + person_max);
    tasks.cancel();
    co_await tasks.join();
    EXPECT_FALSE(shown.url.empty());
    EXPECT_TRUE(scene->shared.waits);
    http::Request request;
    request.url = shown.url;
    const Result<http::Answer> page =
        co_await scene->client.fetch(std::move(request), request_max, document_bytes_max);
    const std::string address(page->head.find("location"));

    Login wrong(scene->executor, &scene->client, scene->other, {});
    const std::string stranger = "http://127.0.0.1/callback?code=code-1&state=another";
    EXPECT_THAT((co_await wrong.resume(*scene->shared.waits, stranger)).error().message(),
                HasSubstr("belongs to another login"));
    EXPECT_EQ(scene->peer.codes, 0);

    Login there(scene->executor, &scene->client, scene->other, {});
    EXPECT_TRUE(co_await there.resume(*scene->shared.waits, address));
    EXPECT_EQ(scene->peer.codes, 1);
    EXPECT_EQ(scene->kept().tokens->access, scene->peer.access);
    EXPECT_EQ(scene->kept().resource, scene->peer.server_url());
    EXPECT_EQ(scene->kept().client.id, "client-1");
    EXPECT_FALSE(scene->shared.waits);
    co_return 0;
  });
}

TEST(SharedLogins, a_login_is_newer_than_one_of_a_clock_that_is_ahead) {
  play([](Scene* scene) -> io::Task<int> {
    Credentials ahead = scene->login("old", 60'000);
    ahead.made_at = EpochMs{io::epoch_now().value + 3'600'000};
    scene->keep(ahead);
    EXPECT_TRUE(co_await TokenStore(scene->access).write_login(scene->login("new", 60'000)));
    EXPECT_TRUE(is_newer(scene->kept(), ahead));
    co_return 0;
  });
}

}  // namespace
}  // namespace pi_mcp::auth
