#include "search/vocabulary.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace pi_mcp::search {
namespace {

TEST(TextTable, texts_of_every_length_have_numbers_of_their_own) {
  std::set<std::string> texts = {"",
                                 "a",
                                 "aa",
                                 "aaa",
                                 "ab",
                                 "ba",
                                 std::string("a\0", 2),
                                 std::string(1, '\0'),
                                 "sixteen letters.",
                                 "seventeen letters"};
  for (std::size_t size = 0; size < 40; ++size) {
    texts.insert(std::string(size, 'x'));
    texts.insert(std::string(size, 'x') + 'y');
    texts.insert('y' + std::string(size, 'x'));
  }
  TextTable table;
  for (const std::string& text : texts) {
    EXPECT_FALSE(table.find(WordKey(text))) << text;
    EXPECT_EQ(table.text(table.add(WordKey(text))), text);
  }
  EXPECT_EQ(table.size(), texts.size());
  for (const std::string& text : texts) {
    const std::uint32_t again = table.add(WordKey(text));
    EXPECT_LT(again, texts.size()) << text;
    EXPECT_EQ(table.find(WordKey(text)), again);
    EXPECT_EQ(table.text(again), text);
  }
}

}  // namespace
}  // namespace pi_mcp::search
