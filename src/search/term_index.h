// The searchable form of all documents: for each term the documents that have it, with how much it
// is worth there, and the same for the groups as a whole. Groups of documents come and go; the text
// of a group is read once, and then every change only lays the numbers out anew. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/document.h"
#include "search/tuning.h"
#include "search/vocabulary.h"

namespace pi_mcp::search {

// Of one field, only this much is searched: nobody describes a tool in more, and a hostile server
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
  [[nodiscard]] std::span<const TermId> all_fields(std::size_t document) const;
};

// Reads texts into terms.
class TextReader {
 public:
  // `vocabulary` outlives the reader.
  TextReader(const Tuning& tuning, Vocabulary& vocabulary)
      : identifiers_(tuning.identifiers ? Identifiers::divided : Identifiers::whole),
        vocabulary_(vocabulary) {}

  // Appends the terms of a text. Common words of sentences say nothing; in a name every word
  // counts.
  void read(std::string_view text, bool sentence, std::vector<TermId>& terms);
  void read_all(const std::vector<std::string>& texts, std::vector<TermId>& terms);

 private:
  Identifiers identifiers_;
  Vocabulary& vocabulary_;
};

// Reads the documents of one group, one after the other.
class GroupReader {
 public:
  // `name`: the group's. `documents`: how many will be added.
  GroupReader(std::string_view name,
              std::size_t documents,
              const Tuning& tuning,
              Vocabulary& vocabulary);
  void add(const Document& document);
  // `about`: what the group says of itself, may be empty.
  GroupText finish(std::string_view about);

 private:
  void start_field();
  void leave_out_name(std::size_t start);

  TextReader reader_;
  GroupText text_;
  std::vector<TermId> name_;        // every word of it; empty when names are left as they are
  std::vector<TermId> name_field_;  // as the field of each document
};

class TermIndex {
 public:
  struct Posting {
    std::uint32_t document;
    float worth;  // of all fields, weighted and adjusted to their lengths; never 0
  };
  struct NamePosting {
    std::uint32_t document;
    // How much of its rarity the word counts there: numbers nothing, words of the server's name
    // less.
    float share;
  };
  struct GroupPosting {
    std::uint32_t group;
    float count;  // adjusted to the length of the group's text
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

  [[nodiscard]] std::span<const TermId> all_fields(std::size_t document) const {
    const std::uint32_t group = group_of_[document];
    return groups_[group]->all_fields(document - first_document_[group]);
  }

  // Terms are numbered below this.
  [[nodiscard]] std::size_t terms() const { return terms_; }
  // How many terms are in use.
  [[nodiscard]] std::size_t used_terms() const { return used_terms_; }

  // In the order of the documents. Empty for terms that came later or are nowhere any more.
  [[nodiscard]] std::span<const Posting> postings(TermId term) const {
    return slice<Posting>(postings_, posting_starts_, term);
  }
  // The documents that have the term in their name.
  [[nodiscard]] std::span<const NamePosting> named(TermId term) const {
    return slice<NamePosting>(named_, named_starts_, term);
  }
  [[nodiscard]] std::span<const GroupPosting> group_postings(TermId term) const {
    return slice<GroupPosting>(group_postings_, group_starts_, term);
  }
  // How rare the term is among documents, and among groups; 0 for unknown ones.
  [[nodiscard]] float rarity(TermId term) const {
    return term < rarity_.size() ? rarity_[term] : 0;
  }
  [[nodiscard]] float group_rarity(TermId term) const {
    return term < group_rarity_.size() ? group_rarity_[term] : 0;
  }
  // Of a word that no document has.
  [[nodiscard]] float rarity_of_unknown() const;
  // Rarity of all distinct words of the document's name, as far as they count.
  [[nodiscard]] float name_rarity(std::size_t document) const { return name_rarity_[document]; }

 private:
  template <class T>
  static std::span<const T> slice(const std::vector<T>& all,
                                  const std::vector<std::uint32_t>& starts,
                                  TermId term) {
    return term + 1 < starts.size()
               ? std::span<const T>(all).subspan(starts[term], starts[term + 1] - starts[term])
               : std::span<const T>();
  }
  void number_documents();
  void add_postings();
  void add_names();
  void add_group_postings();
  void rate();
  [[nodiscard]] float name_share(std::size_t document, TermId term) const;

  Tuning tuning_;
  const Vocabulary* vocabulary_ = nullptr;
  std::size_t terms_ = 0;
  std::size_t used_terms_ = 0;
  std::vector<const GroupText*> groups_;
  std::vector<std::uint32_t> first_document_;  // by group
  std::vector<std::uint32_t> group_of_;        // by document
  std::vector<Posting> postings_;
  std::vector<std::uint32_t> posting_starts_;  // by term; one more at the end
  std::vector<NamePosting> named_;
  std::vector<std::uint32_t> named_starts_;
  std::vector<GroupPosting> group_postings_;
  std::vector<std::uint32_t> group_starts_;
  std::vector<float> rarity_;
  std::vector<float> group_rarity_;
  std::vector<float> name_rarity_;
};

}  // namespace pi_mcp::search
