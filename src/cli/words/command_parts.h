// How the tables of commands are written. Internal to them; others use command_table.h.
#pragma once

#include <string_view>

#include "cli/words/command_table.h"

namespace pi_mcp::cli {

constexpr Option flag(OptionId id, std::string_view name, std::string_view help) {
  return {.id = id, .name = name, .value = "", .help = help};
}

constexpr Option valued(OptionId id,
                        std::string_view name,
                        std::string_view value,
                        std::string_view help,
                        Completion completion = Completion::nothing) {
  return {.id = id, .name = name, .value = value, .help = help, .completion = completion};
}

constexpr Option lettered(char letter, Option option) {
  option.letter = letter;
  return option;
}

constexpr Option repeatable(Option option) {
  option.repeatable = true;
  return option;
}

}  // namespace pi_mcp::cli
