#include "cli/words/help.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"
#include "cli/show/exit_status.h"

namespace pi_mcp::cli {
namespace {

constexpr std::array<std::pair<Group, std::string_view>, 5> group_titles = {{
    {Group::use, "Use servers"},
    {Group::serve, "Serve an agent"},
    {Group::configure, "Configure"},
    {Group::program, "For programs and tests"},
    {Group::shell, "Shell"},
}};

constexpr std::string_view first_steps =
    "  pi-mcp setup                   into your hosts, with their servers\n"
    "  pi-mcp connect --all           learn their tools\n"
    "  pi-mcp search take screenshot  find a tool\n"
    "  pi-mcp call TOOL key=value     call it\n";

std::string heading(const Style& style, std::string_view title) {
  return "\n" + style.bold(title) + "\n";
}

std::string option_cell(const Option& option) {
  std::string cell = option.letter == 0 ? "    " : std::string("-") + option.letter + ", ";
  cell += option.name;
  if (!option.value.empty()) {
    cell += " ";
    cell += option.value;
  }
  return cell;
}

void add_options(TextTable& table, std::span<const Option> options, const Command* command) {
  for (const Option& option : options) {
    if (find_option(command, option.name) == &option) {
      std::string help(option.help);
      if (option.repeatable) {
        help += " (may be repeated)";
      }
      table.add({option_cell(option), std::move(help)});
    }
  }
}

std::string indented(std::string_view text) {
  std::string out;
  for (const std::string_view line : text::split(text, '\n')) {
    out += line.empty() ? "\n" : "  " + std::string(line) + "\n";
  }
  return out;
}

// Text that roff prints as it is.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool starts_line = out.empty() || out.back() == '\n';
    out += starts_line && (c == '.' || c == '\'') ? "\\&" : "";
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return out;
}

std::string roff_options(std::span<const Option> options) {
  std::string out;
  for (const Option& option : options) {
    out += ".TP\n.B " + roff(text::trim(option_cell(option))) + "\n" + roff(option.help) + "\n";
  }
  return out;
}

}  // namespace

std::string usage_line(const Command& command) {
  std::string line = "pi-mcp " + std::string(command.name);
  if (!command.words.empty()) {
    line += " " + std::string(command.words);
  }
  // Options of add come before "--"; saying it there would only confuse.
  return command.id == CommandId::help ? line : line + " [OPTION...]";
}

std::string general_help(const Style& style) {
  std::string out =
      "One small tool in front of all your MCP servers, for agents and for the shell.\n";
  out += heading(style, "Usage") + "  pi-mcp COMMAND [WORD...] [OPTION...]\n";
  // One table, so that the summaries of all groups start in the same column.
  std::size_t widest = 0;
  for (const Command& command : commands()) {
    if (command.group != Group::hidden) {
      widest = std::max(widest, command.name.size());
    }
  }
  for (const auto& [group, title] : group_titles) {
    out += heading(style, title);
    for (const Command& command : commands()) {
      if (command.group == group) {
        std::string name(command.name);
        name.resize(widest, ' ');
        out += "  " + name + "  " + std::string(command.summary) + "\n";
      }
    }
  }
  TextTable options;
  add_options(options, global_options(), nullptr);
  out += heading(style, "Options of every command") + options.text("  ");
  out += heading(style, "First steps") + std::string(first_steps);
  out += heading(style, "Exit status") + exit_status_help("  ");
  out += "\nMore about a command: pi-mcp COMMAND --help\n";
  return out;
}

std::string command_help(const Command& command, const Style& style) {
  std::string out = std::string(command.summary) + "\n";
  out += heading(style, "Usage") + "  " + usage_line(command) + "\n";
  if (!command.text.empty()) {
    out += "\n" + indented(command.text);
  }
  if (command.aliases.size() > 0) {
    out +=
        "\n  Also written: " + text::join({command.aliases.begin(), command.aliases.end()}, ", ") +
        "\n";
  }
  TextTable own;
  add_options(own, command.options, &command);
  if (command.options.size() > 0) {
    out += heading(style, "Options") + own.text("  ");
  }
  TextTable global;
  add_options(global, global_options(), &command);
  out += heading(style, "Options of every command") + global.text("  ");
  if (command.examples.size() > 0) {
    out += heading(style, "Examples");
    for (const Example& example : command.examples) {
      out += "  " + std::string(example.line) + "\n";
      out += "      " + style.dim(example.what) + "\n";
    }
  }
  return out;
}

std::string manual_page() {
  std::string out = ".TH PI-MCP 1 \"\" \"pi-mcp " PI_MCP_VERSION "\"\n.SH NAME\n";
  out += "pi-mcp \\- one small tool in front of all your MCP servers\n.SH SYNOPSIS\n";
  out += ".B pi-mcp\nCOMMAND [WORD...] [OPTION...]\n.SH OPTIONS OF EVERY COMMAND\n";
  out += roff_options(global_options());
  for (const auto& [group, title] : group_titles) {
    for (const Command& command : commands()) {
      if (command.group != group) {
        continue;
      }
      out += ".SH " + text::replace_all(ascii::upper(command.name), "-", "\\-") + "\n" +
             roff(command.summary) + "\n.PP\n.B " + roff(usage_line(command)) + "\n";
      out += command.text.empty() ? "" : ".PP\n.nf\n" + roff(command.text) + "\n.fi\n";
      out += roff_options(command.options);
      for (const Example& example : command.examples) {
        out += ".TP\n.B " + roff(example.line) + "\n" + roff(example.what) + "\n";
      }
    }
  }
  return out + ".SH EXIT STATUS\n.nf\n" + roff(text::trim(exit_status_help(""))) + "\n.fi\n";
}

}  // namespace pi_mcp::cli
