#include "json/text_pieces.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "json/writer.h"

namespace pi_mcp::json {
namespace {

// A character of every length, escapes of every length, and what only looks like one.
constexpr std::string_view mixed =
    R"("a\\u0041é\u00e9\"\ud83d\ude00\ud83d x€😀\n\\\\\\n\u20ac\ud83d\ud83d\ude00")";

TEST(TextPieces, put_together_are_the_decoded_text_however_small_they_are) {
  const Result<Document> document = Document::parse_view(mixed);
  ASSERT_TRUE(document) << document.error().message();
  for (std::size_t bytes = 0; bytes <= mixed.size() + 1; ++bytes) {
    std::string together;
    for_each_piece(
        document->root(),
        [&together](std::string_view piece) {
          EXPECT_TRUE(text::is_valid_utf8(piece));
          together += piece;
        },
        bytes);
    EXPECT_EQ(together, document->root().as_string()) << bytes;
  }
}

TEST(TextPieces, have_the_size_that_is_wanted) {
  const Result<Document> document = Document::parse(json::quoted(std::string(1000, 'x')));
  std::size_t pieces = 0;
  for_each_piece(
      document->root(),
      [&pieces](std::string_view piece) {
        EXPECT_EQ(piece.size(), 100U);
        ++pieces;
      },
      100);
  EXPECT_EQ(pieces, 10U);
}

TEST(TextPieces, are_none_of_what_is_no_text) {
  for (const std::string_view json : {"\"\"", "7", "[\"a\"]"}) {
    const Result<Document> document = Document::parse_view(json);
    for_each_piece(document->root(), [](std::string_view) { ADD_FAILURE(); });
  }
  for_each_piece({}, [](std::string_view) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace pi_mcp::json
