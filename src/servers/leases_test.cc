#include "servers/leases.h"

#include <gtest/gtest.h>

namespace pi_mcp::servers {
namespace {

class SilentHost final : public HostLink {
 public:
  [[nodiscard]] const mcp::ClientFeatures& features() const override { return features_; }
  io::Task<Result<rpc::Message>> ask(std::string /*method*/, SharedText /*params*/) override {
    co_return fail(ErrorCode::unavailable, "nobody answers");
  }

 private:
  mcp::ClientFeatures features_;
};

Lease claim(config::LifecycleMode mode, std::shared_ptr<HostLink> host = nullptr) {
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

TEST(Leases, an_owner_has_one_claim_on_a_key) {
  Leases claims;
  claims.put("k", &first, claim(config::LifecycleMode::keep_alive));
  claims.put("k", &first, claim(config::LifecycleMode::lazy));
  EXPECT_EQ(claims.of("k").size(), 1U);
  EXPECT_EQ(claims.policy("k")->mode, config::LifecycleMode::lazy);
}

TEST(Leases, the_strongest_wish_counts_until_its_owner_goes) {
  Leases claims;
  claims.put("k", &first, claim(config::LifecycleMode::lazy));
  claims.put("k", &second, claim(config::LifecycleMode::keep_alive));
  claims.put("other", &second, claim(config::LifecycleMode::lazy));
  EXPECT_EQ(claims.policy("k")->mode, config::LifecycleMode::keep_alive);
  EXPECT_EQ(claims.remove(&second), (std::vector<std::string>{"k", "other"}));
  EXPECT_EQ(claims.policy("k")->mode, config::LifecycleMode::lazy);
  EXPECT_EQ(claims.policy("other"), std::nullopt);
}

TEST(Leases, nobody_is_asked_where_two_hosts_could_be) {
  Leases claims;
  const auto one = std::make_shared<SilentHost>();
  EXPECT_EQ(claims.only_host("k"), nullptr);
  claims.put("k", &first, claim(config::LifecycleMode::lazy, one));
  EXPECT_EQ(claims.only_host("k"), one);
  claims.put("k", &second, claim(config::LifecycleMode::lazy));
  EXPECT_EQ(claims.only_host("k"), one) << "a session without a host asks nobody";
  claims.put("k", &second, claim(config::LifecycleMode::lazy, std::make_shared<SilentHost>()));
  EXPECT_EQ(claims.only_host("k"), nullptr);
}

TEST(Leases, what_was_handed_out_outlives_its_removal) {
  Leases claims;
  claims.put("k", &first, claim(config::LifecycleMode::lazy));
  const auto held = claims.of("k");
  EXPECT_EQ(claims.remove(&first).size(), 1U);
  EXPECT_EQ(held.front()->policy.mode, config::LifecycleMode::lazy);
}

}  // namespace
}  // namespace pi_mcp::servers
