// Queries that are the name of a tool, in one spelling or another. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/document.h"

namespace pi_mcp::search {

// How exactly a query is a document's name, the best first.
enum class Spelling : std::uint8_t {
  shown,            // the shown name, byte for byte
  original,         // the server's own name, byte for byte
  shown_folded,     // without regard to case and joints
  original_folded,  // the same
  with_group,       // group and own name: "mcp__group__tool", "group.tool", "group/tool"
  letters,          // any of them by their letters and digits alone: "getuserbyid"
  none,
};

// A sum over letters and digits in any case, whatever stands between them: every spelling of a name
// has the same, and the sum of two parts is that of both together. Others seldom have it.
std::uint32_t letter_sum(std::string_view name);

// The letter sums of many documents, so that a query is compared with few names.
class NameSums {
 public:
  struct Sums {
    std::uint32_t shown = 0;
    std::uint32_t original = 0;
  };
  static Sums of(const Document& document);

  // Behind the groups before, with the sums of its documents.
  void add_group(std::string_view name, const std::vector<Sums>& sums);

  // The documents that a name with this sum may belong to, in order.
  [[nodiscard]] std::vector<std::uint32_t> with(std::uint32_t sum) const;

 private:
  struct Group {
    std::uint32_t first = 0;  // document
    std::uint32_t sum = 0;
  };
  std::vector<Group> groups_;
  std::vector<Sums> sums_;  // by document
};

// A query to compare names with.
class SpelledName {
 public:
  explicit SpelledName(std::string_view query);
  [[nodiscard]] std::uint32_t sum() const { return letter_sum(text_); }
  // False for a sentence.
  [[nodiscard]] bool may_be_name() const;
  [[nodiscard]] Spelling spelling(const Document& document) const;

 private:
  [[nodiscard]] bool has_letters_of(const Document& document) const;

  std::string_view text_;
  std::string normalised_;
  std::string letters_;
};

// The part of a normalised name behind a group's name: behind all of it, behind it without "mcp" at
// its end, or either with "mcp" in front, which is how hosts and prefix modes write it. Empty when
// the name does not start with the group.
std::string_view behind_group(std::string_view name, std::string_view group);

}  // namespace pi_mcp::search
