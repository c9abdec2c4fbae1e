#include "tool/search_view.h"

#include <algorithm>
#include <array>

#include "base/count_text.h"
#include "base/text.h"
#include "schema/render.h"
#include "tool/tool_groups.h"

namespace pi_mcp::tool {
namespace {

// Descriptions end with a sentence where one ends early enough. The first hits say what their
// parameters mean; what that costs is taken from the descriptions of the others.
constexpr std::size_t description_units_max = 160;
constexpr std::size_t later_description_units_max = 80;
// Short parameters are shown with their descriptions, others as a type, cut at this length: that of
// the best hit seldom is, because it is the one that is called.
constexpr std::size_t parameters_bytes_max = 120;
constexpr std::size_t best_shape_bytes_max = 800;
constexpr std::size_t shape_bytes_max = 260;
// What is said of one parameter beside a type, and of all of a tool, for each of the first hits.
constexpr std::size_t note_units_max = 80;
constexpr std::array<std::size_t, 3> notes_bytes_max = {120, 80, 50};
// Tools that score at least this part of the best one are likely; the first so many always are.
constexpr double likely_share = 0.65;
constexpr std::ptrdiff_t likely_min = 4;

// The beginning of a description, in one line: as many whole sentences as fit, else words.
std::string beginning(std::string_view description, std::size_t units_max) {
  std::string line = one_line(description);
  if (text::utf16_length(line) <= units_max) {
    return line;
  }
  std::size_t bytes_max = 0;
  for (std::size_t units = 0; units < units_max; ++units) {
    (void)text::next_code_point(line, bytes_max);
  }
  const std::size_t end = sentences_end(line, bytes_max);
  return end == 0 ? text::cut(line, units_max) : line.substr(0, end);
}

// Where a description begins to say how a value is written; npos: it does not.
std::size_t format_at(std::string_view line) {
  constexpr std::array<std::string_view, 19> marks = {"separated",
                                                      "delimited",
                                                      "format",
                                                      "e.g.",
                                                      "i.e.",
                                                      "xample",
                                                      " | ",
                                                      "YYYY",
                                                      "yyyy",
                                                      "ISO",
                                                      "code",
                                                      "0 ",
                                                      "0=",
                                                      "0:",
                                                      "1 =",
                                                      "returned",
                                                      "from ",
                                                      "prefix",
                                                      "one of"};
  std::size_t first = std::string_view::npos;
  for (const std::string_view mark : marks) {
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos) {
      continue;
    }
    const bool is_zero = mark.starts_with('0');
    const bool counts = !is_zero || at == 0 || line[at - 1] == ' ' || line[at - 1] == '(';
    first = counts ? std::min(first, at) : first;
  }
  return first;
}

// What of a description belongs beside a type; empty when it says no more than the name does.
std::string note_of(const schema::ParameterWords& words) {
  const std::string line = one_line(words.description);
  const std::size_t format = format_at(line);
  const bool has_format = words.has_format || format != std::string::npos;
  // "The name of the city" for city.
  constexpr std::size_t few_words = 14;
  if (!has_format && (!words.required || line.size() <= words.name.size() + few_words)) {
    return {};
  }
  std::size_t from = 0;
  if (format != std::string::npos && format >= note_units_max) {
    from = sentences_end(line, format);
    from += from > 0 && from < line.size() ? 1 : 0;
  }
  return beginning(std::string_view(line).substr(from), note_units_max);
}

// Lines for parameters that a call needs and that their names do not explain, and for those whose
// values are written in some way of their own.
std::string parameter_notes(const SharedText& schema, std::size_t bytes_max) {
  if (bytes_max == 0) {
    return {};
  }
  const Result<json::Document> document = json::Document::parse(schema);
  const auto words =
      document ? schema::parameter_words(document->root()) : std::vector<schema::ParameterWords>();
  std::string notes;
  for (const bool required : {true, false}) {
    for (const schema::ParameterWords& parameter : words) {
      const std::string note = parameter.required == required ? note_of(parameter) : "";
      const std::string line = "\n    " + parameter.name + ": " + note;
      if (!note.empty() && notes.size() + line.size() <= bytes_max) {
        notes += line;
      }
    }
  }
  return notes;
}

struct ShortParameters {
  std::string text;
  bool is_cut = false;  // not all of them are in it
};

// Parameters for a page of many tools: all about few, else their types. Ends with "..." when cut.
ShortParameters short_parameters(const SharedText& schema, std::size_t place) {
  const std::size_t shape_max = place == 0 ? best_shape_bytes_max : shape_bytes_max;
  const std::size_t notes_max = place < notes_bytes_max.size() ? notes_bytes_max[place] : 0;
  std::string lines = schema_block(schema, SchemaStyle::human, "  ");
  if (lines.size() <= parameters_bytes_max) {
    const bool is_line = lines.empty() || lines.ends_with(no_parameters);
    return {.text = is_line ? lines : "\n" + lines};
  }
  std::string shape = one_line(schema_block(schema, SchemaStyle::typescript, ""));
  const bool is_cut = (shape.starts_with("Shape: ") ? shape : lines).size() > shape_max;
  if (!shape.starts_with("Shape: ")) {
    if (is_cut) {
      lines.resize(lines.rfind('\n', shape_max));
      lines += "\n    ...";
    }
    return {.text = std::move(lines), .is_cut = is_cut};
  }
  if (is_cut) {
    const std::size_t end = shape.rfind("; ", shape_max);
    shape =
        end == std::string::npos ? text::cut(shape, shape_max) : shape.substr(0, end + 1) + " ...";
  }
  return {.text = "  " + shape + parameter_notes(schema, notes_max), .is_cut = is_cut};
}

// One hit, as a page shows it.
struct Hit {
  std::string text;
  bool is_cut = false;
};

// Name, description and parameters of the tool at that place among all hits.
Hit tool_block(const catalog::CatalogTool& tool, const NameNotes& notes, std::size_t place) {
  const bool described = place < notes_bytes_max.size();
  const std::string description =
      beginning(tool.description, described ? description_units_max : later_description_units_max);
  std::string block = name_with_notes(tool, notes) + "\n  " +
                      (description.empty() ? std::string("(no description)") : description);
  if (tool.is_resource()) {
    return {.text = block + "\n  No parameters (resource tool)."};
  }
  const ShortParameters parameters = short_parameters(tool.input_schema, place);
  return {.text = parameters.text.empty() ? block : block + "\n" + parameters.text,
          .is_cut = parameters.is_cut};
}

std::string explanation_text(const search::Ranker& ranker,
                             const ToolRequest& request,
                             std::size_t document) {
  std::string text;
  for (const std::string& line : ranker.explain(request.subject, document, request.server)) {
    text += "\n    " + line;
  }
  return text;
}

// `place`: among all hits of the query.
Hit hit_at(const registry::SearchableTools& prepared,
           const ToolRequest& request,
           std::pair<std::size_t, std::size_t> place_and_document,
           const NameNotes& notes) {
  const auto [place, document] = place_and_document;
  const catalog::CatalogTool& tool = *prepared.tools[document];
  Hit hit = request.include_schemas ? tool_block(tool, notes, place)
                                    : Hit{.text = dash_line(tool, notes)};
  hit.text.insert(0, request.include_schemas ? "\n\n" : "\n");
  if (request.explain) {
    hit.text += explanation_text(prepared.ranker, request, document);
  }
  return hit;
}

}  // namespace

SearchHits all_of_server(const registry::SearchableTools& prepared, const std::string& server) {
  SearchHits found;
  for (std::size_t i = 0; i < prepared.tools.size(); ++i) {
    if (prepared.tools[i]->server == server) {
      found.hits.push_back({.document = static_cast<std::uint32_t>(i)});
    }
  }
  std::sort(found.hits.begin(),
            found.hits.end(),
            [&prepared](const search::Hit& a, const search::Hit& b) {
              return prepared.tools[a.document]->name < prepared.tools[b.document]->name;
            });
  found.heading = "Found " + text::count_text(found.hits.size(), "tool") + " in " + quoted(server);
  return found;
}

SearchHits search_by_words(const search::Ranker& ranker, const ToolRequest& request) {
  search::Ranking ranking = ranker.rank(request.subject, request.server);
  ranking.hits.resize(ranking.close);
  SearchHits found;
  found.hits = std::move(ranking.hits);
  found.confident = !ranking.low();
  const std::string count =
      (ranking.more_close ? "more than " : "") + text::count_text(ranking.close, "tool");
  if (!*found.confident) {
    const bool is_one_word = text::words(request.subject).size() == 1;
    found.heading = std::string("No tool matches ") + (is_one_word ? "" : "all of ") +
                    quoted(request.subject) + "; nearest " + count;
    return found;
  }
  found.heading = matching_heading(count, request);
  const auto likely = std::ranges::count_if(found.hits, [&found](const search::Hit& hit) {
    return hit.score >= likely_share * found.hits.front().score;
  });
  found.likely = static_cast<std::size_t>(std::max(likely, likely_min));
  return found;
}

std::string matching_heading(std::string_view count, const ToolRequest& request) {
  return "Found " + std::string(count) + " matching " + quoted(request.subject);
}

std::string nothing_text(const ToolRequest& request) {
  return "No tools matching " + quoted(request.subject) +
         (request.server.empty() ? "" : " in " + quoted(request.server));
}

std::optional<std::size_t> SearchPage::next() const {
  const std::size_t behind = first + hits.size();
  return behind < total ? std::optional(behind) : std::nullopt;
}

Message SearchPage::text() const {
  Message text = heading + tools;
  if (namesake) {
    text += namesake_note(namesake->first, namesake->second);
  }
  return text + paging_footer(hits.size(), first, total);
}

namespace {

// Ends the blocks of a page with the hits that it only names.
void add_names(SearchPage& page,
               const std::vector<const catalog::CatalogTool*>& named,
               const ToolRequest& request,
               const NameNotes& notes) {
  page.named = named.size();
  if (!named.empty()) {
    page.tools +=
        "\n\nLess likely, describe shows them: " + factored_names(named, notes.has_namesake);
  }
  // A list of names stands apart from the heading; blocks bring their own empty lines.
  if (!request.include_schemas && !page.tools.empty()) {
    page.tools.insert(0, "\n");
  }
}

}  // namespace

SearchPage search_page(const registry::SearchableTools& prepared,
                       const ToolRequest& request,
                       const SearchHits& found,
                       std::size_t tokens_max,
                       const NameNotes& notes) {
  SearchPage page;
  page.total = found.hits.size();
  page.first = std::min(request.offset, page.total);
  page.heading = page.total == 0 ? nothing_text(request) : found.heading + ":";
  const std::size_t limit = request.limit.value_or(search_limit_default);
  const bool may_name =
      !request.limit && page.first == 0 && request.include_schemas && !request.explain;
  std::vector<const catalog::CatalogTool*> named;
  std::size_t tokens = estimated_tokens(page.heading);
  for (std::size_t i = page.first; i < page.total && page.hits.size() < limit; ++i) {
    const catalog::CatalogTool& tool = *prepared.tools[found.hits[i].document];
    const bool by_name = may_name && i >= found.likely;
    const Hit shown = by_name ? Hit{.text = tool.name, .is_cut = true}
                              : hit_at(prepared, request, {i, found.hits[i].document}, notes);
    tokens += estimated_tokens(shown.text);
    // One is always shown.
    if (!page.hits.empty() && tokens > tokens_max) {
      break;
    }
    page.tools += by_name ? "" : shown.text;
    named.insert(named.end(), by_name ? 1 : 0, &tool);
    if (shown.is_cut) {
      page.cut.push_back(found.hits[i].document);
    }
    if (!page.namesake && notes.has_namesake && notes.has_namesake(tool)) {
      page.namesake.emplace(tool.name, tool.server);
    }
    page.hits.push_back(found.hits[i]);
  }
  add_names(page, named, request, notes);
  return page;
}

}  // namespace pi_mcp::tool
