#include "packages/python_line.h"

#include <string_view>

namespace pi_mcp::packages {
namespace {

// With -c the first entry of sys.path is "", the working directory; nothing but built-in modules
// may be imported before it is gone. What follows is what python itself does for -m and -c.
constexpr std::string_view run_module =
    "import sys; sys.path[:1] = filter(None, sys.path[:1]); "
    "__import__('os').chdir(sys.argv.pop(1)); del sys.argv[0]; "
    "__import__('runpy')._run_module_as_main(sys.argv[0])";
constexpr std::string_view run_code =
    "import sys; sys.path[:1] = filter(None, sys.path[:1]); "
    "__import__('os').chdir(sys.argv.pop(1)); "
    "exec(compile(sys.argv.pop(1), '<string>', 'exec'))";

// Where -m or -c stands: argument `index`, whose letter is at `letter`.
struct Place {
  std::size_t index = 0;
  std::size_t letter = 0;
};

// Letters of one argument up to -m or -c. False: nothing may be changed.
bool read_letters(const std::vector<std::string>& args, Place& place) {
  const std::string& arg = args[place.index];
  for (place.letter = 1; place.letter < arg.size(); ++place.letter) {
    const char letter = arg[place.letter];
    if (letter == 'm' || letter == 'c') {
      return true;
    }
    if (letter == 'W' || letter == 'X') {  // the rest of it, or the next argument, is its value
      place.index += place.letter + 1 == arg.size() ? 1 : 0;
      break;
    }
    if (letter == 'I' || letter == 'P') {
      return false;
    }
  }
  place.letter = 0;
  return true;
}

std::optional<Place> find_place(const std::vector<std::string>& args) {
  for (Place place; place.index < args.size(); ++place.index) {
    const std::string& arg = args[place.index];
    if (arg == "--check-hash-based-pycs") {
      ++place.index;
      continue;
    }
    if (arg.size() < 2 || arg.front() != '-') {
      return std::nullopt;  // a script
    }
    if (arg.starts_with("--")) {
      continue;
    }
    if (!read_letters(args, place)) {
      return std::nullopt;
    }
    if (place.letter > 0) {
      return place;
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_python(std::string_view command) {
  std::string_view name = file_name(command);
  for (const std::string_view start : {"python", "pypy"}) {
    if (name.starts_with(start)) {
      name.remove_prefix(start.size());
      return name.find_first_not_of("0123456789.t") == std::string_view::npos;
    }
  }
  return false;
}

std::optional<CommandLine> without_folder_modules(const CommandLine& line,
                                                  const std::string& folder) {
  const std::optional<Place> place = is_python(line.command) ? find_place(line.args) : std::nullopt;
  if (!place) {
    return std::nullopt;
  }
  const std::string& arg = line.args[place->index];
  const bool joined = place->letter + 1 < arg.size();
  if (!joined && place->index + 1 >= line.args.size()) {
    return std::nullopt;  // python says what is missing
  }
  const auto begin = line.args.begin();
  const auto index = static_cast<std::ptrdiff_t>(place->index);
  CommandLine changed{.command = line.command, .args = {begin, begin + index}};
  changed.args.push_back(arg.substr(0, place->letter) + "c");
  changed.args.emplace_back(arg[place->letter] == 'm' ? run_module : run_code);
  changed.args.push_back(folder);
  if (joined) {
    changed.args.push_back(arg.substr(place->letter + 1));
  }
  changed.args.insert(changed.args.end(), begin + index + 1, line.args.end());
  return changed;
}

std::vector<std::string> without_folder_modules(const std::vector<std::string>& program,
                                                const std::string& folder) {
  CommandLine line{.command = program.front(), .args = {program.begin() + 1, program.end()}};
  if (std::optional<CommandLine> changed = without_folder_modules(line, folder)) {
    line = *std::move(changed);
  }
  line.args.insert(line.args.begin(), line.command);
  return line.args;
}

}  // namespace pi_mcp::packages
