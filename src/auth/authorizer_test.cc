#include "auth/authorizer.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/files/file.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "io/loop/random.h"
#include "io/loop/task_group.h"
#include "support/auth_scene.h"

namespace pi_mcp::auth {
namespace {

using testing::HasSubstr;

struct Scene : test::AuthScene {
  using AuthScene::AuthScene;

  // As a login would have stored them.
  void store(std::string token, std::string refresh, std::int64_t stale_in_ms) {
    EXPECT_TRUE(
        tokens().write_record(credentials(std::move(token), std::move(refresh), stale_in_ms)));
  }
  [[nodiscard]] TokenStore tokens() const { return TokenStore(access); }
  [[nodiscard]] Refusal refusal(int status, std::string token, std::string challenge) const {
    return {.status = status,
            .challenges = {std::move(challenge)},
            .token = std::move(token),
            .attempt = 0};
  }
};

void play(io::Task<int> (*test)(Scene*)) {
  test::play(test);
}

TEST(AuthorizerTest,
     without_tokens_requests_go_without_and_a_refusal_says_that_nobody_is_logged_in) {
  play([](Scene* scene) -> io::Task<int> {
    Authorizer authorizer(scene->executor, &scene->client, scene->access);
    EXPECT_EQ(*co_await authorizer.token(), "");
    const auto again = co_await authorizer.refused(scene->refusal(401, "", "Bearer"));
    EXPECT_FALSE(again);
    EXPECT_EQ(again.error().code(), ErrorCode::unauthorized);
    EXPECT_THAT(again.error().message(), HasSubstr("nobody is logged in"));
    EXPECT_THAT(again.error().message(), HasSubstr("bearerToken"));
    const auto named = co_await authorizer.refused(
        scene->refusal(401, "", R"(Bearer resource_metadata="https://remote.example/meta")"));
    EXPECT_EQ(named.error().message(), "nobody is logged in");
    EXPECT_THAT(named.error().message(), testing::Not(HasSubstr("bearerToken")));
    co_return 0;
  });
}

TEST(AuthorizerTest, a_fresh_token_is_used_without_asking_anybody) {
  play([](Scene* scene) -> io::Task<int> {
    scene->store("mine", "refresh-1", 60'000);
    Authorizer authorizer(scene->executor, &scene->client, scene->access);
    EXPECT_EQ(*co_await authorizer.token(), "mine");
    EXPECT_EQ(scene->peer.redemptions, 0);
    co_return 0;
  });
}

TEST(AuthorizerTest, a_stale_token_is_renewed_before_it_is_used_and_the_new_pair_is_stored) {
  play([](Scene* scene) -> io::Task<int> {
    scene->store("old", "refresh-1", -1);
    Authorizer authorizer(scene->executor, &scene->client, scene->access);
    EXPECT_EQ(*co_await authorizer.token(), "access-new-1");
    EXPECT_EQ(scene->peer.redemptions, 1);
    EXPECT_EQ((*scene->tokens().record())->tokens->refresh, "refresh-new-1");
    co_return 0;
  });
}

TEST(AuthorizerTest, a_refused_token_is_renewed_once) {
  play([](Scene* scene) -> io::Task<int> {
    scene->store("mine", "refresh-1", 60'000);
    Authorizer authorizer(scene->executor, &scene->client, scene->access);
    EXPECT_EQ(*co_await authorizer.token(), "mine");
    const auto again = co_await authorizer.refused(scene->refusal(401, "mine", "Bearer"));
    EXPECT_TRUE(again && *again);
    EXPECT_EQ(*co_await authorizer.token(), "access-new-1");
    Refusal second = scene->refusal(401, "access-new-1", "Bearer");
    second.attempt = 1;
    EXPECT_FALSE(co_await authorizer.refused(second));
    EXPECT_EQ(scene->peer.redemptions, 1);
    co_return 0;
  });
}

io::Task<void> take(Authorizer* authorizer, std::vector<std::string>* taken) {
  const auto token = co_await authorizer->token();
  taken->push_back(token ? *token : token.error().message());
}

TEST(AuthorizerTest, many_users_of_one_process_redeem_a_refresh_token_once) {
  play([](Scene* scene) -> io::Task<int> {
    scene->store("old", "refresh-1", -1);
    std::vector<std::unique_ptr<Authorizer>> authorizers;
    std::vector<std::string> taken;
    io::TaskGroup tasks(scene->executor);
    for (int i = 0; i < 20; ++i) {
      authorizers.push_back(
          std::make_unique<Authorizer>(scene->executor, &scene->client, scene->access));
      tasks.spawn("take", take(authorizers.back().get(), &taken), io::log_only);
    }
    co_await tasks.join();
    EXPECT_EQ(scene->peer.redemptions, 1);
    EXPECT_THAT(taken, testing::SizeIs(20));
    EXPECT_THAT(taken, testing::Each("access-new-1"));
    co_return 0;
  });
}

TEST(AuthorizerTest, a_refresh_token_that_is_refused_is_not_tried_again) {
  play([](Scene* scene) -> io::Task<int> {
    scene->store("old", "stolen-and-rotated", 60'000);
    Authorizer authorizer(scene->executor, &scene->client, scene->access);
    for (int i = 0; i < 2; ++i) {
      const auto again = co_await authorizer.refused(scene->refusal(401, "old", "Bearer"));
      EXPECT_FALSE(again);
      EXPECT_EQ(again.error().code(), ErrorCode::unauthorized);
    }
    EXPECT_EQ(scene->peer.token_bodies.size(), 1U);
    EXPECT_FALSE((*scene->tokens().record())->tokens);
    EXPECT_EQ((*scene->tokens().record())->client.id, "client");
    co_return 0;
  });
}

TEST(AuthorizerTest, a_server_with_a_problem_costs_no_login) {
  play([](Scene* scene) -> io::Task<int> {
    scene->store("old", "refresh-1", 60'000);
    co_await scene->peer.close();
    Authorizer authorizer(scene->executor, &scene->client, scene->access);
    const auto again = co_await authorizer.refused(scene->refusal(401, "old", "Bearer"));
    EXPECT_FALSE(again);
    EXPECT_EQ(again.error().code(), ErrorCode::unavailable);
    EXPECT_EQ((*scene->tokens().record())->tokens->refresh, "refresh-1");
    co_return 0;
  });
}

TEST(AuthorizerTest, more_rights_are_remembered_for_the_login_that_a_person_has_to_do) {
  play([](Scene* scene) -> io::Task<int> {
    scene->store("mine", "refresh-1", 60'000);
    Authorizer authorizer(scene->executor, &scene->client, scene->access);
    const auto again = co_await authorizer.refused(
        scene->refusal(403, "mine", R"(Bearer error="insufficient_scope", scope="write")"));
    EXPECT_FALSE(again);
    EXPECT_THAT(again.error().message(), HasSubstr("write"));
    EXPECT_EQ((*scene->tokens().record())->wanted_scope, "write");
    co_return 0;
  });
}

TEST(AuthorizerTest, rights_that_were_asked_for_already_are_not_asked_for_again) {
  play([](Scene* scene) -> io::Task<int> {
    scene->access.may_ask = true;
    scene->store("mine", "refresh-1", 60'000);
    Authorizer authorizer(scene->executor, &scene->client, scene->access);
    const auto again = co_await authorizer.refused(
        scene->refusal(403, "mine", R"(Bearer error="insufficient_scope", scope="a")"));
    EXPECT_FALSE(again);
    EXPECT_EQ(again.error().code(), ErrorCode::unauthorized);
    const auto other = co_await authorizer.refused(scene->refusal(403, "mine", "Bearer"));
    EXPECT_TRUE(other && !*other);
    co_return 0;
  });
}

TEST(AuthorizerTest, the_adapters_token_file_is_used_where_oauth_is_configured) {
  play([](Scene* scene) -> io::Task<int> {
    const std::string file = scene->access.agent_dir + "/mcp-oauth/remote/tokens.json";
    EXPECT_TRUE(io::write_file(file, R"({"access_token":"seed","token_type":"bearer"})"));
    Authorizer without(scene->executor, &scene->client, scene->access);
    EXPECT_EQ(*co_await without.token(), "");
    scene->access.adapter_tokens = true;
    Authorizer with(scene->executor, &scene->client, scene->access);
    EXPECT_EQ(*co_await with.token(), "seed");
    EXPECT_TRUE(io::write_file(file, R"({"access_token":"seed","expiresAt":1000})"));
    EXPECT_EQ(*co_await with.token(), "");
    scene->access.adapter_dir = scene->access.agent_dir + "/older";
    EXPECT_TRUE(io::write_file(scene->access.adapter_dir + "/remote/tokens.json",
                               R"({"access_token":"older","token_type":"bearer"})"));
    Authorizer elsewhere(scene->executor, &scene->client, scene->access);
    EXPECT_EQ(*co_await elsewhere.token(), "older");
    co_return 0;
  });
}

TEST(AuthorizerTest, what_other_programs_have_logged_in_to_is_the_users_alone) {
  play([](Scene* scene) -> io::Task<int> {
    EXPECT_TRUE(
        io::write_file(scene->access.agent_dir + "/mcp-auth.json",
                       R"({"mcp__remote|)" + scene->access.url +
                           R"(":{"tokens":{"access_token":"pis","token_type":"bearer"}}})"));
    Authorizer users(scene->executor, &scene->client, scene->access);
    EXPECT_TRUE(*co_await users.refused(scene->refusal(401, "", "Bearer")));
    EXPECT_EQ(*co_await users.token(), "pis");
    scene->access.principal = "1f";
    scene->access.adapter_tokens = true;
    EXPECT_TRUE(io::write_file(scene->access.agent_dir + "/mcp-oauth/remote/tokens.json",
                               R"({"access_token":"seed","token_type":"bearer"})"));
    Authorizer theirs(scene->executor, &scene->client, scene->access);
    EXPECT_EQ(*co_await theirs.token(), "");
    const auto again = co_await theirs.refused(scene->refusal(401, "", "Bearer"));
    EXPECT_FALSE(again);
    EXPECT_EQ(again.error().code(), ErrorCode::unauthorized);
    EXPECT_EQ(*co_await theirs.token(), "");
    co_return 0;
  });
}

TEST(AuthorizerTest, logging_out_revokes_both_tokens_and_forgets_them) {
  play([](Scene* scene) -> io::Task<int> {
    scene->store("mine", "refresh-1", 60'000);
    Authorizer authorizer(scene->executor, &scene->client, scene->access);
    EXPECT_TRUE(*co_await authorizer.log_out());
    EXPECT_THAT(scene->peer.revoked, testing::ElementsAre("refresh-1", "mine"));
    EXPECT_FALSE(scene->tokens().record()->has_value());
    EXPECT_FALSE(*co_await authorizer.log_out());
    co_return 0;
  });
}

}  // namespace
}  // namespace pi_mcp::auth
