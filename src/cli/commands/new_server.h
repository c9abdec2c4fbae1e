// `pi-mcp add`: from a command line to the entry of a new server. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/words/command_line.h"

namespace pi_mcp::cli {

struct NewServer {
  std::string name;
  std::string entry_json;
};

// What is known outside of the command line.
struct NewServerFacts {
  std::function<bool(const std::string& word)> is_program;
  // The text of a file; of stdin for "-".
  std::function<Result<std::string>(const std::string& path)> read;
  // Arguments that are relative to it (".", "./x", "../x") become absolute; empty: they stay.
  std::string folder;
};

// `NAME URL`, `NAME -- COMMAND`, `NAME JSON` with one entry, or JSON with several under mcpServers;
// JSON is a word, "-" or "@FILE". A command in one word with spaces ("npx -y x") is divided, unless
// a program is called like that. At least one; invalid_argument says what is wrong and how to write
// it.
Result<std::vector<NewServer>> new_servers(const CommandLine& line, const NewServerFacts& facts);

// The entry that --stdio or --url of a command mean; for servers that are used once.
Result<std::string> entry_of_options(const CommandLine& line, const NewServerFacts& facts);

// "--stdio" or "--url" or a url in place of a server.
bool is_url(std::string_view word);

}  // namespace pi_mcp::cli
