// From what somebody wrote of a new server to its entry in a configuration file. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace pi_mcp::tool {

struct NewServer {
  std::string name;
  std::string entry_json;
};

// What was written: a URL, or a program and its arguments.
struct NewServerWords {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  std::string name;
  std::vector<std::string> words;
  std::vector<std::string> arguments;  // more of them, each as it is
  bool is_command = false;             // whatever its first word looks like
  bool is_address = false;             // likewise
  Pairs env;                           // of a command
  Pairs headers;                       // of a URL
  std::optional<std::string> cwd;
  bool sse = false;  // a URL that is known to speak the older transport
  std::optional<std::string> description;
};

// What is known outside of the words.
struct NewServerFacts {
  std::function<bool(const std::string& word)> is_program;
  // Words of a command that are relative to it (".", "./x", "../x") become absolute; empty: they
  // stay.
  std::string folder;
};

// All: invalid_argument says what is wrong.
Result<NewServer> new_server(const NewServerWords& written, const NewServerFacts& facts);
Result<void> check_server_name(std::string_view name);
// The entry alone; the name does not count.
Result<std::string> entry_of(const NewServerWords& written, const NewServerFacts& facts);
// The words of a command. A single one that is a command line ("npx -y 'a b'") is divided as a
// shell divides it, unless a program is called like that.
Result<std::vector<std::string>> command_words(std::vector<std::string> words,
                                               const NewServerFacts& facts);
bool is_url(std::string_view word);

// For mcp({ action: "install" }), where a model may have written the URL: https, or http of this
// machine, without credentials, fragment or variables. An empty name is made from the host.
Result<NewServer> server_at(std::string_view url, std::string_view name);

// The name that a server is given where nobody has named it: "deepwiki" for
// https://mcp.deepwiki.com/mcp, "local-mcp" for one on this machine.
std::string name_of_host(std::string_view host);

}  // namespace pi_mcp::tool
