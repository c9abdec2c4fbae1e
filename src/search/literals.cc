#include "search/literals.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "base/text.h"

namespace pi_mcp::search {
namespace {

constexpr std::string_view url_words = "url link web page website";

constexpr std::string_view site_endings = "ai co com dev edu gov io net org";
constexpr std::string_view dates =
    "april august december february friday january july june march may monday november october "
    "saturday september sunday thursday tomorrow tonight tuesday wednesday yesterday";

struct FileType {
  std::string_view endings;
  std::string_view words;
};
constexpr auto file_types =
    std::to_array<FileType>({{.endings = "csv", .words = "csv spreadsheet table"},
                             {.endings = "xls xlsx", .words = "excel workbook sheet"},
                             {.endings = "doc docx", .words = "word docx"},
                             {.endings = "ppt pptx", .words = "presentation powerpoint"},
                             {.endings = "pdf", .words = "pdf"},
                             {.endings = "md", .words = "markdown"},
                             {.endings = "json", .words = "json"},
                             {.endings = "gif jpeg jpg png", .words = "image"},
                             {.endings = "mov mp4", .words = "video"},
                             {.endings = "mp3 wav", .words = "audio"}});

bool contains(std::string_view words, std::string_view word) {
  const std::vector<std::string_view> list = text::words(words);
  return std::ranges::find(list, word) != list.end();
}

// The part behind the last dot, in lower case, when it looks like the ending of a file or a site.
std::string ending_of(std::string_view piece) {
  constexpr std::size_t shortest = 2;
  constexpr std::size_t longest = 4;
  const std::size_t dot = piece.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || piece.find("..") != std::string_view::npos) {
    return {};
  }
  const std::string_view ending = piece.substr(dot + 1);
  const bool plausible = ending.size() >= shortest && ending.size() <= longest &&
                         ascii::is_letter(ending.front()) && ascii::is_alphanumeric(piece[dot - 1]);
  return plausible ? text::lower(ending) : std::string();
}

// Digits with - / : . , between them.
std::optional<Literal> number(std::string_view piece) {
  constexpr std::size_t date_digits_min = 6;
  const auto digits = static_cast<std::size_t>(std::ranges::count_if(piece, ascii::is_digit));
  const auto joints = static_cast<std::size_t>(std::ranges::count_if(
      piece, [](char c) { return std::string_view("-/:.,").find(c) != std::string_view::npos; }));
  if (digits == 0 || digits + joints != piece.size()) {
    return std::nullopt;
  }
  if (joints == 2 && digits >= date_digits_min) {
    return Literal{"date day"};
  }
  if (piece.find(':') != std::string_view::npos) {
    return Literal{"time"};
  }
  const bool year = piece.size() == 4 && joints == 0 &&
                    (piece.starts_with("18") || piece.starts_with("19") || piece.starts_with("20"));
  return year ? Literal{"year"} : Literal{};
}

}  // namespace

std::optional<Literal> literal_of(std::string_view piece) {
  if (piece.starts_with("http://") || piece.starts_with("https://") || piece.starts_with("www.")) {
    return Literal{url_words};
  }
  if (const std::string ending = ending_of(piece); !ending.empty()) {
    if (const std::size_t at = piece.find('@'); at != std::string_view::npos && at > 0) {
      return Literal{"email mail address"};
    }
    if (contains(site_endings, ending)) {
      return Literal{url_words};
    }
    const auto* const type = std::ranges::find_if(
        file_types, [&ending](const FileType& known) { return contains(known.endings, ending); });
    return type == file_types.end() ? Literal{"file path document"}
                                    : Literal{"file path document", type->words};
  }
  if (piece.size() > 1 && piece[0] == '/' && ascii::is_letter(piece[1])) {
    return Literal{"file directory path"};
  }
  if (piece.size() > 1 && piece[0] == '$') {
    return Literal{ascii::is_digit(piece[1]) ? "amount price" : "stock symbol"};
  }
  if (contains(dates, text::lower(piece))) {
    return Literal{"date day"};
  }
  return number(piece);
}

}  // namespace pi_mcp::search
