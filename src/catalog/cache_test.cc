#include "catalog/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/document.h"

namespace pi_mcp::catalog {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr EpochMs now{1'800'000'000'000};
constexpr std::int64_t day_ms = std::int64_t{24} * 60 * 60 * 1000;

EpochMs before(std::int64_t age_ms) {
  return {now.value - age_ms};
}

// with_entries() for one server; `old_text` when there is nothing to change.
std::string with_entry(std::string_view old_text,
                       std::string_view server,
                       const CacheEntry& entry) {
  CacheUpdate update = with_entries(old_text, {{.server = std::string(server), .entry = entry}});
  const bool is_new = update.outcome == CacheUpdate::Outcome::changed;
  return is_new ? std::move(update.text) : std::string(old_text);
}

std::string hash_of(char digit) {
  return std::string(64, digit);
}

mcp::Tool make_tool(std::string name) {
  mcp::Tool tool;
  tool.name = std::move(name);
  tool.title = "A title";
  tool.description = "Says \"hi\"\nin 日本語.";
  tool.input_schema =
      SharedText(std::string(R"({"type":"object","properties":{"a":{"default":1.0}}})"));
  tool.others = SharedText(std::string(R"("outputSchema":{"type":"object"},"_meta":{"a":1.0})"));
  tool.annotations = SharedText(std::string(R"({"readOnlyHint":true})"));
  return tool;
}

mcp::Resource make_resource(std::string name) {
  mcp::Resource resource;
  resource.uri = "demo://" + name;
  resource.name = std::move(name);
  resource.title = "R";
  resource.description = "a resource";
  resource.mime_type = "text/plain";
  return resource;
}

mcp::Prompt make_prompt(std::string name) {
  mcp::Prompt prompt;
  prompt.name = std::move(name);
  prompt.title = "P";
  prompt.description = "a prompt";
  prompt.arguments = {{.name = "x", .description = "an x", .required = true, .others = {}},
                      {.name = "y", .description = "", .required = false, .others = {}}};
  return prompt;
}

CacheEntry make_entry(char digit, EpochMs cached_at = now) {
  CacheEntry entry;
  entry.identity.own = hash_of(digit);
  entry.cached_at = cached_at;
  entry.listing.tools = {make_tool("echo"), make_tool("add")};
  entry.listing.resources = {make_resource("r")};
  entry.listing.templates = {make_resource("{x}")};
  entry.listing.prompts = {make_prompt("p")};
  entry.listing.instructions = "Be brief.";
  entry.listing.title = "The Server";
  return entry;
}

std::optional<CacheEntry> find(std::string_view text,
                               std::string_view server,
                               char digit,
                               EpochMs at = now) {
  return CacheSnapshot::parse(SharedText(std::string(text))).find(server, hash_of(digit), at);
}

// The entry, which must be known.
CacheEntry known(std::string_view text, std::string_view server, char digit) {
  std::optional<CacheEntry> entry = find(text, server, digit);
  EXPECT_TRUE(entry) << server;
  return std::move(entry).value_or(CacheEntry{});
}

CacheUpdate updated(std::string_view text, const std::string& server, const CacheEntry& entry) {
  return with_entries(text, {{.server = server, .entry = entry}});
}

std::size_t tools_in(std::string_view text, std::string_view server, char digit) {
  const std::optional<CacheEntry> entry = find(text, server, digit);
  return entry ? entry->listing.tools.size() : 0;
}

bool is_json(std::string_view text) {
  json::ParseOptions options;
  options.depth_max = 1'000'000;
  return json::Document::parse_view(text, options).has_value();
}

// A file as another adapter writes it: pretty, with keys that we do not know.
constexpr std::string_view foreign = R"({
  "version": 1,
  "note": {"keep": [1, 2.50, "\ud83d"]},
  "servers": {
    "other": { "configHash": "x",  "tools": [ ], "cachedAt": 1 },
    "echo": {"configHash": "old", "tools": [], "resources": [], "cachedAt": 5}
  },
  "tail": true
})";

TEST(Cache, text_that_is_no_version_1_cache_knows_nothing) {
  const std::string good = with_entry("", "echo", make_entry('a'));
  for (const std::string& text : {std::string(),
                                  std::string("garbage"),
                                  std::string("[]"),
                                  std::string("null"),
                                  std::string("{}"),
                                  std::string(R"({"version":1})"),
                                  std::string(R"({"version":1,"servers":[]})"),
                                  std::string(R"({"version":1,"servers":{"echo":7}})"),
                                  std::string(R"({"version":1,"servers":{"echo":null}})"),
                                  std::string(300, '['),
                                  "\xef\xbb\xbf" + good,
                                  good.substr(0, 40),
                                  R"({"version":2)" + good.substr(12),
                                  R"({"version":"1")" + good.substr(12)}) {
    EXPECT_FALSE(find(text, "echo", 'a')) << text;
  }
  EXPECT_TRUE(find(good, "echo", 'a'));
}

TEST(Cache, every_field_of_a_tool_comes_back) {
  const CacheEntry entry = known(with_entry("", "echo", make_entry('a')), "echo", 'a');
  EXPECT_EQ(entry.cached_at, now);
  ASSERT_EQ(entry.listing.tools.size(), 2U);
  const mcp::Tool& tool = entry.listing.tools[0];
  const mcp::Tool expected = make_tool("echo");
  EXPECT_EQ(tool.name, expected.name);
  EXPECT_EQ(tool.title, expected.title);
  EXPECT_EQ(tool.description, expected.description);
  EXPECT_EQ(tool.input_schema.view(), expected.input_schema.view());
  EXPECT_EQ(tool.others.view(), expected.others.view());
  EXPECT_EQ(tool.annotations.view(), expected.annotations.view());
}

TEST(Cache, words_can_be_read_without_lists) {
  const CacheSnapshot cache =
      CacheSnapshot::parse(SharedText(with_entry("", "echo", make_entry('a'))));
  const auto entry = cache.find("echo", hash_of('a'), now, {}, EntryPart::words);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->listing.instructions, "Be brief.");
  EXPECT_EQ(entry->listing.title, "The Server");
  EXPECT_TRUE(entry->listing.tools.empty());
  EXPECT_FALSE(cache.find("echo", hash_of('b'), now, {}, EntryPart::words));
}

TEST(Cache, an_entry_that_cannot_have_words_is_known_without_its_hash) {
  CacheEntry silent = make_entry('a');
  silent.listing.instructions.clear();
  silent.listing.title.clear();
  const std::string text = with_entry(with_entry("", "echo", make_entry('a')), "silent", silent);
  const CacheSnapshot cache = CacheSnapshot::parse(SharedText(text));
  EXPECT_TRUE(cache.may_have("echo", EntryPart::words));
  EXPECT_TRUE(cache.may_have("silent", EntryPart::all));
  EXPECT_FALSE(cache.may_have("silent", EntryPart::words)) << "titles of its tools are not its own";
  EXPECT_FALSE(cache.may_have("unknown", EntryPart::all));
  const CacheSnapshot variants = CacheSnapshot::parse(SharedText(
      R"({"version":1,"servers":{"s":{"tools":[],"byCapabilities":{"roots":{"title":"S"}}}}})"));
  EXPECT_TRUE(variants.may_have("s", EntryPart::words)) << "some hosts may be told some";
}

TEST(Cache, resources_prompts_and_instructions_come_back) {
  const mcp::Listing listing = known(with_entry("", "echo", make_entry('a')), "echo", 'a').listing;
  ASSERT_EQ(listing.resources.size(), 1U);
  EXPECT_EQ(listing.resources[0].uri, "demo://r");
  EXPECT_EQ(listing.resources[0].mime_type, "text/plain");
  ASSERT_EQ(listing.prompts.size(), 1U);
  ASSERT_EQ(listing.prompts[0].arguments.size(), 2U);
  EXPECT_TRUE(listing.prompts[0].arguments[0].required);
  EXPECT_EQ(listing.instructions, "Be brief.");
  EXPECT_EQ(listing.title, "The Server");
}

TEST(Cache, a_new_file_has_the_documented_layout) {
  CacheEntry entry;
  entry.identity.own = "h";
  entry.cached_at = EpochMs{7};
  entry.listing.tools.emplace_back().name = "t";
  EXPECT_EQ(with_entry("", "s", entry),
            R"({"version":1,"servers":{"s":{"configHash":"h","tools":[{"name":"t"}],)"
            R"("resources":[],"capabilities":"","cachedAt":7}}})"
            "\n");
}

TEST(Cache, an_entry_of_another_server_or_definition_is_not_known) {
  const std::string text = with_entry("", "echo", make_entry('a'));
  EXPECT_FALSE(find(text, "echo", 'b'));
  EXPECT_FALSE(find(text, "ech", 'a'));
}

bool known_at_age(std::int64_t age_ms) {
  const std::string text = with_entry("", "s", make_entry('a', before(age_ms)));
  return find(text, "s", 'a').has_value();
}

TEST(Cache, an_entry_is_known_for_seven_days) {
  EXPECT_TRUE(known_at_age(0));
  EXPECT_TRUE(known_at_age(7 * day_ms));
  EXPECT_FALSE(known_at_age(7 * day_ms + 1));
  EXPECT_FALSE(known_at_age(8 * day_ms));
}

TEST(Cache, a_time_in_the_future_may_come_from_another_clock_but_not_from_a_broken_one) {
  EXPECT_TRUE(known_at_age(-day_ms));
  EXPECT_FALSE(known_at_age(-8 * day_ms));
  const std::string zero = with_entry("", "s", make_entry('a', EpochMs{0}));
  EXPECT_FALSE(find(zero, "s", 'a', EpochMs{1}));
}

CacheEntry with_ttl(std::string_view ttl, std::int64_t age_ms) {
  const std::string text = R"({"version":1,"servers":{"s":{"configHash":")" + hash_of('a') +
                           R"(","tools":[],"cachedAt":)" + std::to_string(before(age_ms).value) +
                           R"(,"ttlMs":)" + std::string(ttl) + "}}}";
  return known(text, "s", 'a');
}

TEST(Cache, the_declared_time_to_live_is_known_and_prolongs_nothing) {
  EXPECT_EQ(with_ttl("1000", 2000).listing.caching->ttl, Milliseconds(1000));
  const std::string for_ever = with_entry("", "s", make_entry('a', before(8 * day_ms)));
  EXPECT_FALSE(find(for_ever, "s", 'a')) << "after seven days";
}

TEST(Cache, a_time_to_live_that_is_no_whole_number_counts_as_not_declared) {
  for (const char* nonsense : {"-1", "1e30", "\"5\"", "null", "1.5"}) {
    EXPECT_FALSE(with_ttl(nonsense, day_ms).listing.caching) << nonsense;
  }
}

CacheEntry with_caching(Milliseconds ttl, bool is_private, EpochMs cached_at = now) {
  CacheEntry entry = make_entry('a', cached_at);
  entry.listing.caching = mcp::Caching{.ttl = ttl, .is_private = is_private};
  entry.private_to = "digest";
  return entry;
}

TEST(Cache, what_a_server_says_of_caching_is_kept) {
  const CacheEntry mine =
      known(with_entry("", "s", with_caching(Milliseconds(5000), true)), "s", 'a');
  EXPECT_EQ(mine.listing.caching.value_or(mcp::Caching{}).ttl, Milliseconds(5000));
  EXPECT_TRUE(mine.listing.caching.value_or(mcp::Caching{}).is_private);
  EXPECT_EQ(mine.private_to, "digest");
  const CacheEntry everyones =
      known(with_entry("", "s", with_caching(Milliseconds(0), false)), "s", 'a');
  EXPECT_FALSE(everyones.listing.caching.value_or(mcp::Caching{}).is_private);
  EXPECT_EQ(everyones.private_to, "");
}

TEST(Cache, an_entry_that_says_the_same_is_written_again_before_it_counts_as_out_of_date) {
  constexpr Milliseconds minutes{10 * 60'000};
  const auto outcome = [](Milliseconds ttl, std::int64_t age_ms) {
    const std::string text = with_entry("", "s", with_caching(ttl, false, before(age_ms)));
    return updated(text, "s", with_caching(ttl, false)).outcome;
  };
  EXPECT_EQ(outcome(minutes, minutes.count() / 2), CacheUpdate::Outcome::changed);
  EXPECT_EQ(outcome(minutes, minutes.count() / 2 - 1), CacheUpdate::Outcome::unchanged);
  EXPECT_EQ(outcome(Milliseconds(0), minutes.count()), CacheUpdate::Outcome::unchanged)
      << "it is out of date anyhow";
  EXPECT_EQ(outcome(Milliseconds(1), 59'000), CacheUpdate::Outcome::unchanged)
      << "a short time must not rewrite the file again and again";
}

TEST(Cache, items_that_cannot_be_used_are_left_out) {
  const std::string text =
      R"({"version":1,"servers":{"s":{"configHash":")" + hash_of('a') +
      R"(","cachedAt":1800000000000,)"
      R"("tools":[{"name":"ok","inputSchema":"x","description":5},{"name":""},{},7],)"
      R"("resources":[{"uri":"u"},{"name":"n"},{"uri":"u","name":"n"}],)"
      R"("prompts":[{"name":7},{"name":"p","arguments":[{},{"name":"a"}]}]}}})";
  const CacheEntry entry = known(text, "s", 'a');
  ASSERT_EQ(entry.listing.tools.size(), 1U);
  EXPECT_TRUE(entry.listing.tools[0].input_schema.empty());
  EXPECT_EQ(entry.listing.tools[0].description, "");
  EXPECT_EQ(entry.listing.resources.size(), 1U);
  ASSERT_EQ(entry.listing.prompts.size(), 1U);
  EXPECT_EQ(entry.listing.prompts[0].arguments.size(), 1U);
}

TEST(Cache, of_entries_with_the_same_name_the_last_counts_for_reading_and_for_writing) {
  const std::string entry = R"({"configHash":")" + hash_of('a') + R"(","cachedAt":1800000000000,)";
  const std::string text = R"({"version":1,"servers":{"s":)" + entry + R"("tools":[]},"s":)" +
                           entry + R"("tools":[{"name":"t"}]}}})";
  EXPECT_EQ(tools_in(text, "s", 'a'), 1U);
  EXPECT_EQ(tools_in(with_entry(text, "s", make_entry('a')), "s", 'a'), 2U);
}

TEST(Cache, other_entries_and_unknown_keys_stay_byte_for_byte) {
  const std::string text = with_entry(foreign, "echo", make_entry('a'));
  const std::size_t start = foreign.find(R"({"configHash": "old")");
  const std::size_t end = foreign.find("\n  },\n  \"tail\"");
  EXPECT_THAT(text, StartsWith(std::string(foreign.substr(0, start))));
  EXPECT_TRUE(text.ends_with(foreign.substr(end))) << text;
  EXPECT_EQ(tools_in(text, "echo", 'a'), 2U);
}

TEST(Cache, a_new_entry_goes_behind_the_others) {
  const std::string text = with_entry(foreign, "n\"ew", make_entry('a'));
  EXPECT_THAT(text, StartsWith(std::string(foreign.substr(0, foreign.find("\n  },\n  \"tail\"")))));
  EXPECT_EQ(tools_in(text, "n\"ew", 'a'), 2U);
  EXPECT_TRUE(is_json(text));
}

TEST(Cache, servers_that_are_missing_or_no_object_are_made_one) {
  for (const char* old_text : {R"({"version":1,"x":2})",
                               R"({"version":1,"servers":[1],"x":2})",
                               R"({"x":2,"version":1.0,"servers":{} })",
                               R"({"servers":null,"version":1,"x":2})"}) {
    const std::string text = with_entry(old_text, "s", make_entry('a'));
    EXPECT_EQ(tools_in(text, "s", 'a'), 2U) << text;
    EXPECT_THAT(text, HasSubstr("\"x\":2"));
    EXPECT_TRUE(is_json(text)) << text;
  }
}

TEST(Cache, several_entries_are_written_at_once_and_the_last_of_a_server_counts) {
  CacheEntry later = make_entry('a');
  later.listing.tools.pop_back();
  const CacheUpdate update = with_entries(foreign,
                                          {{.server = "echo", .entry = make_entry('a')},
                                           {.server = "n", .entry = make_entry('b')},
                                           {.server = "m", .entry = make_entry('c')},
                                           {.server = "echo", .entry = later}});
  ASSERT_EQ(update.outcome, CacheUpdate::Outcome::changed);
  EXPECT_EQ(tools_in(update.text, "echo", 'a'), 1U);
  EXPECT_EQ(tools_in(update.text, "n", 'b'), 2U);
  EXPECT_EQ(tools_in(update.text, "m", 'c'), 2U);
  EXPECT_TRUE(is_json(update.text));
}

TEST(Cache, old_resources_and_prompts_are_kept_when_listing_them_gave_none) {
  const std::string text = with_entry("", "s", make_entry('a', before(2 * day_ms)));
  CacheEntry fresh = make_entry('a');
  fresh.listing.resources.clear();
  fresh.listing.prompts.clear();
  const CacheEntry kept = known(with_entry(text, "s", fresh), "s", 'a');
  EXPECT_EQ(kept.listing.resources.size(), 1U);
  EXPECT_EQ(kept.listing.prompts.size(), 1U);
  EXPECT_EQ(kept.cached_at, now);
  fresh.identity.own = hash_of('b');
  const CacheEntry other = known(with_entry(text, "s", fresh), "s", 'b');
  EXPECT_TRUE(other.listing.resources.empty());
  EXPECT_TRUE(other.listing.prompts.empty());
}

TEST(Cache, unknown_keys_of_an_entry_are_kept_for_the_same_definition_only) {
  const std::string text =
      R"({"version":1,"servers":{"s":{"configHash":")" + hash_of('a') +
      R"(","tools":[],"cachedAt":1,"ttlMs":0,"cacheScope":"x","mine":[1.0]}}})";
  const std::string same = with_entry(text, "s", make_entry('a'));
  EXPECT_THAT(same, HasSubstr(R"("mine":[1.0])"));
  EXPECT_THAT(same, Not(HasSubstr("ttlMs")));
  EXPECT_THAT(same, Not(HasSubstr("cacheScope")));
  EXPECT_THAT(with_entry(text, "s", make_entry('b')), Not(HasSubstr("mine")));
}

TEST(Cache, an_entry_that_says_the_same_is_written_again_only_after_an_hour) {
  const std::string text = with_entry("", "s", make_entry('a', before(cache_rewrite_age_ms - 1)));
  EXPECT_EQ(updated(text, "s", make_entry('a')).outcome, CacheUpdate::Outcome::unchanged);
  const std::string older = with_entry("", "s", make_entry('a', before(cache_rewrite_age_ms)));
  EXPECT_EQ(updated(older, "s", make_entry('a')).outcome, CacheUpdate::Outcome::changed);
  CacheEntry different = make_entry('a');
  different.listing.instructions = "Be long.";
  EXPECT_EQ(updated(text, "s", different).outcome, CacheUpdate::Outcome::changed);
  EXPECT_EQ(updated(text, "s", make_entry('b')).outcome, CacheUpdate::Outcome::changed);
}

TEST(Cache, a_file_of_a_newer_version_is_never_written) {
  for (const char* old_text : {R"({"version":2,"servers":{}})",
                               R"({"version":1.5})",
                               R"({"version":"2.0"})",
                               R"({"version":3,"servers":{)"}) {
    const CacheUpdate update = updated(old_text, "s", make_entry('a'));
    EXPECT_EQ(update.outcome, CacheUpdate::Outcome::newer_version) << old_text;
    EXPECT_EQ(with_entry(old_text, "s", make_entry('a')), old_text);
  }
}

TEST(Cache, a_file_that_is_no_cache_is_replaced) {
  for (const char* old_text : {"", "garbage", "[1]", "{\"version\":0}", "{}", "{\"a\":1}"}) {
    EXPECT_EQ(with_entry(old_text, "s", make_entry('a')), with_entry("", "s", make_entry('a')));
  }
}

TEST(Cache, white_space_and_numbers_of_schemas_follow_json) {
  CacheEntry entry = make_entry('a');
  entry.listing.tools[0].input_schema = SharedText(std::string("{ \"a\" : 1.0e0 }"));
  entry.listing.tools[1].input_schema = SharedText(std::string("{ broken"));
  const CacheEntry read = known(with_entry("", "s", entry), "s", 'a');
  ASSERT_EQ(read.listing.tools.size(), 2U);
  EXPECT_EQ(read.listing.tools[0].input_schema.view(), "{\"a\":1.0e0}");
  EXPECT_TRUE(read.listing.tools[1].input_schema.empty());
}

TEST(Cache, a_schema_too_deep_to_read_again_costs_only_itself) {
  CacheEntry entry = make_entry('a');
  std::string deep;
  for (int i = 0; i < 2000; ++i) {
    deep += "{\"a\":";
  }
  deep += "1" + std::string(2000, '}');
  entry.listing.tools[0].input_schema = SharedText(deep);
  const std::string text = with_entry("", "s", entry);
  EXPECT_EQ(tools_in(text, "s", 'a'), 2U);
  // Other adapters may have stored such a schema: their entry stays, and ours is readable.
  const std::string theirs = R"({"version":1,"servers":{"deep":{"tools":)" + deep + "}}}";
  const std::string both = with_entry(theirs, "s", make_entry('a'));
  EXPECT_THAT(both, HasSubstr(deep));
  EXPECT_EQ(tools_in(both, "s", 'a'), 2U);
}

TEST(Cache, text_that_is_not_utf8_is_stored_as_valid_json) {
  CacheEntry entry = make_entry('a');
  entry.listing.tools[0].description = "bad \xff byte";
  const std::string text = with_entry("", "s\xfe", entry);
  EXPECT_TRUE(is_json(text));
}

// Corruption: whatever happened to the file, reading it is safe, and writing gives a file that is
// in order again and holds the new entry.
class CacheCorruption : public ::testing::Test {
 protected:
  static CacheEntry small_entry(char digit) {
    CacheEntry entry;
    entry.identity.own = hash_of(digit);
    entry.cached_at = now;
    entry.listing.tools.emplace_back().name = "t";
    entry.listing.tools[0].description = "a \"b\\";
    return entry;
  }

  static void expect_recovers(const std::string& text) {
    const CacheUpdate update = updated(text, "new", small_entry('c'));
    if (update.outcome == CacheUpdate::Outcome::newer_version) {
      return;
    }
    ASSERT_TRUE(is_json(update.text)) << "from " << text.substr(0, 1000);
    ASSERT_EQ(tools_in(update.text, "new", 'c'), 1U) << "from " << text.substr(0, 1000);
  }

  std::string good = with_entry(with_entry("", "one", small_entry('a')), "two", small_entry('b'));
};

TEST_F(CacheCorruption, a_file_cut_at_any_byte_keeps_its_whole_entries) {
  const std::size_t second = good.find("\"two\"");
  for (std::size_t length = 0; length < good.size(); ++length) {
    const std::string cut = good.substr(0, length);
    expect_recovers(cut);
    const std::string repaired = with_entry(cut, "new", small_entry('c'));
    const std::size_t expected = length >= second - 1 ? 1U : 0U;
    EXPECT_EQ(tools_in(cut, "one", 'a'), expected) << length;
    EXPECT_EQ(tools_in(repaired, "one", 'a'), expected) << length;
  }
}

TEST_F(CacheCorruption, no_flipped_byte_breaks_reading_or_writing) {
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const unsigned mask : {0x01U, 0x20U, 0x80U}) {
      std::string flipped = good;
      flipped[i] = static_cast<char>(static_cast<unsigned char>(flipped[i]) ^ mask);
      (void)find(flipped, "one", 'a');  // only that it returns
      expect_recovers(flipped);
    }
  }
}

TEST_F(CacheCorruption, damage_in_one_entry_leaves_the_others) {
  std::string damaged = good;
  damaged[damaged.find("a \\\"b")] = '\n';
  EXPECT_FALSE(find(damaged, "one", 'a'));
  EXPECT_EQ(tools_in(damaged, "two", 'b'), 1U);
  EXPECT_EQ(tools_in(with_entry(damaged, "new", small_entry('c')), "two", 'b'), 1U);
}

TEST_F(CacheCorruption, unbounded_nesting_is_harmless) {
  const std::string brackets(200'000, '[');
  expect_recovers(brackets);
  expect_recovers(R"({"version":1,"servers":{"one":)" + brackets);
  expect_recovers(R"({"version":1,"servers":{"one":)" + brackets + std::string(200'000, ']') +
                  "}}");
}

TEST_F(CacheCorruption, endless_strings_and_backslashes_are_harmless) {
  expect_recovers(R"({"version":1,"servers":{"one":")" + std::string(1'000'001, '\\'));
  expect_recovers(R"({"version":1,"servers":{"\u12":{}}})");
  std::string quotes = R"({"version":1,"servers":{"one":")";
  for (int i = 0; i < 100'000; ++i) {
    quotes += "\\\"";
  }
  expect_recovers(quotes);
}

TEST(Cache, what_was_left_out_of_lists_is_kept_as_notes) {
  CacheEntry entry;
  entry.identity.own = hash_of('a');
  entry.cached_at = now;
  entry.listing.tools.push_back(make_tool("t"));
  entry.listing.notes = {"1 of tools/list left out"};
  const CacheSnapshot snapshot = CacheSnapshot::parse(SharedText(with_entry("", "s", entry)));
  const std::optional<CacheEntry> found = snapshot.find("s", hash_of('a'), now);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->listing.notes, entry.listing.notes);
}

TEST(Cache, the_protocol_that_a_server_works_in_is_kept_with_its_lists) {
  CacheEntry entry = make_entry('a');
  entry.listing.era = {.revision = mcp::Revision::r2025_11_25,
                       .has_session = true,
                       .tried_handshake = true,
                       .server = "x 1"};
  const std::string text = with_entry("", "s", entry);
  const std::optional<mcp::Era> era = known(text, "s", 'a').listing.era;
  ASSERT_TRUE(era);
  EXPECT_EQ(era->revision, mcp::Revision::r2025_11_25);
  EXPECT_TRUE(era->has_session);
  EXPECT_TRUE(era->tried_handshake);
  EXPECT_EQ(era->server, "x 1");
  EXPECT_EQ(with_entry(text, "s", entry), text);
  entry.listing.era.reset();
  EXPECT_FALSE(known(with_entry(text, "s", entry), "s", 'a').listing.era) << "it was pinned";
}

TEST(Cache, an_entry_larger_than_a_catalog_may_be_is_not_known) {
  CacheEntry entry;
  entry.identity.own = hash_of('a');
  entry.cached_at = now;
  entry.listing.tools.push_back(make_tool("t"));
  entry.listing.tools.back().description = std::string(cache_entry_bytes_max, 'd');
  CacheEntry small = entry;
  small.listing.tools.back().description = "d";
  const CacheSnapshot snapshot =
      CacheSnapshot::parse(SharedText(with_entry(with_entry("", "large", entry), "small", small)));
  EXPECT_FALSE(snapshot.find("large", hash_of('a'), now));
  EXPECT_TRUE(snapshot.find("small", hash_of('a'), now));
}

// A server that lists some tools only to hosts that declare something.
TEST(Cache, what_was_seen_of_a_server_is_kept_and_what_lasts_stays) {
  CacheEntry entry = make_entry('a');
  entry.seen = "state asked";
  const std::string first = with_entry("", "echo", entry);
  EXPECT_EQ(known(first, "echo", 'a').seen, "asked state");
  entry.seen = "roots stateless";
  const std::string second = with_entry(first, "echo", entry);
  EXPECT_EQ(known(second, "echo", 'a').seen, "asked roots stateless");
  entry.identity.own = hash_of('b');
  entry.seen = "";
  EXPECT_EQ(known(with_entry(second, "echo", entry), "echo", 'b').seen, "") << "another server";
}

class CacheByCapabilities : public testing::Test {
 protected:
  void listed(std::string declared, std::vector<std::string> tools, EpochMs at = now) {
    CacheEntry entry;
    entry.identity.own = hash_of('a');
    entry.cached_at = at;
    entry.declared = std::move(declared);
    for (std::string& tool : tools) {
      mcp::Tool& added = entry.listing.tools.emplace_back();
      added.name = std::move(tool);
    }
    file = with_entry(file, "s", entry);
  }
  // The names of the tools that such a host sees.
  [[nodiscard]] std::string seen_with(std::string_view declared) const {
    const auto found =
        CacheSnapshot::parse(SharedText(std::string(file))).find("s", hash_of('a'), now, declared);
    std::string names;
    for (const mcp::Tool& tool : found.value_or(CacheEntry{}).listing.tools) {
      names += (names.empty() ? "" : " ") + tool.name;
    }
    return names;
  }
  // What a program sees that knows nothing of this.
  [[nodiscard]] std::size_t base_tools() const {
    const json::Document document = json::Document::parse_view(file).value();
    return document.root().at({"servers", "s", "tools"}).size();
  }
  std::string file;
};

TEST_F(CacheByCapabilities, a_weaker_host_removes_nothing_for_a_stronger_one) {
  listed("elicitation sampling", {"a", "ask", "sample"});
  listed("", {"a"});
  EXPECT_EQ(seen_with("elicitation sampling"), "a ask sample");
  EXPECT_EQ(seen_with(""), "a");
  EXPECT_EQ(base_tools(), 3U);
}

TEST_F(CacheByCapabilities, a_stronger_host_offers_nothing_new_to_a_weaker_one) {
  listed("", {"a"});
  listed("elicitation", {"a", "ask"});
  EXPECT_EQ(seen_with(""), "a");
  EXPECT_EQ(seen_with("elicitation"), "a ask");
  EXPECT_EQ(base_tools(), 2U) << "other programs see most";
  listed("elicitation sampling", {"a", "ask", "sample"});
  listed("elicitation", {"a", "ask", "new"});
  EXPECT_EQ(seen_with("elicitation"), "a ask new");
  EXPECT_EQ(seen_with("elicitation sampling"), "a ask sample");
  EXPECT_EQ(seen_with(""), "a");
}

TEST_F(CacheByCapabilities, a_host_of_another_kind_sees_what_a_weaker_one_was_listed) {
  listed("sampling", {"a", "sample"});
  EXPECT_EQ(seen_with("roots"), "a sample") << "nothing says that anything depends on it";
  listed("", {"a"});
  EXPECT_EQ(seen_with("roots"), "a");
  EXPECT_EQ(seen_with("roots sampling"), "a sample");
}

TEST_F(CacheByCapabilities, lists_that_are_equal_are_kept_once) {
  listed("elicitation", {"a", "b"}, before(1));
  const std::string once = file;
  listed("", {"a", "b"});
  EXPECT_EQ(file, once);
  listed("", {"a"});
  EXPECT_THAT(file, HasSubstr("byCapabilities"));
  listed("", {"a", "b"});
  EXPECT_THAT(file, Not(HasSubstr("byCapabilities")));
}

TEST_F(CacheByCapabilities, another_definition_or_an_unknown_writer_is_replaced) {
  file = R"({"version":1,"servers":{"s":{"configHash":")" + hash_of('a') +
         R"(","tools":[{"name":"old"}],"cachedAt":1800000000000}}})";
  EXPECT_EQ(seen_with("roots"), "old");
  listed("", {"a"});
  EXPECT_EQ(seen_with("roots"), "a");
  listed("roots", {"a", "r"});
  listed("", {"a", "b"}, before(2 * day_ms));
  file.replace(file.find(hash_of('a')), 64, hash_of('b'));
  listed("", {"c"});
  EXPECT_EQ(seen_with("roots"), "c");
}

TEST_F(CacheByCapabilities, each_list_has_an_age_of_its_own) {
  listed("roots", {"a", "r"}, before(8 * day_ms));
  listed("", {"a"});
  EXPECT_EQ(seen_with("roots"), "") << "too old";
  EXPECT_EQ(seen_with(""), "a");
}

TEST_F(CacheByCapabilities, only_so_many_are_kept) {
  for (int i = 0; i < 20; ++i) {
    listed("x" + std::to_string(i), {"t" + std::to_string(i)});
  }
  EXPECT_EQ(seen_with("x19"), "t19");
  const json::Document document = json::Document::parse_view(file).value();
  EXPECT_EQ(document.root().at({"servers", "s", "byCapabilities"}).size(), 8U);
}

}  // namespace
}  // namespace pi_mcp::catalog
