#include "cli/command_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>

// CLI11 throws; this is the only file that includes it, and no exception leaves it.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/text.h"

namespace pi_mcp::cli {
namespace {

// The names CLI11 wants: "-q,--quiet".
std::string cli11_names(const Option& option) {
  std::string names;
  if (option.letter != 0) {
    names = std::string("-") + option.letter + ",";
  }
  return names + std::string(option.name);
}

tl::unexpected<Error> usage(std::string message, const Command* command) {
  message += message.ends_with('?') || message.ends_with('.') ? " " : ". ";
  return fail(ErrorCode::invalid_argument, message + see_help(command));
}

tl::unexpected<Error> unknown_option(const Command* command, std::string_view argument) {
  const std::string_view name = argument.substr(0, argument.find('='));
  std::string message = "unknown option " + std::string(name);
  if (const std::string_view nearest = nearest_option(command, name); !nearest.empty()) {
    return usage(message + "; did you mean " + std::string(nearest) + "?", command);
  }
  if (command != nullptr && command->id == CommandId::call && name.starts_with("--")) {
    message += "; an argument of the tool is written " + std::string(name.substr(2)) + "=VALUE";
  }
  if (command != nullptr && command->id == CommandId::add) {
    message += "; the command of a server follows --, as in pi-mcp add NAME -- npx -y PACKAGE";
  }
  return usage(std::move(message), command);
}

std::string quoted_word(std::string_view word) {
  return "\"" + text::printable(word) + "\"";
}

}  // namespace

std::size_t command_position(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].starts_with('-')) {
      return i;
    }
    const Option* option = find_option(nullptr, arguments[i]);
    if (option != nullptr && !option->value.empty()) {
      ++i;
    }
  }
  return arguments.size();
}

// Runs CLI11 over one part of the arguments: those before the command, or those behind it.
class Splitter {
 public:
  Splitter(CommandLine& line, const Command* command) : line_(line), command_(command) {
    app_.set_help_flag("");
    // Words are what CLI11 has no option for: as positionals it would take "[a,b]" apart.
    app_.allow_extras();
    for (const Option& option : global_options()) {
      if (find_option(command, option.name) == &option) {
        add(option);
      }
    }
    if (command != nullptr) {
      for (const Option& option : command->options) {
        add(option);
      }
    }
  }

  Result<void> split(std::vector<std::string> arguments) {
    arguments = with_empty_values_apart(arguments);
    std::ranges::reverse(arguments);  // as CLI11 wants them
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::ArgumentMismatch& error) {
      return missing_value(error.what());
    } catch (const CLI::Error& error) {
      return usage(text::printable(error.what()), command_);
    }
    return take();
  }

 private:
  struct Bound {
    const Option* option;
    CLI::Option* parsed;
  };

  void add(const Option& option) {
    CLI::Option* parsed = nullptr;
    if (option.value.empty()) {
      parsed = app_.add_flag(cli11_names(option));
    } else {
      parsed = app_.add_option(cli11_names(option))->expected(1)->allow_extra_args(false);
    }
    parsed->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    bound_.push_back({&option, parsed});
  }

  // The raw results: CLI11's conversions give "{}" and "[a,b]" a meaning of their own.
  Result<void> take() {
    for (const Bound& bound : bound_) {
      for (const std::string& value : bound.parsed->results()) {
        if (!bound.option->value.empty()) {
          line_.options_.emplace_back(bound.option->id, value);
        } else if (value == "true") {
          line_.options_.emplace_back(bound.option->id, "");
        } else {
          return usage(std::string(bound.option->name) + " takes no value", command_);
        }
      }
    }
    for (const std::string& word : app_.remaining()) {
      // Numbers below zero and "-" alone are words, as CLI11 has it too.
      if (word.size() > 1 && word[0] == '-' && (word[1] < '0' || word[1] > '9')) {
        return unknown_option(command_, word);
      }
      line_.words_.push_back(word);
    }
    return {};
  }

  // CLI11 takes the next argument as the value of "--server=".
  std::vector<std::string> with_empty_values_apart(const std::vector<std::string>& arguments) {
    std::vector<std::string> apart;
    for (const std::string& argument : arguments) {
      const bool empty_value =
          argument.starts_with("--") && argument.find('=') == argument.size() - 1;
      const std::string name = empty_value ? argument.substr(0, argument.size() - 1) : argument;
      apart.push_back(name);
      const Option* option = empty_value ? find_option(command_, name) : nullptr;
      if (option != nullptr && !option->value.empty()) {
        apart.emplace_back();
      }
    }
    return apart;
  }

  // CLI11 says "--limit: 1 required TEXT missing".
  Result<void> missing_value(std::string_view what) {
    const std::string_view name = what.substr(0, what.find(':'));
    const Option* option = find_option(command_, name);
    if (option == nullptr) {
      return usage(text::printable(what), command_);
    }
    return usage(std::string(option->name) + " needs a value: " + std::string(option->name) + " " +
                     std::string(option->value),
                 command_);
  }

  CommandLine& line_;
  const Command* command_;
  CLI::App app_;
  std::vector<Bound> bound_;
};

Result<CommandLine> CommandLine::parse(const std::vector<std::string>& arguments) {
  CommandLine line;
  const std::size_t at = command_position(arguments);
  const auto command_word = arguments.begin() + static_cast<std::ptrdiff_t>(at);
  if (at > 0) {
    if (Result<void> split = Splitter(line, nullptr).split({arguments.begin(), command_word});
        !split) {
      return fail(split.error());
    }
  }
  if (at == arguments.size()) {
    return line;
  }
  line.command_ = find_command(*command_word);
  if (line.command_ == nullptr) {
    std::string message = "unknown command " + quoted_word(*command_word);
    if (const std::string_view nearest = nearest_command(*command_word); !nearest.empty()) {
      message += "; did you mean \"" + std::string(nearest) + "\"?";
    }
    return usage(std::move(message), nullptr);
  }
  if (line.command_->id == CommandId::complete) {
    line.words_.assign(command_word + 1, arguments.end());
    line.words_before_dashes_ = line.words_.size();
    return line;
  }
  const auto dashes = std::find(command_word + 1, arguments.end(), "--");
  if (Result<void> split = Splitter(line, line.command_).split({command_word + 1, dashes});
      !split) {
    return fail(split.error());
  }
  line.words_before_dashes_ = line.words_.size();
  if (dashes != arguments.end()) {
    line.words_.insert(line.words_.end(), dashes + 1, arguments.end());
  }
  if (Result<void> checked = line.check_words(); !checked) {
    return fail(checked.error());
  }
  return line;
}

Result<void> CommandLine::check_words() const {
  if (has(OptionId::help) || has(OptionId::version)) {
    return {};
  }
  const std::string name(command_->name);
  // A search in one server shows all of its tools when no words say which.
  const bool wordless =
      has(OptionId::eval) || (command_->id == CommandId::search && has(OptionId::server));
  if (words_.size() < command_->words_min && !wordless) {
    return usage(name + " needs more: pi-mcp " + name + " " + std::string(command_->words),
                 command_);
  }
  if (words_.size() > command_->words_max) {
    const std::string& extra = words_[command_->words_max];
    const std::string form = command_->words.empty() ? "takes no argument"
                                                     : "takes only " + std::string(command_->words);
    return usage(name + " " + form + ", but got " + quoted_word(extra), command_);
  }
  return {};
}

std::optional<std::string> CommandLine::value(OptionId id) const {
  for (auto option = options_.rbegin(); option != options_.rend(); ++option) {
    if (option->first == id) {
      return option->second;
    }
  }
  return std::nullopt;
}

std::vector<std::string> CommandLine::values(OptionId id) const {
  std::vector<std::string> found;
  for (const auto& [option, value] : options_) {
    if (option == id) {
      found.push_back(value);
    }
  }
  return found;
}

bool asks_for_json(const std::vector<std::string>& arguments) {
  const auto dashes = std::ranges::find(arguments, "--");
  return std::find(arguments.begin(), dashes, "--json") != dashes;
}

Result<std::optional<std::size_t>> count_option(const CommandLine& line,
                                                OptionId id,
                                                std::size_t least) {
  const std::optional<std::string> given = line.value(id);
  if (!given) {
    return std::nullopt;
  }
  std::size_t count = 0;
  const char* end = given->data() + given->size();
  const auto [stop, error] = std::from_chars(given->data(), end, count);
  if (error != std::errc() || stop != end || count < least) {
    const std::string name(std::ranges::find(line.command()->options, id, &Option::id)->name);
    return usage(name + " wants a whole number of at least " + std::to_string(least) + ", not " +
                     quoted_word(*given),
                 line.command());
  }
  return count;
}

Result<std::optional<Milliseconds>> timeout_option(const CommandLine& line) {
  const std::optional<std::string> given = line.value(OptionId::timeout);
  if (!given) {
    return std::nullopt;
  }
  constexpr double seconds_max = 24 * 60 * 60;
  double seconds = 0;
  const char* end = given->data() + given->size();
  const auto [stop, error] = std::from_chars(given->data(), end, seconds);
  if (error != std::errc() || stop != end || !(seconds > 0) || seconds > seconds_max) {
    return usage(
        "--timeout wants seconds, more than 0 and at most 86400, not " + quoted_word(*given),
        line.command());
  }
  return Milliseconds(std::max<std::int64_t>(1, std::llround(seconds * 1000)));
}

std::string see_help(const Command* command) {
  return command == nullptr ? "See pi-mcp --help"
                            : "See pi-mcp " + std::string(command->name) + " --help";
}

}  // namespace pi_mcp::cli
