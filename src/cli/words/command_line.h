// A command line, parsed by the command table. Pure: no I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cli/words/command_table.h"

namespace pi_mcp::cli {

class CommandLine {
 public:
  // `arguments` without the program's name. invalid_argument says what is wrong and which help to
  // read; a command line that asks for help is never wrong about anything else.
  static Result<CommandLine> parse(const std::vector<std::string>& arguments);

  // What it was read from.
  [[nodiscard]] const std::vector<std::string>& arguments() const { return arguments_; }
  // nullptr when no command was given.
  [[nodiscard]] const Command* command() const { return command_; }
  // The command is `call`, and nobody has written it: the first word is a tool, or a mistake.
  [[nodiscard]] bool is_call_implied() const { return call_implied_; }
  // What follows the command and is not an option; in a call the options of the tool too.
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }
  void set_option(OptionId id, std::string value) { options_.emplace_back(id, std::move(value)); }
  void set_words(std::vector<std::string> words) { words_ = std::move(words); }
  // How many words stood before "--"; all of them when there was none.
  [[nodiscard]] std::size_t words_before_dashes() const { return words_before_dashes_; }

  [[nodiscard]] bool has(OptionId id) const { return value(id).has_value(); }
  // The last value given; "" for a flag.
  [[nodiscard]] std::optional<std::string> value(OptionId id) const;
  [[nodiscard]] std::vector<std::string> values(OptionId id) const;

 private:
  friend class Splitter;
  [[nodiscard]] Result<void> check_words() const;

  std::vector<std::string> arguments_;
  const Command* command_ = nullptr;
  bool call_implied_ = false;
  std::vector<std::string> words_;
  std::size_t words_before_dashes_ = 0;
  std::vector<std::pair<OptionId, std::string>> options_;
};

// Where the command stands: the first argument that is neither an option nor the value of one;
// arguments.size() when there is none.
std::size_t command_position(const std::vector<std::string>& arguments);

// What is said of a first word that is neither a command nor a tool.
Error unknown_command(const std::string& word);

// Whether JSON was asked for, also of arguments that cannot be parsed.
bool asks_for_json(const std::vector<std::string>& arguments);

// A count such as --limit: a whole number of at least `least`.
Result<std::optional<std::size_t>> count_option(const CommandLine& line,
                                                OptionId id,
                                                std::size_t least);
// --timeout: seconds, fractions allowed, more than 0 and at most a day.
Result<std::optional<Milliseconds>> timeout_option(const CommandLine& line);

// "See pi-mcp call --help".
std::string see_help(const Command* command);

}  // namespace pi_mcp::cli
