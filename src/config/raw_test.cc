#include "config/raw.h"

#include <string>

#include <gtest/gtest.h>

#include "json/writer.h"

namespace pi_mcp::config {
namespace {

RawObject numbered(int count) {
  RawObject object;
  for (int i = 0; i < count; ++i) {
    object.set("k" + std::to_string(i), std::to_string(i));
  }
  return object;
}

std::string raw(const RawObject& object, const std::string& key) {
  const json::Value found = object.find(key);
  return found ? std::string(found.raw()) : "none";
}

// Few are searched, many are looked up.
class RawKeys : public testing::TestWithParam<int> {};

TEST_P(RawKeys, are_found_replaced_and_taken) {
  const int last = GetParam() - 1;
  RawObject object = numbered(GetParam());
  const std::string last_key = "k" + std::to_string(last);
  EXPECT_EQ(raw(object, "k0"), "0");
  EXPECT_EQ(raw(object, last_key), std::to_string(last));
  EXPECT_EQ(raw(object, "unknown"), "none");
  object.set("k1", R"("new")");
  EXPECT_EQ(object.fields()[1].key, "k1") << "in its place";
  EXPECT_EQ(raw(object, "k1"), R"("new")");

  EXPECT_EQ(object.take("k0")->key, "k0");
  EXPECT_FALSE(object.take("k0"));
  EXPECT_EQ(raw(object, "k0"), "none");
  EXPECT_EQ(raw(object, last_key), std::to_string(last)) << "its place is another now";
  object.erase_if([](const RawField& field) { return field.key == "k1"; });
  object.set("k0", "7");
  EXPECT_EQ(object.fields().back().key, "k0");
  EXPECT_EQ(raw(object, last_key), std::to_string(last));
  EXPECT_EQ(object.fields().size(), static_cast<std::size_t>(last));
}

INSTANTIATE_TEST_SUITE_P(FewAndMany, RawKeys, testing::Values(3, 64, 65, 66, 200));

TEST(RawObject, the_last_of_equal_keys_wins_in_the_place_of_the_first) {
  const json::Document document = parse_trusted(R"({"a": 1, "b": 2, "a": {"c": 3}})");
  EXPECT_EQ(RawObject::from(document.root()).text(), R"({"a":{"c":3},"b":2})");
}

}  // namespace
}  // namespace pi_mcp::config
