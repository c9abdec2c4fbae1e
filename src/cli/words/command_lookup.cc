// Finds commands and options by what somebody typed, and the nearest one when there is none.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "cli/words/command_table.h"

namespace pi_mcp::cli {
namespace {

// Words that people bring along from other programs.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> synonyms = {{
    {"servers", "status"},
    {"ps", "status"},
    {"find", "search"},
    {"grep", "search"},
    {"info", "describe"},
    {"inspect", "describe"},
    {"show", "describe"},
    {"run", "call"},
    {"exec", "call"},
    {"start", "serve"},
    {"install", "add"},
    {"delete", "remove"},
    {"uninstall", "remove"},
    {"stderr", "logs"},
}};

// Further away than this is a different word, not a typing mistake.
std::size_t distance_max(std::string_view word) {
  return word.size() < 4 ? 1 : std::max<std::size_t>(2, word.size() / 3);
}

const Option* find_in(std::span<const Option> options, std::string_view name) {
  const auto found = std::ranges::find_if(options, [name](const Option& option) {
    return option.name == name ||
           (option.letter != 0 && name.size() == 2 && name[0] == '-' && name[1] == option.letter);
  });
  return found == options.end() ? nullptr : &*found;
}

struct Nearest {
  std::string_view name;
  std::size_t distance = SIZE_MAX;

  void consider(std::string_view candidate, std::string_view wrong) {
    const std::size_t found = candidate.starts_with(wrong) && wrong.size() > 2
                                  ? 1
                                  : text::edit_distance(candidate, wrong);
    if (found < distance) {
      distance = found;
      name = candidate;
    }
  }
};

}  // namespace

const Command* find_command(std::string_view name) {
  const std::span<const Command> table = commands();
  const auto found = std::ranges::find_if(table, [name](const Command& command) {
    return command.name == name ||
           std::ranges::find(command.aliases, name) != command.aliases.end();
  });
  return found == table.end() ? nullptr : &*found;
}

const Command& command(CommandId id) {
  return *std::ranges::find(commands(), id, &Command::id);
}

const Option* find_option(const Command* command, std::string_view name) {
  if (command != nullptr) {
    if (const Option* own = find_in(command->options, name)) {
      return own;
    }
  }
  return find_in(global_options(), name);
}

std::string_view nearest_command(std::string_view wrong) {
  for (const auto& [word, meant] : synonyms) {
    if (word == wrong) {
      return meant;
    }
  }
  Nearest nearest;
  for (const Command& candidate : commands()) {
    if (candidate.group != Group::hidden) {
      nearest.consider(candidate.name, text::lower(wrong));
    }
  }
  return nearest.distance <= distance_max(wrong) ? nearest.name : std::string_view();
}

std::string_view nearest_option(const Command* command, std::string_view wrong) {
  Nearest nearest;
  if (command != nullptr) {
    for (const Option& option : command->options) {
      nearest.consider(option.name, wrong);
    }
  }
  for (const Option& option : global_options()) {
    nearest.consider(option.name, wrong);
  }
  return nearest.distance <= distance_max(wrong) ? nearest.name : std::string_view();
}

}  // namespace pi_mcp::cli
