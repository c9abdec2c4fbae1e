// Turns configured strings into the ones a launch uses. Pure: variables come from Environment, and
// `!command` values are only recognised here; io/ runs them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/environment.h"

namespace pi_mcp::config {

// A variable's value that was put into a text.
struct Inserted {
  std::string name;
  std::string value;
};

struct Interpolated {
  std::string text;
  std::vector<Inserted> inserted;    // in order; neither defaults nor secrets
  std::vector<std::string> missing;  // variables that are not set and have no default
};

// ${NAME}, ${NAME:-default}, $env:NAME, {env:NAME}, ${env:NAME}. A missing variable becomes "" and
// is listed once. The default counts when the variable is not set (as in Claude Code, whose files
// use it), not when it is empty. ${keyring:NAME} becomes the one of `secrets`, and stays as it is
// where there is none. Values are inserted as they are: no nesting.
Interpolated interpolate(std::string_view text,
                         const Environment& environment,
                         const std::map<std::string, std::string>& secrets = {});

// A leading ~ or ~/ becomes the home directory.
std::string expand_home(std::string_view path, const Environment& environment);

// `!printf x` asks for the output of a command; `!!x` is the literal text "!x". "!" alone is
// literal.
struct SecretCommand {
  bool is_command = false;
  std::string text;  // the command line, or the literal value
};
SecretCommand secret_command(std::string_view value);

}  // namespace pi_mcp::config
