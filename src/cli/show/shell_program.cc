#include "cli/show/shell_program.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/count_text.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "cli/show/describe_view.h"
#include "cli/show/style.h"
#include "json/document.h"

namespace pi_mcp::cli {
namespace {

constexpr std::size_t columns = 80;
constexpr std::size_t name_columns_max = 30;

// Behind the tools in the help of the program. Nothing of a server is in these three texts.
constexpr std::string_view usage_end = R"(
TOOL --help says what a tool takes. Arguments: key=value, key:=JSON, key=@FILE,
or all of them as one JSON object; - reads it from stdin. Options behind a tool:
--json (the whole result), -o FILE, --timeout SECONDS, --quiet. Behind -- every
option is the tool's.)";

constexpr std::string_view head = R"(
program=${0##*/}
pi_mcp=${PI_MCP_BIN:-pi-mcp}
)";

constexpr std::string_view end = R"(shift

for word in "$@"; do
  case $word in
    -h | --help)
      help_of "$tool"
      exit 0
      ;;
    --) break ;;
  esac
done

if [ -z "${PI_MCP_BIN-}" ] && ! command -v pi-mcp >/dev/null; then
  pi_mcp=${0%/*}/pi-mcp
fi
if ! command -v "$pi_mcp" >/dev/null; then
  printf '%s: there is no pi-mcp on the PATH or beside it; PI_MCP_BIN can name it\n' "$program" >&2
  exit 127
fi
)";

// As one word, whatever is in it: not even a keyword of the shell stands alone.
std::string literal(std::string_view text) {
  return "'" + text::replace_all(text, "'", "'\\''") + "'";
}

// Text that a terminal shows and no control sequence.
std::string shown(std::string_view text) {
  return literal(text::printable(text));
}

bool can_be_written(std::string_view name) {
  return !name.empty() && text::printable_line(name) == name;
}

// "create-issue" of "create_issue".
std::string with_hyphens(std::string name) {
  std::ranges::replace_if(name, [](char c) { return !ascii::is_alphanumeric(c) && c != '-'; }, '-');
  return name;
}

// How each tool may be called besides its own name, which no other tool has; empty: not at all.
std::vector<std::string> other_names(const std::vector<catalog::CatalogTool>& tools) {
  std::set<std::string> taken;
  for (const catalog::CatalogTool& tool : tools) {
    taken.insert(tool.original);
  }
  std::vector<std::string> names;
  names.reserve(tools.size());
  for (const catalog::CatalogTool& tool : tools) {
    std::string name = with_hyphens(tool.original);
    const bool is_free = !name.starts_with('-') && taken.insert(name).second;
    names.push_back(is_free ? std::move(name) : std::string());
  }
  return names;
}

std::string first_line(std::string_view description) {
  std::vector<std::string> words;
  for (const std::string_view word : text::words(description)) {
    words.emplace_back(word);
  }
  return text::printable(text::join(words, " "));
}

std::string tool_lines(const std::vector<catalog::CatalogTool>& tools) {
  std::size_t widest = 0;
  for (const catalog::CatalogTool& tool : tools) {
    const std::size_t width = columns_of(tool.original);
    widest = width <= name_columns_max ? std::max(widest, width) : widest;
  }
  std::string lines;
  for (const catalog::CatalogTool& tool : tools) {
    std::string line = "  " + tool.original;
    const std::size_t width = columns_of(tool.original);
    line.append(widest - std::min(width, widest) + 2, ' ');
    const std::size_t left = columns - std::min(columns_of(line), columns / 2);
    line += cut_to_columns(first_line(tool.description), left);
    lines += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return lines;
}

// " owner=... [key=value...]": what a call needs, and that there is more.
std::string arguments_of(const catalog::CatalogTool& tool) {
  const Result<json::Document> schema = json::Document::parse(tool.input_schema);
  const json::Value root = schema ? schema->root() : json::Value();
  std::string out;
  std::size_t required = 0;
  for (const json::Value key : root.find("required").elements()) {
    out += " " + text::printable_line(key.string_or("")) + "=...";
    ++required;
  }
  const bool has_more = !root.find("properties") || root.find("properties").size() > required;
  return out + (has_more ? " [key=value...]" : "");
}

std::string usage_function(const ShellProgram& program,
                           const std::vector<catalog::CatalogTool>& tools) {
  const std::string title = text::printable_line(program.server) + ": " +
                            text::count_text(tools.size(), "tool") + " of an MCP server";
  const std::string list = tool_lines(tools) + std::string(usage_end);
  return "\nusage() {\n  printf '%s\\n' " + shown(title) +
         "\n  printf '\\nUsage: %s TOOL [key=value...]\\n\\n' \"$program\"\n  printf '%s\\n' " +
         shown(list) + "\n}\n";
}

std::string help_function(const std::vector<catalog::CatalogTool>& tools) {
  std::string out = "\nhelp_of() {\n  case $1 in\n";
  for (const catalog::CatalogTool& tool : tools) {
    out += "    " + literal(tool.original) +
           ")\n      printf 'Usage: %s %s%s\\n\\n' \"$program\" " + literal(tool.original) + " " +
           shown(arguments_of(tool)) + "\n      printf '%s' " +
           shown(described(tool, Style(), columns)) + "\n      ;;\n";
  }
  return out + "  esac\n}\n";
}

std::string dispatch(const std::vector<catalog::CatalogTool>& tools) {
  std::string out =
      "\ncase ${1-} in\n  '' | -h | --help)\n    usage\n    exit 0\n    ;;\n"
      "  --) shift ;;\nesac\n\ncase ${1-} in\n";
  const std::vector<std::string> others = other_names(tools);
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const std::string name = literal(tools[i].original);
    out += "  " + name;
    out += others[i].empty() ? "" : " | " + literal(others[i]);
    out += ") tool=" + name + " ;;\n";
  }
  return out +
         "  *)\n    printf '%s: no tool \"%s\"; %s --help shows all\\n' \"$program\" "
         "\"${1-}\" \"$program\" >&2\n    exit 2\n    ;;\nesac\n";
}

}  // namespace

ShellScript shell_script(const ShellProgram& program, std::vector<catalog::CatalogTool> tools) {
  ShellScript script;
  std::erase_if(tools, [](const catalog::CatalogTool& tool) { return tool.is_resource(); });
  for (const catalog::CatalogTool& tool : tools) {
    if (!can_be_written(tool.original)) {
      script.left_out.push_back(text::printable_line(tool.original));
    }
  }
  std::erase_if(tools, [](const auto& tool) { return !can_be_written(tool.original); });
  std::string made_by = "pi-mcp";
  for (const std::string& word : program.words) {
    made_by += " " + text::shell_word(word);
  }
  // What servers say has dollars and quotes in it, and is printed as it is.
  script.text = "#!/bin/sh\n# Made by: " + text::printable_line(made_by) +
                "\n# shellcheck disable=SC1003,SC2016\n" + std::string(head) +
                usage_function(program, tools) + help_function(tools) + dispatch(tools) +
                std::string(end) + "exec \"$pi_mcp\"";
  for (const std::string& word : program.call) {
    script.text += " " + literal(word);
  }
  script.text += " --tool \"$tool\" \"$@\"\n";
  return script;
}

}  // namespace pi_mcp::cli
