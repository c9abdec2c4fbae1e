#include "search/literals.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"

namespace pi_mcp::search {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 5> url_words = {"url", "link", "web", "page", "website"};
constexpr std::array<std::string_view, 3> email_words = {"email", "mail", "address"};
constexpr std::array<std::string_view, 3> file_words = {"file", "path", "document"};
constexpr std::array<std::string_view, 3> path_words = {"file", "directory", "path"};
constexpr std::array<std::string_view, 2> amount_words = {"amount", "price"};
constexpr std::array<std::string_view, 2> ticker_words = {"stock", "symbol"};
constexpr std::array<std::string_view, 2> date_words = {"date", "day"};
constexpr std::array<std::string_view, 1> time_words = {"time"};
constexpr std::array<std::string_view, 1> year_words = {"year"};
constexpr std::array<std::string_view, 2> place_words = {"city", "location"};

constexpr auto site_endings =
    std::to_array<std::string_view>({"ai", "co", "com", "dev", "edu", "gov", "io", "net", "org"});
constexpr auto dates = std::to_array<std::string_view>(
    {"april",    "august",   "december", "february", "friday",    "january",  "july",      "june",
     "march",    "may",      "monday",   "november", "october",   "saturday", "september", "sunday",
     "thursday", "tomorrow", "tonight",  "tuesday",  "wednesday", "yesterday"});

constexpr std::array<std::string_view, 3> csv_words = {"csv", "spreadsheet", "table"};
constexpr std::array<std::string_view, 3> excel_words = {"excel", "workbook", "sheet"};
constexpr std::array<std::string_view, 2> word_words = {"word", "docx"};
constexpr std::array<std::string_view, 2> slides_words = {"presentation", "powerpoint"};
constexpr std::array<std::string_view, 1> pdf_words = {"pdf"};
constexpr std::array<std::string_view, 1> markdown_words = {"markdown"};
constexpr std::array<std::string_view, 1> json_words = {"json"};
constexpr std::array<std::string_view, 1> image_words = {"image"};
constexpr std::array<std::string_view, 1> video_words = {"video"};
constexpr std::array<std::string_view, 1> audio_words = {"audio"};

struct Ending {
  std::string_view ending;
  Words words;
};
constexpr std::array endings = {Ending{.ending = "csv", .words = csv_words},
                                Ending{.ending = "xlsx", .words = excel_words},
                                Ending{.ending = "xls", .words = excel_words},
                                Ending{.ending = "doc", .words = word_words},
                                Ending{.ending = "docx", .words = word_words},
                                Ending{.ending = "ppt", .words = slides_words},
                                Ending{.ending = "pptx", .words = slides_words},
                                Ending{.ending = "pdf", .words = pdf_words},
                                Ending{.ending = "md", .words = markdown_words},
                                Ending{.ending = "json", .words = json_words},
                                Ending{.ending = "png", .words = image_words},
                                Ending{.ending = "jpg", .words = image_words},
                                Ending{.ending = "jpeg", .words = image_words},
                                Ending{.ending = "gif", .words = image_words},
                                Ending{.ending = "mp4", .words = video_words},
                                Ending{.ending = "mov", .words = video_words},
                                Ending{.ending = "mp3", .words = audio_words},
                                Ending{.ending = "wav", .words = audio_words}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The part behind the last dot when it looks like the ending of a file or a site.
std::string_view ending_of(std::string_view piece) {
  constexpr std::size_t shortest = 2;
  constexpr std::size_t longest = 4;
  const std::size_t dot = piece.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || piece.find("..") != std::string_view::npos) {
    return {};
  }
  const std::string_view ending = piece.substr(dot + 1);
  const bool plausible = ending.size() >= shortest && ending.size() <= longest &&
                         is_letter(ending.front()) &&
                         (is_letter(piece[dot - 1]) || is_digit(piece[dot - 1]));
  return plausible ? ending : std::string_view();
}

// Digits with - / : . , between them.
std::optional<Literal> number(std::string_view piece) {
  constexpr std::size_t date_digits_min = 6;
  std::size_t digits = 0;
  std::size_t joints = 0;
  for (const char c : piece) {
    digits += is_digit(c) ? 1 : 0;
    joints += std::string_view("-/:.,").find(c) != std::string_view::npos ? 1 : 0;
  }
  if (digits == 0 || digits + joints != piece.size()) {
    return std::nullopt;
  }
  Literal literal{.kind = WordKind::number, .words = {}};
  if (joints == 2 && digits >= date_digits_min) {
    literal.words = date_words;
  } else if (piece.find(':') != std::string_view::npos) {
    literal.words = time_words;
  } else if (joints == 0 && digits == 4 &&
             (piece.starts_with("18") || piece.starts_with("19") || piece.starts_with("20"))) {
    literal.words = year_words;
  }
  return literal;
}

}  // namespace

std::optional<Literal> literal_of(std::string_view piece) {
  if (piece.starts_with("http://") || piece.starts_with("https://") || piece.starts_with("www.")) {
    return Literal{.kind = WordKind::literal, .words = url_words};
  }
  const std::string ending = text::lower(ending_of(piece));
  const std::size_t at = piece.find('@');
  if (at != std::string_view::npos && at > 0 && !ending.empty()) {
    return Literal{.kind = WordKind::literal, .words = email_words};
  }
  if (!ending.empty()) {
    const bool site = contains(site_endings, ending);
    return Literal{.kind = WordKind::literal, .words = site ? Words(url_words) : Words(file_words)};
  }
  if (piece.size() > 1 && piece[0] == '/' && is_letter(piece[1])) {
    return Literal{.kind = WordKind::literal, .words = path_words};
  }
  if (piece.size() > 1 && piece[0] == '$') {
    const bool amount = is_digit(piece[1]);
    return Literal{.kind = WordKind::number,
                   .words = amount ? Words(amount_words) : Words(ticker_words)};
  }
  if (contains(dates, text::lower(piece))) {
    return Literal{.kind = WordKind::number, .words = date_words};
  }
  return number(piece);
}

std::span<const std::string_view> words_of_file(std::string_view name) {
  const std::string ending = text::lower(ending_of(name));
  for (const Ending& known : endings) {
    if (known.ending == ending) {
      return known.words;
    }
  }
  return {};
}

std::span<const std::string_view> words_of_place() {
  return place_words;
}

}  // namespace pi_mcp::search
