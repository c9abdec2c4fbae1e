// By which hash an entry of the cache is found, for us and for programs that share the file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/cache.h"
#include "json/document.h"

namespace pi_mcp::catalog {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr EpochMs now{1'800'000'000'000};
constexpr std::string_view own = "seed-hash";
constexpr std::string_view adapters = "adapter-hash";

class CacheHash : public testing::Test {
 protected:
  struct Writer {
    std::string_view adapter = adapters;
    bool is_pi = false;
    std::int64_t at = now.value;
  };
  void write(const std::string& server, std::string tool, Writer by) {
    CacheEntry entry;
    entry.identity = {.own = std::string(own), .adapter = std::string(by.adapter)};
    entry.for_adapter = by.is_pi;
    entry.cached_at = {by.at};
    entry.listing.tools.emplace_back().name = std::move(tool);
    CacheUpdate update = with_entries(file, {{.server = server, .entry = entry}});
    if (update.outcome == CacheUpdate::Outcome::changed) {
      file = std::move(update.text);
    }
  }
  // What a program that knows one hash finds; empty: nothing.
  [[nodiscard]] std::string found_by(const std::string& server, std::string_view hash) const {
    const json::Document document = json::Document::parse_view(file).value();
    const json::Value entry = document.root().at({"servers", server});
    const CacheSnapshot snapshot = CacheSnapshot::parse(SharedText(std::string(file)));
    const std::string_view known = snapshot.hash_of(server);
    EXPECT_TRUE(entry.find("configHash").equals(known));
    return known == hash ? std::string(entry.find("tools").raw()) : std::string();
  }
  // The first tool that we see.
  [[nodiscard]] std::string seen(const std::string& server, std::string_view hash = own) const {
    const auto entry = CacheSnapshot::parse(SharedText(std::string(file))).find(server, hash, now);
    return entry ? entry->listing.tools.front().name : std::string();
  }
  void mark(std::string_view adapter = adapters) {
    CacheUpdate update = with_adapter_hashes(
        file,
        {{.server = "s", .identity = {.own = std::string(own), .adapter = std::string(adapter)}}});
    if (update.outcome == CacheUpdate::Outcome::changed) {
      file = std::move(update.text);
    }
  }

  std::string file;
};

TEST_F(CacheHash, is_the_one_of_the_seed_where_no_pi_writes) {
  write("s", "t", {});
  EXPECT_NE(found_by("s", own), "");
  EXPECT_EQ(seen("s"), "t");
  EXPECT_THAT(file, Not(HasSubstr("identityHash")));
}

TEST_F(CacheHash, is_the_adapters_where_pi_writes_and_we_know_both) {
  write("s", "t", {.is_pi = true});
  EXPECT_NE(found_by("s", adapters), "");
  EXPECT_EQ(seen("s"), "t");
  EXPECT_EQ(seen("s", adapters), "t");
  EXPECT_EQ(seen("s", "other"), "");
  const std::string before = file;
  write("s", "t", {.is_pi = true});
  EXPECT_EQ(file, before);
}

TEST_F(CacheHash, of_a_server_of_which_the_adapter_has_none_is_ours) {
  write("s", "t", {.adapter = "", .is_pi = true});
  EXPECT_NE(found_by("s", own), "");
  EXPECT_EQ(seen("s"), "t");
}

TEST_F(CacheHash, what_pi_has_written_stays_found_when_another_program_learns_something_new) {
  write("s", "t", {.is_pi = true, .at = now.value - 1});
  write("s", "newer", {.adapter = "of other variables"});
  EXPECT_THAT(found_by("s", adapters), HasSubstr("newer"));
  EXPECT_EQ(seen("s"), "newer");
}

TEST_F(CacheHash, in_a_file_that_pi_uses_a_new_server_is_found_too) {
  write("other", "t", {.is_pi = true});
  write("s", "t", {});
  EXPECT_NE(found_by("s", adapters), "");
  EXPECT_EQ(seen("s"), "t");
}

TEST_F(CacheHash, another_variable_in_pi_changes_it) {
  write("s", "t", {.is_pi = true});
  write("s", "t", {.adapter = "renewed", .is_pi = true});
  EXPECT_NE(found_by("s", "renewed"), "");
  EXPECT_EQ(seen("s"), "t");
}

TEST_F(CacheHash, an_entry_of_the_adapter_is_ours_too_and_keeps_what_we_do_not_know) {
  file = R"({"version":1,"servers":{"s":{"configHash":"adapter-hash","tools":[{"name":"t"}],)"
         R"("resources":[{"uri":"u","name":"r"}],"theirs":1,"cachedAt":1799999999999}}})";
  EXPECT_EQ(seen("s", adapters), "t");
  write("s", "newer", {});
  EXPECT_THAT(found_by("s", adapters), HasSubstr("newer"));
  EXPECT_EQ(seen("s"), "newer");
  EXPECT_THAT(file, HasSubstr(R"("resources":[{"uri":"u","name":"r"}])"));
  EXPECT_THAT(file, HasSubstr(R"("theirs":1)"));
}

TEST_F(CacheHash, marking_changes_the_hash_and_nothing_else) {
  file = R"({ "version": 1, "servers": { "s": { "tools": [ {"name": "t"} ], "mine": 1.50,
             "configHash": "seed-hash", "cachedAt": 1800000000000 } }, "tail": [ ] })";
  const std::string before = file;
  mark();
  EXPECT_NE(found_by("s", adapters), "");
  EXPECT_EQ(seen("s"), "t");
  std::string expected = before;
  expected.replace(
      expected.find("\"seed-hash\""), 11, R"("adapter-hash","identityHash":"seed-hash")");
  EXPECT_EQ(file, expected);
  mark();
  EXPECT_EQ(file, expected);
  mark("renewed");
  EXPECT_NE(found_by("s", "renewed"), "");
  EXPECT_EQ(seen("s"), "t");
}

TEST_F(CacheHash, what_is_of_another_definition_or_no_cache_is_not_marked) {
  for (const char* const text :
       {R"({"version":1,"servers":{"s":{"configHash":"x","tools":[],"cachedAt":1}}})",
        R"({"version":1,"servers":{"s":{"tools":[],"cachedAt":1}}})",
        R"({"version":2,"servers":{"s":{"configHash":"seed-hash"}}})",
        R"({"version":1,"servers":{"s":{"configHash":"seed-hash")",
        R"({"version":1,"servers":[]})",
        "garbage",
        ""}) {
    file = text;
    mark();
    EXPECT_EQ(file, text);
  }
}

TEST_F(CacheHash, is_known_without_parsing_an_entry) {
  const auto hash_in = [](std::string entry) {
    return std::string(CacheSnapshot::parse(
                           SharedText(R"({"version":1,"servers":{"s":)" + std::move(entry) + "}}"))
                           .hash_of("s"));
  };
  EXPECT_EQ(hash_in(R"({"tools":[{"configHash":"inner"}],"configHash" : "outer"})"), "outer");
  EXPECT_EQ(hash_in(R"({"title":"configHash","configHash":"h"})"), "h");
  EXPECT_EQ(hash_in(R"({"configHash":"first","configHash":"last"})"), "last");
  EXPECT_EQ(hash_in(R"({"title":"configHash"})"), "");
  EXPECT_EQ(hash_in(R"({"configHash":7})"), "");
  EXPECT_EQ(hash_in("{}"), "");
}

}  // namespace
}  // namespace pi_mcp::catalog
