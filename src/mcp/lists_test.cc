#include "mcp/lists.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

rpc::Message answer(const std::string& member) {
  Result<rpc::Message> message = rpc::Message::parse(R"({"id":1,)" + member + "}");
  EXPECT_TRUE(message) << message.error().message();
  return *std::move(message);
}

rpc::Message page(const std::string& list, const std::string& items, const std::string& rest = "") {
  return answer(R"("result":{")" + list + R"(":[)" + items + "]" + rest + "}");
}

TEST(Pager, refuses_what_is_no_list) {
  Listing listing;
  EXPECT_EQ(Pager(ListKind::tools)
                .take(answer(R"("error":{"code":-32601,"message":"nope"})"), listing)
                .error()
                .message(),
            "the server refused: nope (code -32601)");
  rpc::Message broken = answer(R"("error":{"code":-32603,"message":"s sent a broken answer: x"})");
  broken.stands_for_unreadable();
  EXPECT_EQ(Pager(ListKind::tools).take(broken, listing).error().message(),
            "s sent a broken answer: x; only its author can mend that");
  EXPECT_EQ(Pager(ListKind::prompts).take(page("tools", ""), listing).error().message(),
            "the server's answer has no array \"prompts\"");
}

TEST(Pager, null_is_an_empty_list) {
  for (const auto& [kind, name] : {std::pair(ListKind::tools, "tools"),
                                   std::pair(ListKind::resources, "resources"),
                                   std::pair(ListKind::templates, "resourceTemplates"),
                                   std::pair(ListKind::prompts, "prompts")}) {
    Listing listing;
    Pager pager(kind);
    const std::string list(name);
    EXPECT_EQ(pager.take(answer(R"("result":{")" + list + R"(":null,"nextCursor":"2"})"), listing),
              true)
        << "its pages go on";
    EXPECT_EQ(pager.take(answer(R"("result":{")" + list + R"(":null})"), listing), false);
    EXPECT_EQ(listing.skipped, 0U);
  }
}

TEST(Pager, an_empty_cursor_ends_the_list_where_the_revision_allows_it) {
  Listing listing;
  EXPECT_FALSE(*Pager(ListKind::tools).take(page("tools", "", R"(,"nextCursor":"")"), listing));
  EXPECT_FALSE(*Pager(ListKind::tools).take(page("tools", "", R"(,"nextCursor":null)"), listing));
  EXPECT_TRUE(*Pager(ListKind::tools, {.empty_cursors = true})
                   .take(page("tools", "", R"(,"nextCursor":"")"), listing));
}

TEST(Pager, reads_tools_and_keeps_their_schemas_as_written) {
  Listing listing;
  Pager pager(ListKind::tools);
  EXPECT_FALSE(*pager.take(
      page("tools",
           R"({"name":"add","title":"Add","description":"adds","inputSchema":{ "type":"object" },)"
           R"("outputSchema":true,"annotations":{"readOnlyHint":true}},{"name":"bare"})"),
      listing));
  ASSERT_EQ(listing.tools.size(), 2U);
  EXPECT_EQ(listing.tools[0].name + listing.tools[0].title + listing.tools[0].description,
            "addAddadds");
  EXPECT_EQ(listing.tools[0].input_schema.view(), R"({ "type":"object" })");
  EXPECT_TRUE(listing.tools[0].others.empty());
  EXPECT_EQ(listing.tools[0].annotations.view(), R"({"readOnlyHint":true})");
  EXPECT_TRUE(listing.tools[1].input_schema.empty());
  EXPECT_EQ(pager.warning(), "");
}

TEST(Pager, of_all_pages_the_shortest_time_and_the_narrowest_circle_count) {
  Listing listing;
  Pager pager(ListKind::tools);
  const auto take = [&](const std::string& rest) {
    (void)pager.take(page("tools", "", rest), listing);
    return listing.caching.value_or(Caching{});
  };
  EXPECT_EQ(take(R"(,"ttlMs":9000,"cacheScope":"public","nextCursor":"1")").ttl,
            Milliseconds(9000));
  EXPECT_FALSE(listing.caching->is_private);
  EXPECT_EQ(take(R"(,"ttlMs":5000,"cacheScope":"private","nextCursor":"2")").ttl,
            Milliseconds(5000));
  EXPECT_EQ(take(R"(,"ttlMs":7000,"cacheScope":"public","nextCursor":"3")").ttl,
            Milliseconds(5000));
  EXPECT_TRUE(listing.caching->is_private);
}

TEST(Pager, a_time_to_live_that_is_absent_or_strange_is_over_at_once) {
  for (const char* const rest : {"", R"(,"ttlMs":-1)", R"(,"ttlMs":"9")", R"(,"ttlMs":1e30)"}) {
    Listing listing;
    EXPECT_TRUE(Pager(ListKind::tools).take(page("tools", "", rest), listing));
    EXPECT_EQ(listing.caching.value_or(Caching{.ttl = Milliseconds(1)}).ttl, Milliseconds(0))
        << rest;
    EXPECT_TRUE(listing.caching.value_or(Caching{.is_private = false}).is_private) << rest;
  }
  Listing listing;
  EXPECT_TRUE(
      Pager(ListKind::tools).take(page("tools", "", R"(,"ttlMs":9007199254740991)"), listing));
  EXPECT_EQ(listing.caching.value_or(Caching{}).ttl, list_ttl_max);
}

TEST(Pager, skips_and_counts_items_without_a_name_and_items_that_came_before) {
  Listing listing;
  Pager pager(ListKind::tools);
  EXPECT_FALSE(*pager.take(
      page("tools", R"({"name":"a"},{"name":""},{"name":7},{},null,"x",{"name":"a"},{"name":"b"})"),
      listing));
  EXPECT_EQ(listing.tools.size(), 2U);
  EXPECT_EQ(listing.skipped, 6U);
}

TEST(Pager, hides_tools_that_are_not_for_the_model) {
  Listing listing;
  Pager pager(ListKind::tools);
  EXPECT_FALSE(*pager.take(page("tools",
                                R"({"name":"app","_meta":{"ui":{"visibility":["app"]}}},)"
                                R"({"name":"both","_meta":{"ui":{"visibility":["app","model"]}}},)"
                                R"({"name":"odd","_meta":{"ui":{"visibility":"app"}}})"),
                           listing));
  ASSERT_EQ(listing.tools.size(), 2U);
  EXPECT_EQ(listing.tools[0].name, "both");
  EXPECT_EQ(listing.skipped, 0U);
}

TEST(Pager, keeps_members_that_it_does_not_know_but_not_broken_ones) {
  Listing listing;
  (void)Pager(ListKind::tools)
      .take(page("tools",
                 R"({"name":"t","outputSchema":{ "type": "object" },"future":[ 1 ],"icons":7,)"
                 R"("_meta":{"a": 1.0,"pi-mcp/x":1},"execution":"x"})"),
            listing);
  (void)Pager(ListKind::templates)
      .take(page("resourceTemplates", R"({"uriTemplate":"a:{x}","name":"n","icons":[]})"), listing);
  (void)Pager(ListKind::prompts)
      .take(page("prompts", R"({"name":"p","_meta":{},"arguments":[{"name":"x","title":"X"}]})"),
            listing);
  ASSERT_EQ(listing.tools.size() + listing.templates.size() + listing.prompts.size(), 3U);
  EXPECT_EQ(listing.tools[0].others.view(),
            R"("outputSchema":{"type":"object"},"future":[1],"_meta":{"a":1.0})");
  EXPECT_EQ(listing.templates[0].uri, "a:{x}");
  EXPECT_EQ(listing.templates[0].others.view(), R"("icons":[])");
  EXPECT_EQ(listing.prompts[0].others.view(), R"("_meta":{})");
  EXPECT_EQ(listing.prompts[0].arguments[0].others.view(), R"("title":"X")");
}

TEST(Pager, reads_resources_and_prompts) {
  Listing listing;
  EXPECT_FALSE(*Pager(ListKind::resources)
                    .take(page("resources",
                               R"({"uri":"demo://r","name":"R","title":"T","description":"d",)"
                               R"("mimeType":"text/plain"},{"name":"no uri"})"),
                          listing));
  ASSERT_EQ(listing.resources.size(), 1U);
  EXPECT_EQ(listing.resources[0].uri, "demo://r");
  EXPECT_EQ(listing.resources[0].mime_type, "text/plain");
  EXPECT_FALSE(*Pager(ListKind::prompts)
                    .take(page("prompts",
                               R"({"name":"p","arguments":[{"name":"x","required":true},)"
                               R"({"name":"y","description":"why"},{}]})"),
                          listing));
  ASSERT_EQ(listing.prompts.size(), 1U);
  ASSERT_EQ(listing.prompts[0].arguments.size(), 2U);
  EXPECT_TRUE(listing.prompts[0].arguments[0].required);
  EXPECT_EQ(listing.prompts[0].arguments[1].description, "why");
  EXPECT_EQ(listing.skipped, 1U);
}

TEST(Pager, follows_cursors) {
  Listing listing;
  Pager pager(ListKind::tools);
  EXPECT_TRUE(pager.params().empty());
  EXPECT_TRUE(*pager.take(page("tools", R"({"name":"a"})", R"(,"nextCursor":"a\"b")"), listing));
  EXPECT_EQ(pager.params().view(), R"({"cursor":"a\"b"})");
  EXPECT_FALSE(*pager.take(page("tools", R"({"name":"b"})", R"(,"nextCursor":"")"), listing));
  EXPECT_EQ(listing.tools.size(), 2U);
  EXPECT_FALSE(*Pager(ListKind::tools).take(page("tools", "", R"(,"nextCursor":null)"), listing));
  EXPECT_EQ(pager.warning(), "");
}

TEST(Pager, a_cursor_that_comes_again_ends_the_list) {
  Listing listing;
  Pager pager(ListKind::tools);
  const rpc::Message same = page("tools", R"({"name":"a"})", R"(,"nextCursor":"x")");
  EXPECT_TRUE(*pager.take(same, listing));
  EXPECT_FALSE(*pager.take(same, listing));
  EXPECT_EQ(listing.tools.size(), 1U);
  EXPECT_EQ(
      pager.warning(),
      "tools/list never ends: the server gives the same cursor again; what came twice is left "
      "out");
}

TEST(Pager, pages_and_items_are_limited) {
  Listing listing;
  Pager pager(ListKind::tools, {.pages_max = 3});
  int pages = 1;
  while (*pager.take(page("tools", "", R"(,"nextCursor":")" + std::to_string(pages) + "\""),
                     listing)) {
    ++pages;
  }
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(pager.warning(), "tools/list has more than 3 pages; the rest is left out");

  Pager few(ListKind::tools, {.items_max = 2});
  EXPECT_FALSE(*few.take(page("tools", R"({"name":"a"},{"name":"b"},{"name":"c"})"), listing));
  EXPECT_EQ(listing.tools.size(), 2U);
  EXPECT_EQ(few.warning(), "tools/list has more than 2 items; the rest is left out");

  Pager small(ListKind::tools, {.bytes_max = 10});
  EXPECT_FALSE(*small.take(page("tools", R"({"name":"d"})", R"(,"nextCursor":"x")"), listing));
  EXPECT_EQ(small.warning(),
            "tools/list: page 1 of 59B and what follows is left out, because the lists of a server "
            "may have 10B together");
  EXPECT_EQ(listing.notes.back(), small.warning());
}

TEST(Pager, lists_that_are_read_together_share_their_limit_and_what_came_before_stays) {
  Listing listing;
  std::size_t bytes = 0;
  Pager tools(ListKind::tools, {.bytes_max = 150, .bytes = &bytes});
  Pager prompts(ListKind::prompts, {.bytes_max = 150, .bytes = &bytes});
  EXPECT_TRUE(*tools.take(page("tools", R"({"name":"a"})", R"(,"nextCursor":"x")"), listing));
  EXPECT_FALSE(*prompts.take(page("prompts", R"({"name":"p"})"), listing));
  EXPECT_FALSE(*tools.take(page("tools", R"({"name":"b"})", R"(,"nextCursor":"y")"), listing));
  EXPECT_EQ(listing.tools.size(), 1U);
  EXPECT_EQ(listing.prompts.size(), 1U);
  EXPECT_NE(tools.warning(), "");
  EXPECT_EQ(listing.notes, std::vector<std::string>{tools.warning()});
}

TEST(Pager, names_that_are_too_long_are_left_out_and_noted) {
  Listing listing;
  Pager pager(ListKind::tools);
  const std::string longest(name_bytes_max, 'l');
  EXPECT_FALSE(*pager.take(page("tools",
                                R"({"name":"a"},{"name":")" + longest + R"("},{"name":")" +
                                    std::string(name_bytes_max + 1, 'x') + R"("},{"name":")" +
                                    std::string(name_bytes_max * 10, 'y') + R"("})"),
                           listing));
  EXPECT_EQ(listing.tools.size(), 2U);
  EXPECT_EQ(listing.skipped, 2U);
  ASSERT_EQ(listing.notes.size(), 1U);
  EXPECT_EQ(listing.notes[0],
            "2 of tools/list left out: the name is longer than 1.0KB (\"" + std::string(39, 'x') +
                "\u2026\")");
}

TEST(Lists, are_known_by_their_methods) {
  for (const ListKind kind : {ListKind::tools, ListKind::resources, ListKind::prompts}) {
    std::string changed = "notifications/" + std::string(list_method(kind)) + "_changed";
    EXPECT_EQ(changed_list(changed), kind);
  }
  EXPECT_EQ(changed_list("notifications/roots/list_changed"), std::nullopt);
  EXPECT_TRUE(has_list({.prompts = true}, ListKind::prompts));
  EXPECT_FALSE(has_list({.prompts = true}, ListKind::tools));
  EXPECT_FALSE(has_list({.prompts = true}, ListKind::resources));
}

}  // namespace
}  // namespace pi_mcp::mcp
