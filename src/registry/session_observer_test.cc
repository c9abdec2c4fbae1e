#include "registry/session_observer.h"

#include <string>

#include <gtest/gtest.h>

namespace pi_mcp::registry {
namespace {

class Listener final : public SessionObserver {
 public:
  Listener(SessionObservers& all, std::string& heard, std::string name)
      : all_(all), heard_(heard), name_(std::move(name)) {}
  void noticed(const Notice& notice) override {
    heard_ += name_ + ":" + notice.text + " ";
    for (SessionObserver* each : leaves_with) {
      all_.remove(*each);
    }
  }

  std::vector<SessionObserver*> leaves_with;

 private:
  SessionObservers& all_;
  std::string& heard_;
  std::string name_;
};

class SessionObserversTest : public testing::Test {
 protected:
  SessionObserversTest() {
    all.add(a);
    all.add(b);
  }

  SessionObservers all;
  std::string heard;
  Listener a{all, heard, "a"};
  Listener b{all, heard, "b"};
};

TEST_F(SessionObserversTest, everybody_is_told_in_the_order_of_coming) {
  all.noticed({.level = LogLevel::info, .text = "hello"});
  EXPECT_EQ(heard, "a:hello b:hello ");
}

TEST_F(SessionObserversTest, one_that_has_gone_is_told_nothing) {
  all.remove(a);
  all.remove(a);
  all.noticed({.level = LogLevel::info, .text = "hello"});
  EXPECT_EQ(heard, "b:hello ");
  all.remove(b);
  EXPECT_TRUE(all.empty());
}

TEST_F(SessionObserversTest, one_that_goes_while_it_is_told_may_take_others_along) {
  a.leaves_with = {&a, &b};
  all.noticed({.level = LogLevel::info, .text = "hello"});
  EXPECT_EQ(heard, "a:hello ");
}

}  // namespace
}  // namespace pi_mcp::registry
