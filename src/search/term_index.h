// The searchable form of all documents: for each term the documents that have it, with its weight
// there, and the same for the groups as a whole. Groups of documents come and go; the text of a
// group is read once, and then every change only lays the numbers out anew. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/document.h"
#include "search/tuning.h"
#include "search/vocabulary.h"

namespace pi_mcp::search {

// Only this much of one field is searched: nobody describes a tool in more, and a hostile server
// must not fill the memory.
constexpr std::size_t field_bytes_max = std::size_t{16} << 10U;

// The terms of a group's documents, field by field in the order of the text.
struct GroupText {
  std::vector<TermId> terms;
  // Where each field starts in `terms`: document * field_count + field; one more at the end.
  std::vector<std::uint32_t> starts;
  std::vector<TermId> about;  // of what the group says about itself
  [[nodiscard]] std::size_t documents() const { return starts.size() / field_count; }
  [[nodiscard]] std::span<const TermId> field(std::size_t document, Field field) const;
  // What the group as a whole is about: names, server and descriptions of all documents, and
  // `about`.
  [[nodiscard]] std::vector<TermId> summary() const;
};

// Reads the documents of one group, one after the other.
class GroupReader {
 public:
  // `name`: the group's. `documents`: how many will be added. `vocabulary` outlives the reader.
  GroupReader(std::string_view name, std::size_t documents, Vocabulary& vocabulary);
  void add(const Document& document);
  // `about`: what the group says of itself, may be empty.
  GroupText finish(std::string_view about);

 private:
  // Appends the terms of a text. Common words of sentences say nothing; in a name every word
  // counts.
  void read(std::string_view text, bool sentence, std::vector<TermId>& terms);
  void read_all(const std::vector<std::string>& texts);
  void start_field();
  void leave_out_name(std::size_t start);

  Vocabulary& vocabulary_;
  GroupText text_;
  std::vector<TermId> name_;        // every word of it
  std::vector<TermId> name_field_;  // as the field of each document
};

// Lists by term.
template <class Posting>
struct PostingLists {
  std::vector<Posting> postings;
  std::vector<std::uint32_t> starts;  // by term; one more at the end
  // Empty for terms that came later or are nowhere any more.
  [[nodiscard]] std::span<const Posting> of(TermId term) const {
    return term + 1 < starts.size() ? std::span<const Posting>(postings).subspan(
                                          starts[term], starts[term + 1] - starts[term])
                                    : std::span<const Posting>();
  }
};

class TermIndex {
 public:
  struct Posting {
    std::uint32_t document : 31;
    std::uint32_t in_name : 1;
    float weight;  // term frequency of all fields, weighted and adjusted to their lengths; never 0
  };
  struct GroupPosting {
    std::uint32_t group;
    float weight;  // saturated term frequency, adjusted to the length of the group's text
  };

  TermIndex() = default;
  // Documents are numbered from 0 through the groups in their order, which stay where they are.
  TermIndex(std::vector<const GroupText*> groups,
            const Vocabulary& vocabulary,
            const Tuning& tuning);

  [[nodiscard]] std::size_t documents() const { return group_of_.size(); }
  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  [[nodiscard]] std::uint32_t group_of(std::size_t document) const { return group_of_[document]; }
  // The first document of a group and the one behind its last.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> documents_of(std::uint32_t group) const {
    const std::uint32_t first = first_document_[group];
    return {first, first + static_cast<std::uint32_t>(groups_[group]->documents())};
  }
  [[nodiscard]] std::span<const TermId> field(std::size_t document, Field field) const {
    const std::uint32_t group = group_of_[document];
    return groups_[group]->field(document - first_document_[group], field);
  }

  // How many terms are in use.
  [[nodiscard]] std::size_t used_terms() const { return used_terms_; }

  // In the order of the documents.
  [[nodiscard]] std::span<const Posting> postings(TermId term) const { return postings_.of(term); }
  [[nodiscard]] std::span<const GroupPosting> group_postings(TermId term) const {
    return group_postings_.of(term);
  }
  // Whether a document has it, or a group about itself.
  [[nodiscard]] bool has(TermId term) const {
    return !postings(term).empty() || !group_postings(term).empty();
  }
  // Inverse document frequency among documents, and among groups.
  [[nodiscard]] float idf(TermId term) const;
  [[nodiscard]] float group_idf(TermId term) const;
  // For a word that no document has.
  [[nodiscard]] float idf_of_unknown() const;
  // The sum over all distinct words of the document's name.
  [[nodiscard]] float name_idf(std::size_t document) const { return name_idf_[document]; }

 private:
  void number_documents();
  void count_postings(std::size_t terms);
  void add_postings(const Tuning& tuning);
  void add_group_postings(const Tuning& tuning, std::size_t terms);

  std::size_t used_terms_ = 0;
  std::vector<const GroupText*> groups_;
  std::vector<std::uint32_t> first_document_;  // by group
  std::vector<std::uint32_t> group_of_;        // by document
  std::vector<float> name_idf_;                // by document
  PostingLists<Posting> postings_;
  PostingLists<GroupPosting> group_postings_;
};

}  // namespace pi_mcp::search
