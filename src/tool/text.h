// How tools look in lists, search results and error messages. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_text.h"
#include "catalog/catalog.h"
#include "json/writer.h"
#include "tool/message.h"

namespace pi_mcp::tool {

// Describe shows the human form; a search the shorter one, with words beside it for its first hits.
enum class SchemaStyle : std::uint8_t {
  human,       // "Parameters:", a line each: name (type) *required* - description
  typescript,  // "Shape:", one TypeScript type without descriptions; human where that is impossible
};

// What schema_block() says of a tool that takes nothing.
constexpr std::string_view no_parameters = "Parameters: none";

// "Parameters:" or "Shape:" and the schema below it, each line behind `margin`; the schema two
// spaces deeper when it is in the human form or there is a margin. Empty for an absent schema,
// "Parameters: none" for one without any.
std::string schema_block(const SharedText& schema, SchemaStyle style, std::string_view margin);

// An empty line, "Expected parameters:" and the schema in the human form; empty for an absent one.
std::string expected_parameters(const SharedText& schema);

// Every line but empty ones behind `margin`.
std::string indented(std::string_view text, std::string_view margin);

// Printable, runs of white space become one space.
std::string one_line(std::string_view text);

// Unchanged when at most `units_max` UTF-16 units long, else about as many of the beginning and the
// end, and between them how much is left out: who decides about a text must not miss its end.
std::string both_ends(const std::string& text, std::size_t units_max);

// What somebody typed, as answers and details repeat it: one printable line that is never long.
std::string echoed(std::string_view typed);
// echoed(), in quotation marks.
std::string quoted(std::string_view typed);

// Whether another server has a tool of the same displayed name; empty: none has.
using HasNamesake = std::function<bool(const catalog::CatalogTool&)>;
// The displayed name; with its server where it is not unique: "fetch (server "a")".
std::string name_with_home(const catalog::CatalogTool& tool, const HasNamesake& has_namesake);
// What else follows a tool's name.
struct ToolMarks {
  bool needs_approval = false;  // " (requires approval)": a call of it asks the user
  bool reads_only = false;      // " (read-only)", said only where that decides which tool calls it
  bool is_projects = false;     // " (project)": a file of the project defines its server
};
using MarksOf = std::function<ToolMarks(const catalog::CatalogTool&)>;
std::string marks_text(const ToolMarks& marks);

// What may follow names; an empty function: nothing of its kind.
struct NameNotes {
  HasNamesake has_namesake;
  MarksOf marks_of;
};
// The displayed name with everything that follows it.
std::string name_with_notes(const catalog::CatalogTool& tool, const NameNotes& notes);

// How to call a tool that has a namesake, after an empty line.
Message namesake_note(const std::string& tool, const std::string& server);

// "- name", and " - " with the first words of the description when there is one.
std::string dash_line(const catalog::CatalogTool& tool, const NameNotes& notes = {});

// About how many tokens a model reads a text as: four ASCII characters are one, any other character
// is one. Within a tenth of what o200k counts in answers to searches (docs/search.md).
std::size_t estimated_tokens(std::string_view text);

// Where the last sentence ends that still fits into `bytes_max` bytes; 0 when none fits.
std::size_t sentences_end(std::string_view text, std::size_t bytes_max);
// Behind the first sentence; 0 where none ends.
std::size_t first_sentence_end(std::string_view text);

// As many whole sentences or lines of a text as fit into `bytes_max` bytes, else words.
std::string_view whole_sentences(std::string_view text, std::size_t bytes_max);

// A long text of a server, of which an answer shows a part.
struct TextPart {
  std::string_view text;
  std::size_t offset = 0;  // bytes; a character that it would split is left out
  std::size_t tokens_max = 0;
  NextStep more;                // asks for it, from an offset on
  std::size_t offset_base = 0;  // where `text` begins in what offsets count
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string_view margin = {};  // stands before each line
};
// From the offset on as much as the tokens allow, in whole sentences, and how to see the rest.
Message shown_part(const TextPart& part);

// What a server says went wrong, shortened: some of them print a page.
std::string short_error(std::string_view message);

// "a, b, c and 4 more".
std::string name_list(const std::vector<std::string>& names, std::size_t names_max);

// "{shown} of {total} — offset: {next} for more" after an empty line, when there is more.
Message paging_footer(std::size_t shown, std::size_t offset, std::size_t total);

// What a server says of a tool: a description and the inputSchema as it was sent.
struct ToolDefinition {
  std::string name;  // displayed
  std::string description;
  SharedText input_schema;
};
ToolDefinition definition_of(const catalog::CatalogTool& tool);
// Its members, into an object that is open.
void write_definition(json::Writer& out, const ToolDefinition& definition);

}  // namespace pi_mcp::tool
