#include "catalog/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::catalog {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Names = std::vector<std::string>;

mcp::Listing listing_of(const Names& tools, const Names& resources = {}) {
  mcp::Listing listing;
  for (const std::string& name : tools) {
    mcp::Tool tool;
    tool.name = name;
    tool.description = "does " + name;
    listing.tools.push_back(tool);
  }
  for (const std::string& name : resources) {
    mcp::Resource resource;
    resource.name = name;
    resource.uri = "demo://" + name;
    listing.resources.push_back(resource);
  }
  return listing;
}

ServerView with_prefix(PrefixMode prefix) {
  ServerView view;
  view.prefix = prefix;
  return view;
}

ServerView without_resources() {
  ServerView view;
  view.expose_resources = false;
  return view;
}

ServerView with_globs(Names include, Names exclude) {
  ServerView view;
  view.include = std::move(include);
  view.exclude = std::move(exclude);
  return view;
}

// A catalog with live servers, and the outcome of a lookup as text.
class CatalogTest : public ::testing::Test {
 protected:
  void add(const std::string& server, const Names& tools, ServerView view = {}) {
    catalog.add_server(server, std::move(view));
    catalog.update(server, listing_of(tools), Knowledge::live);
  }

  static std::string label(const CatalogTool& tool) { return tool.server + "/" + tool.original; }

  static std::string text_of(const Lookup& lookup) {
    switch (lookup.kind) {
      case Lookup::Kind::found:
        return label(*lookup.tool);
      case Lookup::Kind::none:
        return "none";
      case Lookup::Kind::ambiguous:
        break;
    }
    std::string text = "ambiguous:";
    for (const CatalogTool* tool : lookup.candidates) {
      text += " " + label(*tool);
    }
    return text;
  }

  std::string find(std::string_view name, std::string_view server = "") {
    return text_of(catalog.find(name, server, {}));
  }

  Names shown(std::string_view server) {
    Names names;
    for (const CatalogTool& tool : catalog.tools(server)) {
      names.push_back(tool.name);
    }
    return names;
  }

  Catalog catalog;
};

TEST_F(CatalogTest, answers_for_a_server_that_is_not_configured) {
  EXPECT_EQ(catalog.knowledge("x"), Knowledge::unknown);
  EXPECT_THAT(catalog.tools("x"), IsEmpty());
  EXPECT_EQ(catalog.skipped("x"), 0U);
  EXPECT_FALSE(catalog.update("x", listing_of({"a"}), Knowledge::live));
  EXPECT_EQ(find("a", "x"), "none");
}

TEST_F(CatalogTest, finds_nothing_when_no_spelling_fits) {
  add("echo", {"echo", "add"});
  EXPECT_EQ(find("echo_nope"), "none");
  EXPECT_EQ(find(""), "none");
  EXPECT_EQ(find("ECHO_ADD"), "none");
}

TEST_F(CatalogTest, the_same_name_on_two_servers_is_ambiguous_until_the_server_is_named) {
  add("one", {"echo"}, with_prefix(PrefixMode::none));
  add("two", {"echo"}, with_prefix(PrefixMode::none));
  EXPECT_EQ(find("echo"), "ambiguous: one/echo two/echo");
  EXPECT_EQ(find("echo", "two"), "two/echo");
}

TEST_F(CatalogTest, two_tools_of_one_server_that_fold_alike_are_ambiguous_unless_spelled_exactly) {
  add("s", {"a-b_c", "a_b-c"});
  EXPECT_EQ(find("s_a_b_c"), "ambiguous: s/a-b_c s/a_b-c");
  EXPECT_EQ(find("s_a-b_c"), "s/a-b_c");
  EXPECT_EQ(find("a_b-c"), "s/a_b-c");
}

TEST_F(CatalogTest, every_historic_spelling_finds_its_tool) {
  add("xcodebuild-mcp", {"list_sims"});
  add("context7", {"resolve-library-id"});
  add("my.server", {"a.b"});
  const auto expect_found = [this](std::string_view tool, const Names& names) {
    for (const std::string& name : names) {
      EXPECT_EQ(find(name), tool) << name;
    }
  };
  expect_found("xcodebuild-mcp/list_sims",
               {"xcodebuild-mcp_list_sims",
                "xcodebuild_mcp_list_sims",
                "xcodebuild_list_sims",
                "mcp__xcodebuild-mcp_list_sims",
                "mcp__xcodebuild-mcp__list_sims",
                "list_sims",
                "list-sims"});
  expect_found("context7/resolve-library-id",
               {"context7_resolve_library_id", "resolve_library_id"});
  expect_found("my.server/a.b", {"my_2e_server_a_b", "my.server_a.b", "a_b", "a.b"});
}

TEST_F(CatalogTest, a_resource_is_found_by_its_newer_and_its_older_name) {
  catalog.add_server("res", {});
  catalog.update("res", listing_of({}, {"My Resource!"}), Knowledge::live);
  for (const char* name :
       {"res_read_my_resource", "res_get_my_resource", "get_my_resource", "read_my_resource"}) {
    EXPECT_EQ(find(name), "res/read_my_resource") << name;
  }
  const CatalogTool& tool = catalog.tools("res").front();
  EXPECT_TRUE(tool.is_resource());
  EXPECT_EQ(tool.resource_uri, "demo://My Resource!");
  EXPECT_EQ(tool.description, "Read resource: demo://My Resource!");
}

TEST_F(CatalogTest, the_page_of_an_app_is_not_a_tool) {
  mcp::Listing listing = listing_of({"t"}, {"r", "page"});
  listing.resources.back().uri = "ui://page.html";
  catalog.add_server("res", {});
  catalog.update("res", std::move(listing), Knowledge::live);
  EXPECT_THAT(shown("res"), ElementsAre("res_t", "res_read_r"));
  EXPECT_EQ(find("read_page"), "none");
}

TEST_F(CatalogTest, resources_are_hidden_where_the_view_says_so) {
  catalog.add_server("res", without_resources());
  catalog.update("res", listing_of({"t"}, {"r"}), Knowledge::live);
  EXPECT_THAT(shown("res"), ElementsAre("res_t"));
  EXPECT_EQ(find("read_r"), "none");
}

TEST_F(CatalogTest, a_displayed_name_wins_over_an_original_name_elsewhere) {
  add("a", {"b_c"}, with_prefix(PrefixMode::none));
  add("b", {"c"});
  EXPECT_EQ(find("b_c"), "ambiguous: a/b_c b/c");
  add("z", {"b_c"});
  EXPECT_EQ(find("z_b_c"), "z/b_c");
  EXPECT_EQ(find("c"), "b/c");
}

TEST_F(CatalogTest, an_original_name_wins_over_a_folded_one) {
  add("one", {"x-y"});
  add("two", {"x_y"});
  EXPECT_EQ(find("x_y"), "two/x_y");
  EXPECT_EQ(find("x-y"), "one/x-y");
}

TEST_F(CatalogTest, a_historic_spelling_is_looked_for_on_the_server_with_the_longest_prefix) {
  add("git", {"hub_search"}, with_prefix(PrefixMode::none));
  add("git-hub", {"search"}, with_prefix(PrefixMode::none));
  EXPECT_EQ(find("git_hub_search"), "git-hub/search");
  add("git_hub", {"search"}, with_prefix(PrefixMode::none));
  EXPECT_EQ(find("git-hub_search"), "ambiguous: git-hub/search git_hub/search");
}

TEST_F(CatalogTest, servers_that_are_not_usable_are_passed_over) {
  add("one", {"echo"}, with_prefix(PrefixMode::none));
  add("two", {"echo"}, with_prefix(PrefixMode::none));
  const auto not_one = [](std::string_view server) {
    return server != "one";
  };
  EXPECT_EQ(text_of(catalog.find("echo", "", not_one)), "two/echo");
  EXPECT_EQ(text_of(catalog.find("one_echo", "", not_one)), "none");
}

TEST_F(CatalogTest, tools_that_would_be_shown_under_one_name_are_told_apart) {
  add("s", {"a.b", "ok", "a_b", "a-b", "a.b"});
  EXPECT_THAT(shown("s"), ElementsAre("s_a_b_2e73", "s_ok", "s_a_b", "s_a-b"));
  EXPECT_EQ(catalog.skipped("s"), 0U);
  EXPECT_THAT(catalog.notes("s"), IsEmpty());
  EXPECT_EQ(find("a.b"), "s/a.b");
  EXPECT_EQ(find("s_a_b_2e73"), "s/a.b");
  for (const char* name : {"a_b", "s_a_b"}) {
    EXPECT_EQ(find(name), "s/a_b");
    EXPECT_EQ(text_of(catalog.find(name, "s", {})), "s/a_b");
  }
  EXPECT_EQ(find("a-b"), "s/a-b");
  EXPECT_EQ(text_of(catalog.find("a.b", "s", {})), "s/a.b");
}

TEST_F(CatalogTest, without_a_prefix_they_are_told_apart_as_well) {
  add("s", {"a.b", "a_b"}, with_prefix(PrefixMode::none));
  EXPECT_THAT(shown("s"), ElementsAre("a_b_2e73", "a_b"));
  EXPECT_EQ(find("a_b"), "s/a_b");
}

TEST_F(CatalogTest, a_name_of_the_servers_own_beats_one_that_the_prefix_makes) {
  add("n8n", {"validate", "n8n_validate", "n8n_other"});
  EXPECT_THAT(shown("n8n"), ElementsAre("n8n_n8n_validate", "n8n_validate", "n8n_other"));
  EXPECT_EQ(find("n8n_validate"), "n8n/n8n_validate");
  EXPECT_EQ(find("validate"), "n8n/validate");
  EXPECT_EQ(find("n8n_n8n_validate"), "n8n/validate");
  EXPECT_THAT(catalog.notes("n8n"), IsEmpty());
}

TEST_F(CatalogTest, an_item_listed_twice_is_one_item) {
  add("s", {"a", "b", "a"});
  EXPECT_THAT(shown("s"), ElementsAre("s_a", "s_b"));
  EXPECT_EQ(catalog.skipped("s"), 0U);
}

TEST_F(CatalogTest, items_without_a_name_count_as_skipped) {
  catalog.add_server("s", {});
  mcp::Listing listing = listing_of({"a"});
  listing.skipped = 3;
  catalog.update("s", std::move(listing), Knowledge::live);
  EXPECT_EQ(catalog.skipped("s"), 3U);
}

TEST_F(CatalogTest, excluded_tools_can_neither_be_seen_nor_called_and_exclusion_wins) {
  add("s", {"get_a", "get_b", "put_a"}, with_globs({"get_*"}, {"s_get_b"}));
  EXPECT_THAT(shown("s"), ElementsAre("s_get_a"));
  EXPECT_EQ(find("s_get_b"), "none");
  EXPECT_EQ(find("put_a", "s"), "none");
}

TEST_F(CatalogTest, globs_match_original_displayed_and_older_names) {
  for (const char* glob : {"take_*", "my-srv_take_?", "my_srv_take_*", "mcp__my-srv_take_x"}) {
    Catalog fresh;
    fresh.add_server("my-srv", with_globs({glob}, {}));
    fresh.update("my-srv", listing_of({"take_x", "other"}), Knowledge::live);
    EXPECT_EQ(fresh.tools("my-srv").size(), 1U) << glob;
  }
}

TEST_F(CatalogTest, excluding_one_of_two_colliding_tools_keeps_the_other) {
  add("s", {"a.b", "a_b"}, with_globs({}, {"a.b"}));
  EXPECT_THAT(shown("s"), ElementsAre("s_a_b"));
}

TEST_F(CatalogTest, update_says_whether_tools_changed_and_grows_the_generation_only_then) {
  catalog.add_server("s", {});
  EXPECT_TRUE(catalog.update("s", listing_of({"a"}), Knowledge::cached));
  const CatalogTool* const tool = catalog.find("a", "", {}).tool;
  const std::uint64_t generation = catalog.generation();
  EXPECT_FALSE(catalog.update("s", listing_of({"a"}), Knowledge::live));
  EXPECT_EQ(catalog.generation(), generation);
  EXPECT_EQ(catalog.knowledge("s"), Knowledge::live);
  EXPECT_EQ(tool->original, "a");
  EXPECT_TRUE(catalog.update("s", listing_of({"a", "b"}), Knowledge::live));
  EXPECT_GT(catalog.generation(), generation);
  EXPECT_EQ(find("b"), "s/b");
}

// A server writes its JSON with white space, the cache keeps it without.
TEST_F(CatalogTest, a_tool_is_the_same_however_its_json_is_written) {
  const auto listing = [](std::string schema, std::string annotations) {
    mcp::Listing made = listing_of({"a"});
    made.tools[0].input_schema = SharedText(std::move(schema));
    made.tools[0].annotations = SharedText(std::move(annotations));
    return made;
  };
  const mcp::Listing spaced = listing(R"({"type": "object"})", R"({"readOnlyHint": true})");
  catalog.add_server("s", {});
  catalog.update(
      "s", listing(R"({"type":"object"})", R"({"readOnlyHint":true})"), Knowledge::cached);
  EXPECT_FALSE(catalog.would_change("s", spaced));
  EXPECT_FALSE(catalog.update("s", spaced, Knowledge::live));
  EXPECT_TRUE(catalog.update(
      "s", listing(R"({"type":"object"})", R"({"readOnlyHint":false})"), Knowledge::live));
  EXPECT_TRUE(catalog.update(
      "s", listing(R"({"type":"array"})", R"({"readOnlyHint":false})"), Knowledge::live));
}

TEST_F(CatalogTest, a_lost_connection_leaves_the_tools_as_cached) {
  add("s", {"a"});
  catalog.forget_live("s");
  catalog.forget_live("unknown");
  EXPECT_EQ(catalog.knowledge("s"), Knowledge::cached);
  EXPECT_THAT(shown("s"), ElementsAre("s_a"));
}

// What somebody else may not use is not told apart from what is not there.
TEST_F(CatalogTest, of_what_who_is_served_may_use_there_is_nothing_else) {
  mcp::Listing listing = listing_of({"get_a", "get_b", "put_a"}, {"notes", "plans"});
  for (const char* name : {"get_started", "review"}) {
    listing.prompts.emplace_back().name = name;
  }
  listing.templates.emplace_back().uri = "x://{a}";
  listing.notes = {"the tool del_a is left out"};
  listing.skipped = 1;
  ServerView view = with_globs({"get_*", "read_*"}, {"get_b"});
  view.only = {"*_a", "get_b", "*_notes", "*_started"};
  catalog.add_server("s", view);
  catalog.update("s", listing, Knowledge::live);
  EXPECT_EQ(find("get_a"), "s/get_a");
  EXPECT_EQ(find("get_b"), "none") << "the entry hides it";
  EXPECT_EQ(find("put_a"), "none") << "the entry does not name it";
  EXPECT_EQ(find("read_notes"), "s/read_notes");
  EXPECT_EQ(find("read_plans"), "none");
  ASSERT_EQ(catalog.prompts("s").size(), 1U);
  EXPECT_EQ(catalog.prompts("s").front().name, "get_started");
  ASSERT_EQ(catalog.resources("s").size(), 1U);
  EXPECT_FALSE(catalog.hides_resource("s", catalog.resources("s").front().uri));
  EXPECT_TRUE(catalog.hides_resource("s", listing.resources.back().uri));
  EXPECT_TRUE(catalog.hides_resource("s", "x://unlisted"));
  EXPECT_THAT(catalog.templates("s"), testing::IsEmpty());
  EXPECT_THAT(catalog.notes("s"), testing::IsEmpty());
  EXPECT_EQ(catalog.skipped("s"), 0U);
  EXPECT_FALSE(catalog.would_change("s", listing));
}

TEST_F(CatalogTest, an_offer_is_news_when_tools_prompts_or_instructions_differ) {
  add("s", {"a"});
  EXPECT_FALSE(catalog.would_change("s", listing_of({"a"})));
  EXPECT_FALSE(catalog.would_change("unknown", listing_of({"a"})));
  EXPECT_TRUE(catalog.would_change("s", listing_of({"a", "b"})));
  mcp::Listing other = listing_of({"a"});
  other.instructions = "new";
  EXPECT_TRUE(catalog.would_change("s", other));
  other = listing_of({"a"});
  other.prompts.emplace_back().name = "new";
  EXPECT_TRUE(catalog.would_change("s", other));
  EXPECT_THAT(shown("s"), ElementsAre("s_a")) << "it is only looked at";
}

TEST_F(CatalogTest, generations_begin_where_they_are_told_to) {
  Catalog later(1000);
  later.add_server("s", {});
  EXPECT_GT(later.generation(), 1000U);
}

TEST_F(CatalogTest, cached_tools_are_loaded_once_and_only_when_asked_for) {
  Names loaded;
  for (const char* server : {"one", "two"}) {
    catalog.add_server(server, {}, [&loaded, server]() -> std::optional<mcp::Listing> {
      loaded.emplace_back(server);
      return listing_of({"a"});
    });
  }
  EXPECT_THAT(catalog.servers_by_prefix("one_a"), ElementsAre("one"));
  EXPECT_THAT(loaded, IsEmpty());
  EXPECT_EQ(find("one_a", "one") + " " + find("one_a"), "one/a one/a");
  EXPECT_EQ(catalog.knowledge("one"), Knowledge::cached);
  EXPECT_THAT(loaded, ElementsAre("one"));
  EXPECT_EQ(find("a"), "ambiguous: one/a two/a");
  EXPECT_THAT(loaded, ElementsAre("one", "two"));
}

TEST_F(CatalogTest, a_server_without_a_cache_entry_stays_unknown) {
  catalog.add_server("s", {}, [] { return std::nullopt; });
  EXPECT_EQ(catalog.knowledge("s"), Knowledge::unknown);
  EXPECT_THAT(shown("s"), IsEmpty());
}

TEST_F(CatalogTest, what_a_connection_says_replaces_the_cache_unread) {
  catalog.add_server("s", {}, []() -> std::optional<mcp::Listing> {
    ADD_FAILURE() << "the cache was read";
    return std::nullopt;
  });
  EXPECT_TRUE(catalog.update("s", listing_of({"a"}), Knowledge::live));
  EXPECT_THAT(shown("s"), ElementsAre("s_a"));
}

TEST_F(CatalogTest, a_title_in_the_annotations_counts_where_there_is_no_other) {
  mcp::Listing listing = listing_of({"a", "b", "c"});
  listing.tools[0].annotations = SharedText(R"({"title":"Old","readOnlyHint":true})");
  listing.tools[1].annotations = SharedText(R"({"title":"Old"})");
  listing.tools[1].title = "New";
  listing.tools[2].annotations = SharedText(R"({"title":5})");
  catalog.add_server("s", {});
  catalog.update("s", std::move(listing), Knowledge::live);
  EXPECT_EQ(catalog.tools("s")[0].title, "Old");
  EXPECT_EQ(catalog.tools("s")[1].title, "New");
  EXPECT_EQ(catalog.tools("s")[2].title, "");
}

TEST_F(CatalogTest, words_of_a_server_are_known_without_its_lists) {
  int lists_read = 0;
  const auto cached = [](std::string instructions) {
    mcp::Listing listing = listing_of({"a"});
    listing.instructions = std::move(instructions);
    listing.title = "S";
    return std::optional(std::move(listing));
  };
  catalog.add_server(
      "s",
      {},
      [&] {
        ++lists_read;
        return cached("whole");
      },
      [&] { return cached("alone"); });
  EXPECT_EQ(catalog.words("s").instructions, "alone");
  EXPECT_EQ(catalog.words("s").title, "S");
  EXPECT_EQ(lists_read, 0);
  EXPECT_THAT(shown("s"), ElementsAre("s_a"));
  EXPECT_EQ(catalog.words("s").instructions, "whole") << "what is in memory is newer";
  EXPECT_EQ(lists_read, 1);
  EXPECT_EQ(catalog.words("unknown").title, "");
}

TEST_F(CatalogTest, servers_are_proposed_by_any_prefix_the_longest_first) {
  catalog.add_server("chrome", {});
  catalog.add_server("chrome-devtools-mcp", with_prefix(PrefixMode::none));
  catalog.add_server("other", {});
  EXPECT_THAT(catalog.servers_by_prefix("chrome_devtools_click"),
              ElementsAre("chrome-devtools-mcp", "chrome"));
  EXPECT_THAT(catalog.servers_by_prefix("mcp__other__x"), ElementsAre("other"));
  EXPECT_THAT(catalog.servers_by_prefix("chrome"), IsEmpty());
  EXPECT_THAT(catalog.servers_by_prefix("chromeless_x"), IsEmpty());
}

TEST_F(CatalogTest, instructions_come_with_the_offer) {
  catalog.add_server("s", {});
  mcp::Listing listing;
  listing.instructions = "be brief";
  EXPECT_FALSE(catalog.update("s", std::move(listing), Knowledge::live));
  EXPECT_EQ(catalog.instructions("s"), "be brief");
}

}  // namespace
}  // namespace pi_mcp::catalog
