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

TEST(Leases, nobody_is_asked_where_two_hosts_could_be) {
  Leases leases;
  const auto one = std::make_shared<SilentHost>();
  EXPECT_EQ(leases.only_host("k"), nullptr);
  leases.put("k", &first, lease(config::LifecycleMode::lazy, one));
  EXPECT_EQ(leases.only_host("k"), one);
  leases.put("k", &second, lease(config::LifecycleMode::lazy));
  EXPECT_EQ(leases.only_host("k"), one) << "a session without a host asks nobody";
  leases.put("k", &second, lease(config::LifecycleMode::lazy, std::make_shared<SilentHost>()));
  EXPECT_EQ(leases.only_host("k"), nullptr);
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
