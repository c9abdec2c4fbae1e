#include "mcp/unknown_tool.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"

namespace pi_mcp::mcp {
namespace {

// A longer text tells of something else.
constexpr std::size_t text_bytes_max = 500;

// "Unknown tool: x" (SDKs of Python, Go, C#, FastMCP), "tool not found" (Rust), "Tool not found: x"
// (Java, Ruby), "tool 'x' not found" (TypeScript, mcp-go, Kotlin).
bool is_refusal(std::string text, std::string_view tool) {
  text = text::lower(text);
  constexpr std::array phrases = {"unknown tool", "tool not found", "no such tool"};
  const auto has = [&text](std::string_view phrase) {
    return text.find(phrase) != std::string::npos;
  };
  return std::ranges::any_of(phrases, has) ||
         (has("tool") && has("not found") && has(text::lower(tool)));
}

}  // namespace

bool says_unknown_tool(const rpc::Message& answer, std::string_view tool) {
  const bool is_error = answer.kind() == rpc::Message::Kind::failure;
  if (!is_error && !answer.result().find("isError").bool_or(false)) {
    return false;
  }
  const json::Value text = is_error ? answer.error().find("message")
                                    : answer.result().find("content").element(0).find("text");
  if (text.raw().size() > text_bytes_max + tool.size()) {
    return false;
  }
  std::string said = text.string_or("");
  // What a tool itself says of an error may be about other tools.
  return (is_error || said.find(tool) != std::string::npos) && is_refusal(std::move(said), tool);
}

}  // namespace pi_mcp::mcp
