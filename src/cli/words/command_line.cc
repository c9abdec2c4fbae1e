#include "cli/words/command_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "cli/show/style.h"

namespace pi_mcp::cli {
namespace {

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
  if (command != nullptr && command->id == CommandId::add) {
    message += "; the command of a server follows --, as in pi-mcp add NAME -- npx -y PACKAGE";
  }
  return usage(std::move(message), command);
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

// Takes one part of the arguments apart: those before the command, or those behind it. By hand, as
// libraries give words such as "[a,b]" and "{}" a meaning of their own.
class Splitter {
 public:
  Splitter(CommandLine& line, const Command* command) : line_(line), command_(command) {}

  Result<void> split(std::span<const std::string> arguments) {
    left_ = arguments;
    while (!left_.empty()) {
      const std::string& argument = next();
      Result<void> taken;
      if (is_word(argument)) {
        line_.words_.push_back(argument);
      } else if (argument.starts_with("--")) {
        taken = take_name(argument);
      } else {
        taken = take_letters(argument);
      }
      if (!taken) {
        return taken;
      }
    }
    return {};
  }

 private:
  // Numbers below zero and "-" alone are words.
  static bool is_word(std::string_view argument) {
    return argument.size() < 2 || argument[0] != '-' || (argument[1] >= '0' && argument[1] <= '9');
  }

  const std::string& next() {
    const std::string& argument = left_.front();
    left_ = left_.subspan(1);
    return argument;
  }

  // "--limit", whose value is the next argument, or "--limit=3".
  Result<void> take_name(std::string_view argument) {
    const std::size_t equals = argument.find('=');
    const Option* option = find_option(command_, argument.substr(0, equals));
    const bool has_tool = !line_.words_.empty() || line_.has(OptionId::tool);
    if (command_ != nullptr && command_->id == CommandId::call &&
        (option == nullptr || (option->before_tool && has_tool))) {
      line_.words_.emplace_back(argument);  // of the tool; its schema is asked later
      return {};
    }
    if (option == nullptr) {
      return unknown_option(command_, argument);
    }
    if (equals == std::string_view::npos) {
      return take(*option, std::nullopt);
    }
    return take(*option, argument.substr(equals + 1));
  }

  // "-q", several flags as in "-qh", "-o" with the next argument as its value, or "-oFILE".
  Result<void> take_letters(std::string_view argument) {
    for (std::size_t at = 1; at < argument.size(); ++at) {
      const Option* option = find_option(command_, std::string("-") + argument[at]);
      if (option == nullptr) {
        return unknown_option(command_, "-" + std::string(argument.substr(at)));
      }
      if (!option->value.empty()) {
        const std::string_view rest = argument.substr(at + 1);
        return take(*option, rest.empty() ? std::nullopt : std::optional(rest));
      }
      line_.options_.emplace_back(option->id, "");
    }
    return {};
  }

  // `attached`: what stands in the same argument. Without it a value is whatever comes next, also
  // what looks like an option.
  Result<void> take(const Option& option, std::optional<std::string_view> attached) {
    const std::string name(option.name);
    if (option.value.empty()) {
      if (attached && !attached->empty() && *attached != "true") {
        return usage(name + " takes no value", command_);
      }
      line_.options_.emplace_back(option.id, "");
      return {};
    }
    if (!attached && left_.empty()) {
      return usage(name + " needs a value: " + name + " " + std::string(option.value), command_);
    }
    line_.options_.emplace_back(option.id, attached ? std::string(*attached) : next());
    return {};
  }

  CommandLine& line_;
  const Command* command_;
  std::span<const std::string> left_;
};

Result<CommandLine> CommandLine::parse(const std::vector<std::string>& arguments) {
  CommandLine line;
  line.arguments_ = arguments;
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
    line.call_implied_ = true;
    line.command_ = &cli::command(CommandId::call);
  }
  if (line.command_->id == CommandId::complete) {
    line.words_.assign(command_word + 1, arguments.end());
    line.words_before_dashes_ = line.words_.size();
    return line;
  }
  const auto dashes = std::find(command_word + 1, arguments.end(), "--");
  const auto first_word = command_word + (line.call_implied_ ? 0 : 1);
  const Result<void> split = Splitter(line, line.command_).split({first_word, dashes});
  const bool asks_for_help = line.has(OptionId::help);
  if (line.call_implied_ && (!split || asks_for_help)) {
    return fail(unknown_command(*command_word));
  }
  if (!split) {
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
  const bool wordless = command_->id == CommandId::search &&
                        (has(OptionId::server) || has(OptionId::url) || has(OptionId::stdio));
  const bool names_tool = command_->id == CommandId::call && has(OptionId::tool);
  if (words_.size() < command_->words_min && !wordless && !names_tool) {
    return usage(name + " needs more: pi-mcp " + name + " " + std::string(command_->words),
                 command_);
  }
  if (words_.size() > command_->words_max) {
    const std::string& extra = words_[command_->words_max];
    const std::string form = command_->words.empty() ? "takes no argument"
                                                     : "takes only " + std::string(command_->words);
    return usage(name + " " + form + ", but got " + quoted(extra), command_);
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

Error unknown_command(const std::string& word) {
  std::string message = "unknown command " + quoted(word);
  if (const std::string_view nearest = nearest_command(word); !nearest.empty()) {
    message += "; did you mean \"" + std::string(nearest) + "\"?";
  }
  return usage(std::move(message), nullptr).value();
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
                     quoted(*given),
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
    return usage("--timeout wants seconds, more than 0 and at most 86400, not " + quoted(*given),
                 line.command());
  }
  return Milliseconds(std::max<std::int64_t>(1, std::llround(seconds * 1000)));
}

std::string see_help(const Command* command) {
  return command == nullptr ? "See pi-mcp --help"
                            : "See pi-mcp " + std::string(command->name) + " --help";
}

}  // namespace pi_mcp::cli
