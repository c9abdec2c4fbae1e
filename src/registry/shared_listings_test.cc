// What other processes were listed, in the catalog of this one.
#include "catalog/shared_listings.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/identity.h"
#include "io/loop/clock.h"
#include "io/loop/random.h"
#include "json/document.h"
#include "registry/catalog_store.h"

namespace pi_mcp::registry {
namespace {

using catalog::Knowledge;
using testing::ElementsAre;
using testing::SizeIs;

class FakeListings : public catalog::SharedListings {
 public:
  struct Wanted {
    catalog::ListingName name;
    std::function<void(const std::string& text)> got;
  };
  std::vector<Wanted> wanted;

  void offer(catalog::ListingName /*name*/,
             std::string /*text*/,
             std::string /*content*/) override {}
  void want(catalog::ListingName name, std::function<void(const std::string& text)> got) override {
    wanted.push_back({.name = std::move(name), .got = std::move(got)});
  }
  io::Task<void> settle(TimePoint /*deadline*/) override { co_return; }
};

constexpr std::string_view entry_text = R"({"command":"far-server"})";

class SharedListingsTest : public testing::Test {
 protected:
  SharedListingsTest() {
    settings->agent_dir = testing::TempDir() + "/shared-listings-" + io::random_hex(8);
    config::Server server;
    server.name = "far";
    server.command = "far-server";
    server.entry_json = entry_text;
    settings->servers.push_back(server);
    store.share(listings);
  }
  void TearDown() override { std::filesystem::remove_all(settings->agent_dir); }

  std::shared_ptr<SharedCatalog> open() {
    return store.shared(
        {.settings = settings, .environment = std::make_shared<const config::Environment>()});
  }
  static catalog::CacheEntry entry() {
    catalog::CacheEntry entry;
    entry.identity.own = config::identity_hash(json::Document::parse_view(entry_text)->root());
    entry.cached_at = io::epoch_now();
    mcp::Tool tool;
    tool.name = "told";
    tool.input_schema = SharedText(std::string("{}"));
    entry.listing.tools.push_back(tool);
    return entry;
  }
  static std::string text_of(catalog::CacheEntry entry) {
    return catalog::with_entries("", {{.server = "far", .entry = std::move(entry)}}).text;
  }

  std::shared_ptr<config::Settings> settings = std::make_shared<config::Settings>();
  FakeListings listings;
  CatalogStore store;
};

TEST_F(SharedListingsTest, what_others_were_listed_is_known_and_kept) {
  const std::shared_ptr<SharedCatalog> catalog = open();
  ASSERT_THAT(listings.wanted, SizeIs(1));
  EXPECT_EQ(listings.wanted[0].name.server, "far");
  EXPECT_EQ(listings.wanted[0].name.identity, entry().identity.own);
  EXPECT_EQ(catalog->catalog().knowledge("far"), Knowledge::unknown);
  listings.wanted[0].got(text_of(entry()));
  EXPECT_EQ(catalog->catalog().knowledge("far"), Knowledge::cached);
  EXPECT_EQ(catalog->catalog().find("told", "far", {}).kind, catalog::Lookup::Kind::found);
  catalog->save();
  catalog::CacheFile file(settings->agent_dir);
  EXPECT_TRUE(file.find("far", entry().identity.own, io::epoch_now()));
}

TEST_F(SharedListingsTest, what_belongs_to_something_else_is_not_known) {
  const std::shared_ptr<SharedCatalog> catalog = open();
  catalog::CacheEntry other = entry();
  other.identity.own = std::string(64, 'a');
  catalog::CacheEntry old = entry();
  old.cached_at.value -= catalog::cache_age_max_ms + 1;
  catalog::CacheEntry of_another = entry();
  of_another.listing.caching = mcp::Caching{};
  of_another.private_to = std::string(64, 'b');
  for (const std::string& text : {std::string(),
                                  std::string("garbage"),
                                  std::string(R"({"version":2,"servers":{}})"),
                                  text_of(other),
                                  text_of(old),
                                  text_of(of_another)}) {
    listings.wanted[0].got(text);
    EXPECT_EQ(catalog->catalog().knowledge("far"), Knowledge::unknown) << text;
  }
}

TEST_F(SharedListingsTest, are_asked_for_again_when_they_are_missed_and_no_longer_than_that) {
  const std::shared_ptr<SharedCatalog> catalog = open();
  catalog->learn_from_others("");
  EXPECT_THAT(listings.wanted, SizeIs(2));
  listings.wanted[1].got(text_of(entry()));
  catalog->learn_from_others("");
  EXPECT_THAT(listings.wanted, SizeIs(2));
}

TEST_F(SharedListingsTest, come_too_late_for_a_catalog_that_has_gone) {
  open();
  listings.wanted.at(0).got(text_of(entry()));
  EXPECT_EQ(store.size(), 0U);
}

TEST_F(SharedListingsTest, a_principal_has_its_own_and_the_users_where_nobody_logs_in) {
  settings->principal = "p";
  config::Server server;
  server.name = "login";
  server.url = "https://far.example/mcp";
  server.entry_json = R"({"url":"https://far.example/mcp"})";
  settings->servers.push_back(server);
  open();
  std::vector<std::string> asked;
  for (const FakeListings::Wanted& wanted : listings.wanted) {
    asked.push_back(wanted.name.principal + " " + wanted.name.server);
  }
  EXPECT_THAT(asked, ElementsAre("p far", " far", "p login"));
}

}  // namespace
}  // namespace pi_mcp::registry
