#include "tool/text.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "json/document.h"
#include "schema/render.h"

namespace pi_mcp::tool {
namespace {

// The longest description in a list (the reference adapter's value).
constexpr std::size_t list_description_units_max = 50;

constexpr std::string_view step = "  ";

// The longest failure of a server, and the longest list of the parameters it wanted: together no
// more tokens than an answer to a search.
constexpr std::size_t error_units_max = 2000;
constexpr std::size_t error_shape_bytes_max = 4000;

// The longest echo of what somebody typed: enough to recognise it.
constexpr std::size_t echo_characters_max = 100;

bool is_character_start(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

// What ends a sentence. Between letters those of ASCII do not ("v1.2"); others need no space.
constexpr std::array<std::string_view, 7> sentence_marks = {
    ". ", "! ", "? ", "\u3002", "\uff01", "\uff1f", "\uff61"};

// Without the space behind it, which is not part of the sentence.
std::size_t size_of(std::string_view mark) {
  return mark.ends_with(' ') ? mark.size() - 1 : mark.size();
}

}  // namespace

std::string schema_block(const SharedText& schema, SchemaStyle style, std::string_view margin) {
  if (schema.empty()) {
    return {};
  }
  const Result<json::Document> document = json::Document::parse(schema);
  const json::Value root = document ? document->root() : json::Value();
  const std::string edge(margin);
  if (style == SchemaStyle::typescript) {
    if (const std::optional<std::string> shape = schema::typescript_shape(root)) {
      const std::string inner = edge.empty() ? edge : edge + std::string(step);
      return edge + "Shape:\n" + indented(*shape, inner);
    }
  }
  const std::string lines = schema::render_parameters(root, edge + std::string(step));
  const std::string_view all = text::trim(lines);
  return all == "(object)" || all == "(no parameters)" ? edge + std::string(no_parameters)
                                                       : edge + "Parameters:\n" + lines;
}

std::string expected_parameters(const SharedText& schema) {
  if (schema.empty()) {
    return {};
  }
  const Result<json::Document> document = json::Document::parse(schema);
  const json::Value root = document ? document->root() : json::Value();
  std::string lines = schema::render_parameters(root, step);
  if (lines.size() > error_shape_bytes_max) {
    lines.resize(lines.rfind('\n', error_shape_bytes_max));
    lines += "\n  ... (describe shows all)";
  }
  return "\n\nExpected parameters:\n" + lines;
}

std::string indented(std::string_view text, std::string_view margin) {
  std::string out;
  for (const std::string_view line : text::split(text, '\n')) {
    out += out.empty() ? "" : "\n";
    out += line.empty() ? "" : margin;
    out += line;
  }
  return out;
}

std::string one_line(std::string_view text) {
  const std::string printable = text::printable(text);
  std::string line;
  for (const std::string_view word : text::words(printable)) {
    line += line.empty() ? "" : " ";
    line += word;
  }
  return line;
}

std::string both_ends(const std::string& text, std::size_t units_max) {
  if (text::utf16_length(text) <= units_max) {
    return text;
  }
  const std::u32string points = text::code_points(text);
  const std::size_t begin = std::min(points.size(), units_max * 3 / 5);
  const std::size_t end = std::min(points.size() - begin, units_max - begin);
  std::string shown;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == begin && begin + end < points.size()) {
      const std::size_t hidden = points.size() - begin - end;
      shown += " ... (" + std::to_string(hidden) + " characters left out) ... ";
      i = points.size() - end;
    }
    text::append_utf8(shown, points[i]);
  }
  return shown;
}

std::string echoed(std::string_view typed) {
  return text::shortened(text::printable_line(typed), echo_characters_max);
}

std::string quoted(std::string_view typed) {
  return "\"" + echoed(typed) + "\"";
}

std::size_t estimated_tokens(std::string_view text) {
  constexpr std::size_t ascii_per_token = 4;
  std::size_t ascii = 0;
  std::size_t others = 0;
  for (const char c : text) {
    ascii += static_cast<signed char>(c) >= 0 ? 1 : 0;
    others += static_cast<signed char>(c) < 0 && is_character_start(c) ? 1 : 0;
  }
  return others + (ascii + ascii_per_token - 1) / ascii_per_token;
}

std::size_t first_sentence_end(std::string_view text) {
  std::size_t first = std::string_view::npos;
  for (const std::string_view mark : sentence_marks) {
    const std::size_t place = text.find(mark);
    first = place == std::string_view::npos ? first : std::min(first, place + size_of(mark));
  }
  return first == std::string_view::npos ? 0 : first;
}

std::size_t sentences_end(std::string_view text, std::size_t bytes_max) {
  std::size_t last = 0;
  for (const std::string_view mark : sentence_marks) {
    const std::size_t size = size_of(mark);
    const std::size_t place =
        bytes_max < size ? std::string_view::npos : text.rfind(mark, bytes_max - size);
    last = place == std::string_view::npos ? last : std::max(last, place + size);
  }
  return last;
}

std::string_view whole_sentences(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) {
    return text;
  }
  const auto behind = [text, bytes_max](char end) {
    const std::size_t place = text.rfind(end, bytes_max);
    return place == std::string_view::npos ? 0 : place + 1;
  };
  for (const std::size_t end : {behind('\n'), sentences_end(text, bytes_max), behind(' ')}) {
    // Not where most would be lost.
    if (end > 0 && (end - 1) * 2 >= bytes_max) {
      return text.substr(0, end);
    }
  }
  while (bytes_max > 0 && !is_character_start(text[bytes_max])) {
    --bytes_max;
  }
  return text.substr(0, bytes_max);
}

Message shown_part(const TextPart& part) {
  const std::string_view all = part.text;
  std::string_view rest = all.substr(std::min(part.offset, all.size()));
  while (!rest.empty() && !is_character_start(rest.front())) {
    rest.remove_prefix(1);
  }
  const std::size_t tokens = estimated_tokens(rest);
  if (tokens <= part.tokens_max) {
    return indented(rest, part.margin);
  }
  const double share = static_cast<double>(part.tokens_max) / static_cast<double>(tokens);
  constexpr std::size_t shown_bytes_min = 200;
  const std::string_view shown =
      whole_sentences(rest,
                      std::max(shown_bytes_min,
                               static_cast<std::size_t>(share * static_cast<double>(rest.size()))));
  if (shown.size() == rest.size()) {
    return indented(rest, part.margin);
  }
  const std::size_t end = all.size() - rest.size() + shown.size() + part.offset_base;
  NextStep more = part.more;
  more.offset = end;
  return indented(text::trim(shown), part.margin) + "\n... " + std::to_string(end) + " of " +
         std::to_string(all.size() + part.offset_base) + " bytes \u2014 " + Message(more) +
         " for more";
}

std::string short_error(std::string_view message) {
  return text::cut(message, error_units_max);
}

std::string name_with_home(const catalog::CatalogTool& tool, const HasNamesake& has_namesake) {
  return has_namesake && has_namesake(tool) ? tool.name + " (server " + quoted(tool.server) + ")"
                                            : tool.name;
}

Message namesake_note(const std::string& tool, const std::string& server) {
  return "\n\nSeveral servers have a tool of such a name: say which one is meant, as in " +
         Message(NextStep{.mode = Mode::call, .subject = tool, .server = server}) + ".";
}

std::string marks_text(const ToolMarks& marks) {
  std::string text = marks.is_projects ? " (project)" : "";
  text += marks.reads_only ? " (read-only)" : "";
  text += marks.needs_approval ? " (requires approval)" : "";
  return text;
}

std::string name_with_notes(const catalog::CatalogTool& tool, const NameNotes& notes) {
  return name_with_home(tool, notes.has_namesake) +
         (notes.marks_of ? marks_text(notes.marks_of(tool)) : "");
}

std::string dash_line(const catalog::CatalogTool& tool, const NameNotes& notes) {
  const std::string description = one_line(tool.description);
  std::string line = "- " + name_with_notes(tool, notes);
  line += description.empty() ? "" : " - " + text::cut(description, list_description_units_max);
  return line;
}

std::string name_list(const std::vector<std::string>& names, std::size_t names_max) {
  const std::size_t shown = std::min(names.size(), names_max);
  std::string list =
      text::join({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown)}, ", ");
  if (shown < names.size()) {
    list += " and " + std::to_string(names.size() - shown) + " more";
  }
  return list;
}

Message paging_footer(std::size_t shown, std::size_t offset, std::size_t total) {
  const std::size_t next = offset + shown;
  if (next >= total) {
    return {};
  }
  return "\n\n" + std::to_string(shown) + " of " + std::to_string(total) + " \u2014 " +
         Message(NextPage{next}) + " for more";
}

ToolDefinition definition_of(const catalog::CatalogTool& tool) {
  return {.name = tool.name, .description = tool.description, .input_schema = tool.input_schema};
}

void write_definition(json::Writer& out, const ToolDefinition& definition) {
  out.member("description", definition.description);
  if (!definition.input_schema.empty()) {
    out.member_raw("inputSchema", definition.input_schema.view());
  }
}

}  // namespace pi_mcp::tool
