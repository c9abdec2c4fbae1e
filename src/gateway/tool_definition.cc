#include "gateway/tool_definition.h"

namespace pi_mcp::gateway {
namespace {

// 197 o200k tokens by the npm package gpt-tokenizer. A parameter's meaning is in the form that uses
// it, so no parameter repeats it. `args` is an anyOf and no list of types: some model providers
// refuse a list.
constexpr std::string_view list_result =
    R"({"tools":[{"name":"mcp","description":"Use the user's MCP servers:\n)"
    R"({} server status\n)"
    R"({server} list its tools\n)"
    R"({search:\"words\"} find tools and their parameters\n)"
    R"({describe:\"tool\"} one tool\n)"
    R"({connect:\"server\"} start or refresh\n)"
    R"({instructions:\"server\"} usage notes\n)"
    R"({tool:\"name\",args:{...}} call\n)"
    R"(Search before guessing a tool name. server also narrows search, describe, call.",)"
    R"("inputSchema":{"type":"object","properties":{"tool":{"type":"string"},)"
    R"("args":{"anyOf":[{"type":"object"},{"type":"string"}]},"connect":{"type":"string"},)"
    R"("describe":{"type":"string"},"search":{"type":"string"},"regex":{"type":"boolean"},)"
    R"("server":{"type":"string"},"includeSchemas":{"type":"boolean"},)"
    R"("limit":{"type":"integer"},"offset":{"type":"integer"},)"
    R"("instructions":{"type":"string"},"action":{"type":"string"}}}}]})";

constexpr std::string_view around_tool = R"({"tools":[]})";
constexpr std::size_t before_tool = around_tool.size() - 2;

}  // namespace

std::string_view mcp_tool_name() {
  return "mcp";
}

std::string_view mcp_tool_definition() {
  return list_result.substr(before_tool, list_result.size() - around_tool.size());
}

std::string_view tools_list_result() {
  return list_result;
}

}  // namespace pi_mcp::gateway
