#include "replicas/stored_listings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::replicas {
namespace {

access::SessionKeys keys_of(char digit) {
  return *access::SessionKeys::parse(std::string(64, digit), "keys");
}

const catalog::ListingName name{
    .principal = "p", .server = "far", .identity = "i", .declared = "roots"};

TEST(SealedListing, is_opened_for_its_name_alone) {
  const access::SessionKeys keys = keys_of('a');
  const std::string sealed = sealed_listing(keys, name, "lists");
  EXPECT_EQ(opened_listing(keys, name, sealed), "lists");
  EXPECT_FALSE(opened_listing(keys_of('b'), name, sealed));
  EXPECT_FALSE(opened_listing(keys, name, "lists"));
  for (std::string catalog::ListingName::* part : {&catalog::ListingName::principal,
                                                   &catalog::ListingName::server,
                                                   &catalog::ListingName::identity,
                                                   &catalog::ListingName::declared}) {
    catalog::ListingName other = name;
    other.*part += "x";
    EXPECT_FALSE(opened_listing(keys, other, sealed));
    EXPECT_NE(listing_id(other), listing_id(name));
  }
  const catalog::ListingName moved{
      .principal = "pf", .server = "ar", .identity = "i", .declared = "roots"};
  EXPECT_NE(listing_id(moved), listing_id(name));
}

TEST(SealedListing, the_longest_one_fits_into_a_reply) {
  const access::SessionKeys keys = keys_of('a');
  const std::string longest(catalog::shared_listing_bytes_max, 'x');
  const std::string sealed = sealed_listing(keys, name, longest);
  EXPECT_LT(sealed.size(), StoredListings::reply_bytes_max);
  EXPECT_EQ(opened_listing(keys, name, sealed), longest);
  EXPECT_EQ(sealed_listing(keys, name, longest + "x"), "");
}

}  // namespace
}  // namespace pi_mcp::replicas
