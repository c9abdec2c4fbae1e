#include "servers/leases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::servers {
namespace {

class SilentHost final : public HostLink {
 public:
  explicit SilentHost(bool has_roots = true) { features_.roots = has_roots; }
  [[nodiscard]] const mcp::ClientFeatures& features() const override { return features_; }
  io::Task<Result<rpc::Message>> ask(std::string /*method*/, SharedText /*params*/) override {
    co_return fail(ErrorCode::unavailable, "nobody answers");
  }

 private:
  mcp::ClientFeatures features_;
};

Lease lease(config::LifecycleMode mode, std::shared_ptr<HostLink> host = nullptr) {
  Lease made;
  made.policy = {.mode = mode, .idle_max = Milliseconds(1000)};
  made.host = [host] {
    return host;
  };
  return made;
}

// Owners are told apart by their addresses.
int first = 0;
int second = 0;

TEST(Leases, an_owner_has_one_lease_on_a_key) {
  Leases leases;
  leases.put("k", &first, lease(config::LifecycleMode::keep_alive));
  leases.put("k", &first, lease(config::LifecycleMode::lazy));
  EXPECT_EQ(leases.of("k").size(), 1U);
  EXPECT_EQ(leases.policy("k")->mode, config::LifecycleMode::lazy);
}

TEST(Leases, the_strongest_wish_counts_until_its_owner_goes) {
  Leases leases;
  leases.put("k", &first, lease(config::LifecycleMode::lazy));
  leases.put("k", &second, lease(config::LifecycleMode::keep_alive));
  leases.put("other", &second, lease(config::LifecycleMode::lazy));
  EXPECT_EQ(leases.policy("k")->mode, config::LifecycleMode::keep_alive);
  EXPECT_EQ(leases.remove(&second), (std::vector<std::string>{"k", "other"}));
  EXPECT_EQ(leases.policy("k")->mode, config::LifecycleMode::lazy);
  EXPECT_EQ(leases.policy("other"), std::nullopt);
}

TEST(Leases, roots_are_those_of_the_first_host_that_has_some) {
  Leases leases;
  const auto one = std::make_shared<SilentHost>();
  EXPECT_EQ(leases.roots_host("k"), nullptr);
  leases.put("k", &first, lease(config::LifecycleMode::lazy, std::make_shared<SilentHost>(false)));
  EXPECT_EQ(leases.roots_host("k"), nullptr);
  leases.put("k", &second, lease(config::LifecycleMode::lazy, one));
  EXPECT_EQ(leases.roots_host("k"), one);
  leases.put("k", &first, lease(config::LifecycleMode::lazy, std::make_shared<SilentHost>()));
  EXPECT_EQ(leases.roots_host("k"), one) << "who came later has to have the same";
}

TEST(Leases, a_claim_that_rests_keeps_the_policy_and_nothing_of_the_session) {
  const TimePoint now{std::chrono::seconds(1)};
  Leases leases;
  Lease made = lease(config::LifecycleMode::keep_alive, std::make_shared<SilentHost>());
  made.rest_max = Milliseconds(500);
  made.linger = Milliseconds(70);
  leases.put("k", &first, std::move(made));
  EXPECT_EQ(leases.next_expiry(), std::nullopt);
  EXPECT_EQ(leases.rest(&first, now), std::vector<std::string>{"k"});
  EXPECT_EQ(leases.policy("k")->mode, config::LifecycleMode::keep_alive);
  EXPECT_EQ(leases.linger("k"), Milliseconds(70));
  EXPECT_EQ(leases.roots_host("k"), nullptr);
  EXPECT_TRUE(leases.remove(&first).empty()) << "it is nobody's";
  EXPECT_EQ(leases.next_expiry(), now + Milliseconds(500));
  EXPECT_TRUE(leases.expire(now + Milliseconds(499)).empty());
  EXPECT_EQ(leases.expire(now + Milliseconds(500)), std::vector<std::string>{"k"});
  EXPECT_EQ(leases.policy("k"), std::nullopt);
}

TEST(Leases, of_claims_that_rest_on_a_key_the_longest_counts) {
  const TimePoint now{std::chrono::seconds(1)};
  Leases leases;
  for (const int ms : {900, 100, 300}) {
    Lease made = lease(config::LifecycleMode::lazy);
    made.rest_max = Milliseconds(ms);
    leases.put("k", &first, std::move(made));
    leases.rest(&first, now);
  }
  EXPECT_EQ(leases.of("k").size(), 1U);
  EXPECT_EQ(leases.next_expiry(), now + Milliseconds(900));
  leases.put("k", &first, lease(config::LifecycleMode::lazy));
  leases.rest(&first, now);
  EXPECT_EQ(leases.next_expiry(), std::nullopt) << "without rest_max it stays for good";
}

TEST(Leases, claims_are_dropped_and_leases_are_not) {
  const TimePoint now{};
  Leases leases;
  int resting = 0;
  int owner = 0;
  for (const char* key : {"projects", "mine"}) {
    Lease made = lease(config::LifecycleMode::lazy);
    made.session_name = "shell /p";
    made.project_entry = std::string(key) == "projects" ? "entry" : "";
    leases.put(key, &resting, made);
    leases.put(key, &owner, std::move(made));
  }
  leases.rest(&resting, now);
  const auto is_projects = [](const std::string& /*key*/, const Lease& claim) {
    return claim.session_name == "shell /p" && claim.project_entry == "entry";
  };
  EXPECT_THAT(leases.drop_claims(is_projects), testing::ElementsAre("projects"));
  EXPECT_EQ(leases.of("projects").size(), 1U) << "of the owner";
  EXPECT_EQ(leases.of("mine").size(), 2U);
}

TEST(Leases, what_a_session_has_declared_is_known_by_its_name_in_calls) {
  Leases leases;
  Lease made = lease(config::LifecycleMode::lazy);
  made.session = &first;
  made.features.sampling = true;
  leases.put("k", &second, std::move(made));
  EXPECT_TRUE(leases.features("k", &first)->sampling);
  EXPECT_EQ(leases.features("k", &second), std::nullopt);
  EXPECT_EQ(leases.features("k", nullptr), std::nullopt);
}

TEST(Leases, what_was_handed_out_outlives_its_removal) {
  Leases leases;
  leases.put("k", &first, lease(config::LifecycleMode::lazy));
  const auto held = leases.of("k");
  EXPECT_EQ(leases.remove(&first).size(), 1U);
  EXPECT_EQ(held.front()->policy.mode, config::LifecycleMode::lazy);
}

}  // namespace
}  // namespace pi_mcp::servers
