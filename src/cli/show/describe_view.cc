#include "cli/show/describe_view.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "json/document.h"
#include "schema/render.h"

namespace pi_mcp::cli {
namespace {

constexpr std::string_view margin = "  ";
constexpr std::size_t gap = 2;

// Each line of a text in lines that fit.
std::string paragraphs(std::string_view text, std::string_view indent, std::size_t columns) {
  std::string out;
  for (const std::string_view line : text::split(text, '\n')) {
    out += text::trim(line).empty() ? "\n" : wrapped(text::trim(line), indent, columns);
  }
  return out;
}

std::string head_of(const schema::ParameterLine& line) {
  return std::string(margin) + std::string(2 * line.depth, ' ') + line.head;
}

// The column where descriptions begin: behind the longest head that leaves them room.
std::size_t description_column(const std::vector<schema::ParameterLine>& lines,
                               std::size_t columns) {
  std::size_t widest = 0;
  for (const schema::ParameterLine& line : lines) {
    const std::size_t width = columns_of(head_of(line));
    widest = width <= columns / 2 ? std::max(widest, width) : widest;
  }
  return std::max(widest, columns / 5) + gap;
}

std::string parameters(const std::vector<schema::ParameterLine>& lines,
                       const Style& style,
                       std::size_t columns) {
  const std::size_t column = description_column(lines, columns);
  std::string out;
  for (const schema::ParameterLine& line : lines) {
    const std::string head = head_of(line);
    const std::string said = std::string(text::trim(line.description + line.limits));
    std::string below = said.empty() ? "" : paragraphs(said, std::string(column, ' '), columns);
    const bool fits = columns_of(head) + gap <= column;
    if (fits && !below.empty()) {
      below.erase(0, columns_of(head));
    }
    out += style.bold(head) + (fits && !below.empty() ? "" : "\n") + below;
  }
  return out;
}

// Of enumerations too long for the line of their parameter.
std::string all_values(json::Value schema, const Style& style, std::size_t columns) {
  std::string out;
  for (const auto& [name, values] : schema::long_enumerations(schema)) {
    out.append("\n").append(style.dim("All values of " + name)).append("\n");
    out += wrapped(values, margin, columns);
  }
  return out;
}

}  // namespace

std::string described(const catalog::CatalogTool& tool, const Style& style, std::size_t columns) {
  const std::string description = text::printable(text::trim(tool.description));
  const std::string out = (description.empty() ? std::string(margin) + "(no description)\n"
                                               : paragraphs(description, margin, columns)) +
                          "\n";
  if (tool.is_resource()) {
    return out + "Takes no parameters: reads " + text::printable_line(tool.resource_uri) + "\n";
  }
  const Result<json::Document> document = json::Document::parse(tool.input_schema);
  const json::Value schema = document ? document->root() : json::Value();
  return out + style.dim("Parameters") + "\n" +
         parameters(schema::parameter_lines(schema), style, columns) +
         all_values(schema, style, columns);
}

std::string describe_view(const tool::DescribeFacts& facts,
                          const Style& style,
                          std::size_t columns) {
  const catalog::CatalogTool& tool = facts.tool;
  return style.bold(text::printable_line(tool.name)) + tool::marks_text(facts.marks) + "\n" +
         style.dim("of " + text::printable_line(tool.server) +
                   (facts.is_renamed() ? ", where it is " + tool.original : "")) +
         "\n\n" + described(tool, style, columns);
}

}  // namespace pi_mcp::cli
