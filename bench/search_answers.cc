// Writes what an agent reads that searches, page by page, until it has seen every right tool.
#include "search_answers.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/text.h"
#include "catalog/catalog.h"
#include "json/writer.h"
#include "tool/reference_score.h"
#include "tool/search_view.h"
#include "tool/text.h"

namespace bench {
namespace {

using pi_mcp::catalog::CatalogTool;
using pi_mcp::json::Writer;
namespace registry = pi_mcp::registry;
namespace tool = pi_mcp::tool;
namespace search = pi_mcp::search;

// An agent that has seen this many pages looks no further.
constexpr std::size_t pages_max = 3;

void print_line(Writer& line) {
  std::puts(line.take().c_str());
}

void print_catalog(const SearchSet& set, const registry::SearchableTools& tools) {
  Writer list;
  list.begin_array();
  for (const CatalogTool* tool : tools.tools) {
    list.begin_object().member("name", tool->name).member("description", tool->description);
    list.member_raw("inputSchema", tool->input_schema.empty() ? "{}" : tool->input_schema.view());
    list.end_object();
  }
  Writer line;
  line.begin_object().member("set", set.name).member("catalog", list.end_array().take());
  print_line(line.end_object());
}

std::string whole_block(const CatalogTool& tool) {
  return "\n\n" + tool.name + "\n  " + tool.description + "\n" +
         tool::schema_block(tool.input_schema, tool::SchemaStyle::human, "  ");
}

std::string describe_text(const CatalogTool& tool) {
  return tool.name + "\nServer: " + tool.server + "\n\n" + tool.description + "\n\n" +
         tool::schema_block(tool.input_schema, tool::SchemaStyle::human, "");
}

// The search of one agent for everything that one query wants.
class Journey {
 public:
  Journey(const registry::SearchableTools& tools,
          const std::string& query,
          std::vector<std::vector<std::size_t>> needs)
      : tools_(tools), needs_(std::move(needs)) {
    request_.mode = tool::Mode::search;
    request_.subject = query;
    found_ = tool::search_by_words(tools.ranker, request_);
  }

  void run() {
    for (std::size_t page = 0; page < pages_max && !needs_.empty(); ++page) {
      const tool::SearchPage shown = tool::search_page(tools_, request_, found_);
      answers.push_back(shown.text().said_to(tool::Reader::model));
      std::string whole;
      for (std::size_t i = 0; i < shown.hits.size(); ++i) {
        whole += whole_block(*tools_.tools[shown.hits[i].document]);
        const std::size_t document = shown.hits[i].document;
        take(document, std::ranges::find(shown.cut, document) != shown.cut.end());
      }
      wholes.push_back(std::move(whole));
      if (!shown.next()) {
        return;
      }
      request_.offset = *shown.next();
    }
  }

  [[nodiscard]] bool reached() const { return needs_.empty(); }

  std::vector<std::string> answers;
  std::vector<std::string> wholes;
  std::vector<std::string> describes;

 private:
  // `is_cut`: not all of its parameters were shown.
  void take(std::size_t document, bool is_cut) {
    const auto met = std::erase_if(needs_, [document](const std::vector<std::size_t>& need) {
      return std::ranges::find(need, document) != need.end();
    });
    if (met > 0 && is_cut) {
      describes.push_back(describe_text(*tools_.tools[document]));
    }
  }

  const registry::SearchableTools& tools_;
  std::vector<std::vector<std::size_t>> needs_;
  tool::ToolRequest request_;
  tool::SearchHits found_;
};

// What the reference adapter answers: its own order, twelve tools a page with descriptions and
// parameters in full. Its order of equal scores is by name, near enough without the rules of a
// language.
class ReferenceJourney {
 public:
  ReferenceJourney(const SearchSet& set,
                   const registry::SearchableTools& tools,
                   const std::string& query,
                   std::vector<std::vector<std::size_t>> needs)
      : tools_(tools), query_(query), needs_(std::move(needs)) {
    for (std::size_t i = 0; i < set.documents.size(); ++i) {
      const double score = tool::reference_score(set.documents[i], query);
      if (score > 0) {
        ranked_.push_back(
            {.document = static_cast<std::uint32_t>(i), .score = static_cast<float>(score)});
      }
    }
    std::sort(ranked_.begin(), ranked_.end(), [&tools](const auto& a, const auto& b) {
      return a.score != b.score ? a.score > b.score
                                : tools.tools[a.document]->name < tools.tools[b.document]->name;
    });
  }

  void run() {
    for (std::size_t page = 0; page < pages_max && !needs_.empty(); ++page) {
      const std::size_t first = page * tool::search_limit_default;
      if (page > 0 && first >= ranked_.size()) {
        return;
      }
      add_page(first, std::min(first + tool::search_limit_default, ranked_.size()));
    }
  }

  [[nodiscard]] bool reached() const { return needs_.empty(); }

  std::vector<std::string> answers;

 private:
  void add_page(std::size_t first, std::size_t end) {
    if (ranked_.empty()) {
      answers.push_back("No tools matching \"" + query_ + "\"");
      return;
    }
    std::string text =
        "Found " + std::to_string(ranked_.size()) + " tools matching \"" + query_ + "\":\n\n";
    for (std::size_t i = first; i < end; ++i) {
      const CatalogTool& tool = *tools_.tools[ranked_[i].document];
      text += tool.name + "\n  " + tool.description + "\n\n" +
              tool::schema_block(tool.input_schema, tool::SchemaStyle::typescript, "  ") + "\n\n";
      std::erase_if(needs_, [&](const std::vector<std::size_t>& need) {
        return std::ranges::find(need, ranked_[i].document) != need.end();
      });
    }
    if (end < ranked_.size()) {
      text += std::to_string(end - first) + " of " + std::to_string(ranked_.size()) +
              " — offset: " + std::to_string(end) + " for more";
    }
    answers.push_back(std::move(text));
  }

  const registry::SearchableTools& tools_;
  const std::string& query_;
  std::vector<std::vector<std::size_t>> needs_;
  std::vector<search::Hit> ranked_;
};

void add_texts(Writer& line, std::string_view key, const std::vector<std::string>& texts) {
  line.key(key).begin_array();
  for (const std::string& text : texts) {
    line.string(text);
  }
  line.end_array();
}

}  // namespace

void print_answers(const std::vector<SearchSet>& sets) {
  for (const SearchSet& set : sets) {
    registry::SearchableTools tools;
    tools.update(*set.catalog, set.catalog->servers(), {});
    print_catalog(set, tools);
    for (std::size_t query = 0; query < set.queries.size(); ++query) {
      Journey journey(tools, set.queries[query].query, set.needs[query]);
      journey.run();
      Writer line;
      line.begin_object().member("set", set.name).member("leak", set.queries[query].spells_name);
      line.member("reached", journey.reached());
      add_texts(line, "answers", journey.answers);
      add_texts(line, "describes", journey.describes);
      add_texts(line, "whole", journey.wholes);
      ReferenceJourney reference(set, tools, set.queries[query].query, set.needs[query]);
      reference.run();
      line.member("reference_reached", reference.reached());
      add_texts(line, "reference", reference.answers);
      print_line(line.end_object());
    }
  }
}

}  // namespace bench
