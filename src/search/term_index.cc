#include "search/term_index.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/terms.h"

namespace pi_mcp::search {
namespace {

constexpr float group_saturation = 1.2F;

constexpr std::array fields_in_order = {Field::name,
                                        Field::group,
                                        Field::description,
                                        Field::parameters,
                                        Field::parameter_texts,
                                        Field::parameter_values,
                                        Field::keywords};
static_assert(fields_in_order.size() == field_count);

// Those that say what the group as a whole is about.
constexpr std::array group_fields = {Field::name, Field::group, Field::description};

float inverse_frequency(std::size_t all, std::size_t with) {
  const auto rest = static_cast<float>(all - with);
  return std::log(1.0F + (rest + 0.5F) / (static_cast<float>(with) + 0.5F));
}

}  // namespace

std::span<const TermId> GroupText::all_fields(std::size_t document) const {
  const std::size_t place = document * field_count;
  return std::span<const TermId>(terms).subspan(starts[place],
                                                starts[place + field_count] - starts[place]);
}

std::span<const TermId> GroupText::field(std::size_t document, Field field) const {
  const std::size_t place = document * field_count + static_cast<std::size_t>(field);
  return std::span<const TermId>(terms).subspan(starts[place], starts[place + 1] - starts[place]);
}

void TextReader::read(std::string_view text, bool sentence, std::vector<TermId>& terms) {
  if (text.empty()) {
    return;
  }
  for_each_word(text.substr(0, field_bytes_max),
                identifiers_,
                [this, sentence, &terms](std::string_view word) {
                  const Vocabulary::Added added = vocabulary_.add(word);
                  if (!sentence || !added.is_stop_word) {
                    terms.push_back(added.term);
                  }
                });
}

void TextReader::read_all(const std::vector<std::string>& texts, std::vector<TermId>& terms) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) {
    if (bytes < field_bytes_max) {
      read(text, true, terms);
      bytes += text.size();
    }
  }
}

GroupReader::GroupReader(std::string_view name,
                         std::size_t documents,
                         const Tuning& tuning,
                         Vocabulary& vocabulary)
    : reader_(tuning, vocabulary) {
  text_.starts.reserve(documents * field_count + 1);
  if (tuning.bare_names) {
    reader_.read(name, false, name_);
  }
  reader_.read(name, true, name_field_);
}

void GroupReader::start_field() {
  text_.starts.push_back(static_cast<std::uint32_t>(text_.terms.size()));
}

// Some servers write their own name in front of their tools' names; it counts once, as the
// server's.
void GroupReader::leave_out_name(std::size_t start) {
  const auto begin = text_.terms.begin() + static_cast<std::ptrdiff_t>(start);
  const bool repeated = !name_.empty() && text_.terms.size() - start > name_.size() &&
                        std::equal(name_.begin(), name_.end(), begin);
  if (repeated) {
    text_.terms.erase(begin, begin + static_cast<std::ptrdiff_t>(name_.size()));
  }
}

void GroupReader::add(const Document& document) {
  std::vector<TermId>& terms = text_.terms;
  start_field();
  reader_.read(document.original, false, terms);
  leave_out_name(text_.starts.back());
  start_field();
  terms.insert(terms.end(), name_field_.begin(), name_field_.end());
  start_field();
  reader_.read(document.title, true, terms);
  reader_.read(document.description, true, terms);
  start_field();
  reader_.read(document.parameters, true, terms);
  start_field();
  reader_.read(document.parameter_texts, true, terms);
  start_field();
  reader_.read(document.parameter_values, true, terms);
  start_field();
  reader_.read_all(document.keywords, terms);
}

GroupText GroupReader::finish(std::string_view about) {
  start_field();
  reader_.read(about, true, text_.about);
  return std::move(text_);
}

TermIndex::TermIndex(std::vector<const GroupText*> groups,
                     const Vocabulary& vocabulary,
                     const Tuning& tuning)
    : tuning_(tuning),
      vocabulary_(&vocabulary),
      terms_(vocabulary.terms()),
      groups_(std::move(groups)) {
  number_documents();
  add_postings();
  add_names();
  add_group_postings();
  rate();
}

void TermIndex::number_documents() {
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    first_document_.push_back(static_cast<std::uint32_t>(group_of_.size()));
    group_of_.insert(group_of_.end(), groups_[group]->documents(), group);
  }
}

namespace {

// How long every field is, over all documents that have it.
class FieldLengths {
 public:
  explicit FieldLengths(const std::vector<const GroupText*>& groups) {
    std::array<double, field_count> sums{};
    std::array<double, field_count> filled{};
    for (const GroupText* group : groups) {
      for (std::size_t place = 0; place + 1 < group->starts.size(); ++place) {
        const std::uint32_t length = group->starts[place + 1] - group->starts[place];
        sums[place % field_count] += length;
        filled[place % field_count] += length == 0 ? 0 : 1;
      }
    }
    for (std::size_t field = 0; field < field_count; ++field) {
      means_[field] = filled[field] > 0 ? sums[field] / filled[field] : 1;
    }
  }

  [[nodiscard]] double mean(std::size_t field) const { return means_[field]; }

 private:
  std::array<double, field_count> means_{};
};

template <class Posting>
struct Entry {
  TermId term;
  Posting posting;
};

// Lists by term, made of entries that come in any order of terms: `starts` has a place for every
// term and one more, and counts at [term + 1] how many there are.
template <class Posting>
std::vector<Posting> by_term(const std::vector<Entry<Posting>>& entries,
                             std::vector<std::uint32_t>& starts) {
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::uint32_t> next = starts;
  std::vector<Posting> postings(entries.size());
  for (const Entry<Posting>& entry : entries) {
    postings[next[entry.term]++] = entry.posting;
  }
  return postings;
}

}  // namespace

// Counts how many documents have each term, so that every posting is written where it stays; then
// goes through the documents one after the other, so that the postings of a term come out sorted.
void TermIndex::add_postings() {
  posting_starts_.assign(terms_ + 1, 0);
  std::vector<std::uint32_t> met_in(terms_, 0);  // by term: the last document, from 1
  for (std::uint32_t document = 0; document < documents(); ++document) {
    for (const TermId term : all_fields(document)) {
      posting_starts_[term + 1] += met_in[term] != document + 1 ? 1 : 0;
      met_in[term] = document + 1;
    }
  }
  std::partial_sum(posting_starts_.begin(), posting_starts_.end(), posting_starts_.begin());
  postings_.resize(posting_starts_.back());

  const FieldLengths lengths(groups_);
  std::vector<std::uint32_t> next = posting_starts_;  // by term: where its next posting goes
  std::vector<float> worths(terms_, 0);               // of the document's terms
  std::vector<TermId> met;                            // the first `count` are its distinct terms
  for (std::uint32_t document = 0; document < documents(); ++document) {
    std::size_t count = 0;
    met.resize(std::max(met.size(), all_fields(document).size() + 1));
    for (std::size_t f = 0; f < field_count; ++f) {
      const std::span<const TermId> terms = field(document, fields_in_order[f]);
      const FieldTuning& tuned = tuning_.fields[f];
      const auto worth = static_cast<float>(
          tuned.weight /
          (1 - tuned.length + tuned.length * static_cast<double>(terms.size()) / lengths.mean(f)));
      for (const TermId term : terms) {
        met[count] = term;
        count += worths[term] == 0 ? 1 : 0;
        worths[term] += worth;
      }
    }
    for (const TermId term : std::span(met).first(count)) {
      postings_[next[term]++] = {.document = document, .worth = worths[term]};
      worths[term] = 0;
    }
  }
}

void TermIndex::add_names() {
  std::vector<Entry<NamePosting>> entries;
  std::vector<std::uint32_t> met_in(terms_, 0);  // by term: the last document, from 1
  named_starts_.assign(terms_ + 1, 0);
  for (std::uint32_t document = 0; document < group_of_.size(); ++document) {
    for (const TermId term : field(document, Field::name)) {
      if (met_in[term] != document + 1) {
        met_in[term] = document + 1;
        entries.push_back(
            {.term = term, .posting = {.document = document, .share = name_share(document, term)}});
        ++named_starts_[term + 1];
      }
    }
  }
  named_ = by_term(entries, named_starts_);
}

namespace {

// How often the terms occur in one group.
class GroupCensus {
 public:
  explicit GroupCensus(std::size_t terms) : counts_(terms, 0) {}

  void add(std::span<const TermId> terms) {
    length_ += terms.size();
    for (const TermId term : terms) {
      if (counts_[term]++ == 0) {
        met_.push_back(term);
      }
    }
  }
  [[nodiscard]] std::size_t length() const { return length_; }
  // Calls `use` with each term and its count, and forgets them.
  template <class Use>
  void take(const Use& use) {
    for (const TermId term : met_) {
      use(term, counts_[term]);
      counts_[term] = 0;
    }
    met_.clear();
    length_ = 0;
  }

 private:
  std::vector<std::uint32_t> counts_;  // by term
  std::vector<TermId> met_;
  std::size_t length_ = 0;
};

}  // namespace

void TermIndex::add_group_postings() {
  std::vector<Entry<GroupPosting>> entries;
  std::vector<float> lengths;
  group_starts_.assign(terms_ + 1, 0);
  GroupCensus census(terms_);
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    census.add(groups_[group]->about);
    for (std::size_t document = 0; document < groups_[group]->documents(); ++document) {
      for (const Field field : group_fields) {
        census.add(groups_[group]->field(document, field));
      }
    }
    lengths.push_back(static_cast<float>(census.length()));
    census.take([&](TermId term, std::uint32_t count) {
      ++group_starts_[term + 1];
      entries.push_back(
          {.term = term, .posting = {.group = group, .count = static_cast<float>(count)}});
    });
  }
  const float total = std::accumulate(lengths.begin(), lengths.end(), 0.0F);
  const float mean = std::max(1.0F, total / static_cast<float>(std::max<std::size_t>(1, groups())));
  const auto b = static_cast<float>(tuning_.server_length);
  group_postings_ = by_term(entries, group_starts_);
  for (GroupPosting& posting : group_postings_) {
    const float count = posting.count / (1 - b + b * lengths[posting.group] / mean);
    posting.count = count * (group_saturation + 1) / (group_saturation + count);
  }
}

void TermIndex::rate() {
  rarity_.reserve(terms_);
  group_rarity_.reserve(terms_);
  for (TermId term = 0; term < terms_; ++term) {
    rarity_.push_back(inverse_frequency(documents(), postings(term).size()));
    used_terms_ += postings(term).empty() ? 0 : 1;
    group_rarity_.push_back(inverse_frequency(groups(), group_postings(term).size()));
  }
  name_rarity_.assign(documents(), 0);
  for (TermId term = 0; term < terms_; ++term) {
    for (const NamePosting& posting : named(term)) {
      name_rarity_[posting.document] += rarity_[term] * posting.share;
    }
  }
}

float TermIndex::rarity_of_unknown() const {
  return inverse_frequency(documents(), 0);
}

float TermIndex::name_share(std::size_t document, TermId term) const {
  if (is_number(vocabulary_->term(term))) {
    return 0;
  }
  const std::span<const TermId> group = field(document, Field::group);
  const bool of_group = std::find(group.begin(), group.end(), term) != group.end();
  return of_group ? static_cast<float>(tuning_.server_words) : 1;
}

}  // namespace pi_mcp::search
