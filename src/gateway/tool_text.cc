#include "gateway/tool_text.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "json/document.h"
#include "json/schema_render.h"

namespace pi_mcp::gateway {
namespace {

// Of a description in a list (the reference adapter's value).
constexpr std::size_t list_description_units_max = 50;

constexpr std::string_view step = "  ";

}  // namespace

std::string schema_block(const SharedText& schema, SchemaStyle style, std::string_view margin) {
  if (schema.empty()) {
    return {};
  }
  const Result<json::Document> document = json::Document::parse(schema);
  const json::Value root = document ? document->root() : json::Value();
  const std::string edge(margin);
  if (style == SchemaStyle::typescript) {
    if (const std::optional<std::string> shape = json::typescript_shape(root)) {
      const std::string inner = edge.empty() ? edge : edge + std::string(step);
      return edge + "Shape:\n" + indented(*shape, inner);
    }
  }
  return edge + "Parameters:\n" + json::render_parameters(root, edge + std::string(step));
}

std::string expected_parameters(const SharedText& schema) {
  if (schema.empty()) {
    return {};
  }
  const Result<json::Document> document = json::Document::parse(schema);
  const json::Value root = document ? document->root() : json::Value();
  return "\n\nExpected parameters:\n" + json::render_parameters(root, step);
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
  std::string line;
  for (const std::string_view word : text::words(text)) {
    line += line.empty() ? "" : " ";
    line += word;
  }
  return line;
}

std::string dash_line(const catalog::CatalogTool& tool) {
  const std::string description = one_line(tool.description);
  std::string line = "- " + tool.name;
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

std::string paging_footer(std::size_t shown, std::size_t offset, std::size_t total) {
  const std::size_t next = offset + shown;
  if (next >= total) {
    return {};
  }
  return "\n\n" + std::to_string(shown) + " of " + std::to_string(total) +
         " \u2014 offset: " + std::to_string(next) + " for more";
}

}  // namespace pi_mcp::gateway
