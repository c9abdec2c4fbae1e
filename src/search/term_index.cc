#include "search/term_index.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace pi_mcp::search {
namespace {

constexpr float group_saturation = 1.2F;

float inverse_document_frequency(std::size_t all, std::size_t with) {
  const auto rest = static_cast<float>(all - with);
  return std::log(1.0F + (rest + 0.5F) / (static_cast<float>(with) + 0.5F));
}

using FieldLengths = std::array<double, field_count>;

// How long every field is, on the mean of all documents that have it.
FieldLengths mean_lengths(const std::vector<const GroupText*>& groups) {
  FieldLengths sums{};
  FieldLengths filled{};
  for (const GroupText* group : groups) {
    for (std::size_t place = 0; place + 1 < group->starts.size(); ++place) {
      const std::uint32_t length = group->starts[place + 1] - group->starts[place];
      sums[place % field_count] += length;
      filled[place % field_count] += length == 0 ? 0 : 1;
    }
  }
  for (std::size_t field = 0; field < field_count; ++field) {
    sums[field] /= std::max(1.0, filled[field]);
  }
  return sums;
}

}  // namespace

std::span<const TermId> GroupText::field(std::size_t document, Field field) const {
  const std::size_t place = document * field_count + static_cast<std::size_t>(field);
  return std::span<const TermId>(terms).subspan(starts[place], starts[place + 1] - starts[place]);
}

std::vector<TermId> GroupText::summary() const {
  std::vector<TermId> text = about;
  for (std::size_t document = 0; document < documents(); ++document) {
    for (const Field of : {Field::name, Field::group, Field::description}) {
      const std::span<const TermId> terms_of = field(document, of);
      text.insert(text.end(), terms_of.begin(), terms_of.end());
    }
  }
  return text;
}

void GroupReader::read(std::string_view text, bool sentence, std::vector<TermId>& terms) {
  if (text.empty()) {
    return;
  }
  const auto use = [this, sentence, &terms](std::span<const WordKey> words) {
    std::size_t count = terms.size();
    terms.resize(count + words.size());
    for (const WordKey& word : words) {
      const Vocabulary::Added added = vocabulary_.add(word);
      terms[count] = added.term;
      count += sentence && added.is_stop_word ? 0 : 1;  // no branch: nobody could predict it
    }
    terms.resize(count);
  };
  // A sentence names products ("GitHub"), a name is made of words.
  const Identifiers identifiers = sentence ? Identifiers::both : Identifiers::divided;
  read_words(text.substr(0, field_bytes_max), identifiers, std::cref(use));  // allocates nothing
}

void GroupReader::read_all(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) {
    if (bytes < field_bytes_max) {
      read(text, true, text_.terms);
      bytes += text.size();
    }
  }
}

GroupReader::GroupReader(std::string_view name, std::size_t documents, Vocabulary& vocabulary)
    : vocabulary_(vocabulary) {
  text_.starts.reserve(documents * field_count + 1);
  read(name, false, name_);
  read(name, true, name_field_);
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
  read(document.original, false, terms);
  leave_out_name(text_.starts.back());
  start_field();
  terms.insert(terms.end(), name_field_.begin(), name_field_.end());
  start_field();
  read(document.title, true, terms);
  read(document.description, true, terms);
  start_field();
  read(document.parameters, true, terms);
  start_field();
  read(document.parameter_texts, true, terms);
  start_field();
  read(document.parameter_values, true, terms);
  start_field();
  read_all(document.keywords);
  start_field();
  read_all(document.written);
}

GroupText GroupReader::finish(std::string_view about) {
  start_field();
  read(about, true, text_.about);
  text_.terms.shrink_to_fit();
  return std::move(text_);
}

TermIndex::TermIndex(std::vector<const GroupText*> groups,
                     const Vocabulary& vocabulary,
                     const Tuning& tuning)
    : groups_(std::move(groups)) {
  number_documents();
  count_postings(vocabulary.terms());
  add_postings(tuning);
  add_group_postings(tuning, vocabulary.terms());
}

void TermIndex::number_documents() {
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    first_document_.push_back(static_cast<std::uint32_t>(group_of_.size()));
    group_of_.insert(group_of_.end(), groups_[group]->documents(), group);
  }
}

// How many documents have each term, so that every posting is written where it stays.
void TermIndex::count_postings(std::size_t terms) {
  std::vector<std::uint32_t>& starts = postings_.starts;
  starts.assign(terms + 1, 0);
  std::vector<std::uint32_t> met_in(terms, 0);  // by term: the last document, from 1
  for (std::uint32_t document = 0; document < documents(); ++document) {
    for (std::size_t f = 0; f < field_count; ++f) {
      for (const TermId term : field(document, static_cast<Field>(f))) {
        starts[term + 1] += met_in[term] != document + 1 ? 1 : 0;
        met_in[term] = document + 1;
      }
    }
  }
  used_terms_ = static_cast<std::size_t>(
      std::count_if(starts.begin(), starts.end(), [](std::uint32_t count) { return count > 0; }));
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  postings_.postings.resize(starts.back());
}

// Goes through the documents one after the other, so that the postings of a term come out sorted.
void TermIndex::add_postings(const Tuning& tuning) {
  const FieldLengths means = mean_lengths(groups_);
  std::vector<std::uint32_t> next = postings_.starts;  // by term: where its next posting goes
  std::vector<float> weights(next.size(), 0);          // of the document's terms
  std::vector<TermId> met;  // its distinct terms, those of the name first
  for (std::uint32_t document = 0; document < documents(); ++document) {
    std::size_t distinct = 0;
    std::size_t of_name = 0;
    for (std::size_t f = 0; f < field_count; ++f) {
      const std::span<const TermId> terms = field(document, static_cast<Field>(f));
      const FieldTuning& tuned = tuning.fields[f];
      const auto weight = static_cast<float>(
          tuned.weight /
          (1 - tuned.length + tuned.length * static_cast<double>(terms.size()) / means[f]));
      met.resize(std::max(met.size(), distinct + terms.size()));
      for (const TermId term : terms) {
        met[distinct] = term;
        distinct += weights[term] == 0 ? 1 : 0;  // no branch: nobody could predict it
        weights[term] += weight;
      }
      of_name = static_cast<Field>(f) == Field::name ? distinct : of_name;
    }
    for (std::size_t i = 0; i < distinct; ++i) {
      const TermId term = met[i];
      postings_.postings[next[term]++] = {
          .document = document, .in_name = i < of_name ? 1U : 0U, .weight = weights[term]};
      weights[term] = 0;
    }
    name_idf_.push_back(std::transform_reduce(met.begin(),
                                              met.begin() + static_cast<std::ptrdiff_t>(of_name),
                                              0.0F,
                                              std::plus<>(),
                                              [this](TermId term) { return idf(term); }));
  }
}

void TermIndex::add_group_postings(const Tuning& tuning, std::size_t terms) {
  std::vector<std::pair<TermId, GroupPosting>> found;
  std::vector<float> lengths;
  std::vector<std::uint32_t>& starts = group_postings_.starts;
  starts.assign(terms + 1, 0);
  std::vector<std::uint32_t> counts(terms, 0);  // of the group's terms
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    const std::vector<TermId> text = groups_[group]->summary();
    lengths.push_back(static_cast<float>(text.size()));
    for (const TermId term : text) {
      ++counts[term];
    }
    for (const TermId term : text) {
      if (const std::uint32_t count = std::exchange(counts[term], 0); count > 0) {
        found.push_back({term, {.group = group, .weight = static_cast<float>(count)}});
        ++starts[term + 1];
      }
    }
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::uint32_t> next = starts;
  group_postings_.postings.resize(found.size());
  const float total = std::accumulate(lengths.begin(), lengths.end(), 0.0F);
  const float mean = std::max(1.0F, total / std::max(1.0F, static_cast<float>(groups())));
  const auto b = static_cast<float>(tuning.server_length);
  for (const auto& [term, posting] : found) {
    const float frequency = posting.weight / (1 - b + b * lengths[posting.group] / mean);
    group_postings_.postings[next[term]++] = {
        .group = posting.group,
        .weight = frequency * (group_saturation + 1) / (group_saturation + frequency)};
  }
}

float TermIndex::idf(TermId term) const {
  return inverse_document_frequency(documents(), postings(term).size());
}

float TermIndex::group_idf(TermId term) const {
  return inverse_document_frequency(groups(), group_postings(term).size());
}

float TermIndex::idf_of_unknown() const {
  return inverse_document_frequency(documents(), 0);
}

}  // namespace pi_mcp::search
