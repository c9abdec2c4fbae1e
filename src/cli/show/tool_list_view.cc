#include "cli/show/tool_list_view.h"

#include <algorithm>

#include "base/count_text.h"
#include "base/text.h"
#include "cli/show/status_view.h"
#include "json/document.h"

namespace pi_mcp::cli {
namespace {

// A longer name moves only its own description, not those of all others.
constexpr std::size_t name_columns_max = 40;
constexpr std::size_t description_columns_min = 20;

std::string one_line(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : text::words(text)) {
    words.emplace_back(word);
  }
  return text::printable(text::join(words, " "));
}

}  // namespace

std::string tool_list_view(std::string_view server,
                           const ToolPage& page,
                           const Style& style,
                           std::size_t columns) {
  std::size_t widest = 0;
  for (const catalog::CatalogTool* tool : page.tools) {
    const std::size_t width = columns_of(text::printable(tool->name));
    widest = width <= name_columns_max ? std::max(widest, width) : widest;
  }
  std::string out = style.bold(text::printable(server)) +
                    style.dim(" (" + text::count_text(page.total, "tool") + ")") + "\n";
  for (const catalog::CatalogTool* tool : page.tools) {
    std::string name = text::printable(tool->name);
    const std::size_t width = columns_of(name);
    name.append(width < widest ? widest - width : 0, ' ');
    const std::size_t before = 2 + std::max(width, widest) + 2;
    const std::size_t left =
        columns > before + description_columns_min ? columns - before : description_columns_min;
    const std::string description = cut_to_columns(one_line(tool->description), left);
    out += "  " + name + (description.empty() ? "" : "  " + style.dim(description));
    out.erase(out.find_last_not_of(' ') + 1);
    out += "\n";
  }
  if (page.next) {
    out += "\n" +
           style.dim(std::to_string(page.tools.size()) + " of " + std::to_string(page.total) +
                     " \u2014 --offset " + std::to_string(*page.next) + " for more") +
           "\n";
  }
  return out;
}

std::string connected_line(std::string_view server,
                           const tool::Answer& answer,
                           const Style& style) {
  const Result<json::Document> details =
      json::Document::parse(SharedText(tool::details_of(answer, tool::Reader::shell)));
  const std::int64_t tools = details ? details->root().find("count").as_int().value_or(0) : 0;
  return style.green("✓") + " " + text::printable(server) + " (" +
         text::count_text(static_cast<std::size_t>(tools), "tool") + ")\n";
}

}  // namespace pi_mcp::cli
