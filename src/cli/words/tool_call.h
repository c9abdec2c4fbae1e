// Which tool somebody means, and what its arguments are, in any of the spellings of a call:
// `tool a=1`, `server.tool a:1`, `server/tool --a 1`, `server tool`, `tool(a: 1, b: "x")`. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pi_mcp::cli {

// What is known of servers and tools.
struct ToolNames {
  std::function<bool(const std::string& server)> is_server;
  // `server` empty: of any server.
  std::function<bool(const std::string& server, const std::string& tool)> is_tool;
};

struct CalledTool {
  std::string server;  // empty when it was not said
  std::string tool;
  std::size_t words = 1;    // how many of the words name it and, in brackets, its arguments
  std::string in_brackets;  // "a: 1, b: 2" of tool(a: 1, b: 2)
  bool has_brackets = false;

  [[nodiscard]] bool is_known(const ToolNames& names) const {
    return !server.empty() || names.is_tool("", tool);
  }
};

// `words` has at least one. invalid_argument: brackets that are not closed.
Result<CalledTool> called_tool(std::span<const std::string> words, const ToolNames& names);

// `server.tool` and `server/tool`; a server's name may have dots too. Another word is all tool.
CalledTool divided_tool(const std::string& word, const ToolNames& names);

// One argument as it was typed.
struct GivenArgument {
  enum class Form : std::uint8_t {
    text,     // typed by the tool's schema
    literal,  // likewise; where the schema says nothing, 1, true and null are JSON
    json,
    file,    // the path of one with the text; "-" is stdin
    option,  // --key without a value: true
    object,  // all arguments as one JSON object
    object_file,
  };
  std::string key;  // empty: whichever required parameter comes next
  Form form = Form::text;
  std::string value;
  bool with_dashes = false;  // it was written --key
};

// What the schema has to say to tell words apart.
struct Parameters {
  std::function<bool(std::string_view key)> has;
  std::function<bool(std::string_view key)> is_boolean;
};

Result<std::vector<GivenArgument>> given_arguments(std::span<const std::string> words,
                                                   const Parameters& parameters);
// Those of a call with brackets: `key: value` with commas between, where a value is JSON with or
// without quotes around keys and words.
Result<std::vector<GivenArgument>> arguments_in_brackets(std::string_view text);

// Whether stdin has to be read for these words.
bool reads_stdin(std::span<const std::string> words);

}  // namespace pi_mcp::cli
