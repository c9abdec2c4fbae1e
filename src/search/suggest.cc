#include "search/suggest.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "search/spelled.h"
#include "search/vocabulary.h"
#include "search/words.h"

namespace pi_mcp::search {
namespace {

// Only this much of a wrong name is compared; real names are shorter.
constexpr std::size_t name_bytes_max = 128;

// How many letters may differ: a quarter of the name, at least one, at most three.
std::size_t edits_max(std::string_view name) {
  return std::min(std::clamp<std::size_t>(name.size() / 4, 1, 3),
                  std::max<std::size_t>(name.size(), 1) - 1);
}

constexpr std::size_t far = static_cast<std::size_t>(-1);

// A name to compare others with.
class NearName {
 public:
  explicit NearName(std::string_view name)
      : name_(name), outline_(name), edits_max_(edits_max(name)) {}

  // Number of edits, or `far` when there are too many.
  [[nodiscard]] std::size_t edits_to(std::string_view other) const {
    if (outline_.differs_by_more(WordOutline(other), edits_max_)) {
      return far;
    }
    const std::size_t edits = text::edit_distance(name_, other);
    return edits <= edits_max_ ? edits : far;
  }

 private:
  std::string_view name_;
  WordOutline outline_;
  std::size_t edits_max_;
};

// The name without the longest group's name in front of it.
std::string_view without_group(const std::vector<const Document*>& documents,
                               std::string_view name) {
  std::string_view best = name;
  std::string_view last_group;
  for (const Document* document : documents) {
    if (document->group == last_group) {
      continue;
    }
    last_group = document->group;
    const std::string group = normalise(document->group);
    const std::string_view rest = behind_group(name, group);
    if (!rest.empty() && rest.size() < best.size()) {
      best = rest;
    }
  }
  return best;
}

std::vector<std::size_t> near_documents(const std::vector<const Document*>& documents,
                                        std::string_view name,
                                        std::string_view group) {
  const NearName whole(name);
  const NearName rest(without_group(documents, name));
  std::vector<std::tuple<std::size_t, std::string, std::size_t>> near;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const Document& document = *documents[i];
    if (!group.empty() && document.group != group) {
      continue;
    }
    const std::size_t edits = std::min(whole.edits_to(normalise(document.name)),
                                       rest.edits_to(normalise(document.original)));
    if (edits != far) {
      near.emplace_back(edits, text::lower(document.name), i);
    }
  }
  std::sort(near.begin(), near.end());
  std::vector<std::size_t> found;
  found.reserve(near.size());
  for (const auto& [edits, shown, document] : near) {
    found.push_back(document);
  }
  return found;
}

}  // namespace

std::vector<std::string> suggest_names(
    const std::vector<const Document*>& documents,
    std::string_view wrong_name,
    SuggestScope scope,
    const std::function<std::vector<FoundByWords>(std::string_view)>& by_words) {
  const std::string normalised = normalise(wrong_name.substr(0, name_bytes_max));
  const std::string_view name = text::trim(normalised);
  std::vector<std::size_t> found = near_documents(documents, name, scope.group);
  const std::string_view rest = without_group(documents, name);
  const std::vector<FoundByWords> others = by_words(rest);
  // Beside a name that is nearly right, or that fits a single word, only what fits as a whole is
  // worth a place.
  const bool only_whole = !found.empty() || (tokens(rest).size() == 1 &&
                                             std::ranges::any_of(others, &FoundByWords::whole));
  for (const FoundByWords& other : others) {
    if (!only_whole || other.whole) {
      found.push_back(other.document);
    }
  }
  std::vector<std::string> names;
  for (const std::size_t document : found) {
    const std::string_view shown = documents[document]->name;
    if (names.size() < scope.count && std::find(names.begin(), names.end(), shown) == names.end()) {
      names.emplace_back(shown);
    }
  }
  return names;
}

}  // namespace pi_mcp::search
