#include "search/spelled.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/text.h"
#include "search/query.h"
#include "search/words.h"

namespace pi_mcp::search {
namespace {

// No tool has a longer one: group and name have 64 characters at most with most hosts.
constexpr std::size_t name_bytes_max = 256;

constexpr std::string_view host_prefix = "mcp";

constexpr bool is_letter(char c) {
  return ascii::is_alphanumeric(c) || static_cast<signed char>(c) < 0;
}

// What each byte is worth: bits without order, the same for both cases, 0 for what is not a letter.
constexpr std::array<std::uint32_t, 256> byte_sums = [] {
  std::array<std::uint32_t, 256> sums{};
  for (std::uint32_t byte = 0; byte < sums.size(); ++byte) {
    const char c = static_cast<char>(byte);
    const std::uint32_t folded = ascii::is_upper(c) ? byte + ('a' - 'A') : byte;
    // The finaliser of MurmurHash3.
    std::uint32_t hash = (folded + 1) * 0x9E3779B9U;
    hash = (hash ^ hash >> 16U) * 0x85EBCA6BU;
    hash = (hash ^ hash >> 13U) * 0xC2B2AE35U;
    sums[byte] = is_letter(c) ? hash ^ hash >> 16U : 0;
  }
  return sums;
}();

std::uint32_t sum_of_bytes(std::string_view text) {
  std::uint32_t sum = 0;
  for (const char c : text) {
    sum += byte_sums[static_cast<unsigned char>(c)];
  }
  return sum;
}

std::string letters_of(std::string_view text) {
  std::string letters = normalise(text);
  std::erase_if(letters, [](char c) { return !is_letter(c); });
  return letters;
}

// The rest of `text` behind `start`; empty when it starts otherwise, or ends there.
std::string_view behind(std::string_view text, std::string_view start) {
  return !start.empty() && text.starts_with(start) ? text.substr(start.size()) : std::string_view();
}

}  // namespace

std::uint32_t letter_sum(std::string_view name) {
  const bool ascii = std::all_of(
      name.begin(), name.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
  return ascii ? sum_of_bytes(name) : sum_of_bytes(normalise(name));
}

void NameSums::add_group(std::string_view name, const std::vector<Sums>& sums) {
  groups_.push_back({.first = static_cast<std::uint32_t>(sums_.size()), .sum = letter_sum(name)});
  sums_.insert(sums_.end(), sums.begin(), sums.end());
}

NameSums::Sums NameSums::of(const Document& document) {
  return {.shown = letter_sum(document.name), .original = letter_sum(document.original)};
}

std::vector<std::uint32_t> NameSums::with(std::uint32_t sum) const {
  static const std::uint32_t host = letter_sum(host_prefix);
  std::vector<std::uint32_t> documents;
  for (std::size_t number = 0; number < groups_.size(); ++number) {
    const Group& group = groups_[number];
    const std::size_t end = number + 1 < groups_.size() ? groups_[number + 1].first : sums_.size();
    // A name of its own that stands alone, behind its group, behind "mcp" and its group, or behind
    // its group without "mcp" at the end.
    const std::array originals = {
        sum, sum - group.sum, sum - group.sum - host, sum - group.sum + host};
    for (std::size_t document = group.first; document < end; ++document) {
      const Sums& sums = sums_[document];
      const bool fits = sums.shown == sum || sums.original == originals[0] ||
                        sums.original == originals[1] || sums.original == originals[2] ||
                        sums.original == originals[3];
      if (fits) {
        documents.push_back(static_cast<std::uint32_t>(document));
      }
    }
  }
  return documents;
}

SpelledName::SpelledName(std::string_view query)
    : text_(text::trim(query.substr(0, query_bytes_max))) {
  if (text_.size() <= name_bytes_max) {
    normalised_ = normalise(text_);
    letters_ = letters_of(text_);
  }
}

bool SpelledName::may_be_name() const {
  return !letters_.empty();
}

Spelling SpelledName::spelling(const Document& document) const {
  if (document.name == text_) {
    return Spelling::shown;
  }
  if (document.original == text_) {
    return Spelling::original;
  }
  if (normalise(document.name) == normalised_) {
    return Spelling::shown_folded;
  }
  const std::string original = normalise(document.original);
  if (original == normalised_) {
    return Spelling::original_folded;
  }
  if (!original.empty() && behind_group(normalised_, normalise(document.group)) == original) {
    return Spelling::with_group;
  }
  return has_letters_of(document) ? Spelling::letters : Spelling::none;
}

bool SpelledName::has_letters_of(const Document& document) const {
  const std::string original = letters_of(document.original);
  if (letters_ == original || letters_ == letters_of(document.name)) {
    return true;
  }
  const std::string group = letters_of(document.group);
  std::string_view short_group = group;
  if (group.ends_with(host_prefix)) {
    short_group.remove_suffix(host_prefix.size());
  }
  for (const std::string_view whole : {std::string_view(letters_), behind(letters_, host_prefix)}) {
    for (const std::string_view start : {std::string_view(group), short_group}) {
      const std::string_view rest = behind(whole, start);
      if (!rest.empty() && rest == original) {
        return true;
      }
    }
  }
  return false;
}

std::string_view behind_group(std::string_view name, std::string_view group) {
  constexpr std::string_view prefix = "mcp ";
  constexpr std::string_view suffix = " mcp";
  std::string_view inner = name;
  if (name.starts_with(prefix)) {
    inner.remove_prefix(prefix.size());
  }
  std::string_view short_group = group;
  if (group.ends_with(suffix)) {
    short_group.remove_suffix(suffix.size());
  }
  std::string_view best;
  for (const std::string_view whole : {name, inner}) {
    for (const std::string_view start : {group, short_group}) {
      const std::string_view rest = behind(whole, start);
      const bool fits = rest.size() > 1 && rest.front() == ' ';
      best = fits && (best.empty() || rest.size() <= best.size()) ? rest.substr(1) : best;
    }
  }
  return best;
}

}  // namespace pi_mcp::search
