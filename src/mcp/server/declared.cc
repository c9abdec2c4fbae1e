#include "mcp/server/declared.h"

namespace pi_mcp::mcp {

void write_capabilities(json::Writer& out, const DeclaredCapabilities& capabilities) {
  out.key("capabilities").begin_object();
  const auto declare = [&out](bool has, std::string_view name, std::string_view json) {
    if (has) {
      out.member_raw(name, json);
    }
  };
  declare(capabilities.logging, "logging", "{}");
  declare(capabilities.prompts, "prompts", R"({"listChanged":true})");
  declare(capabilities.completions, "completions", "{}");
  declare(capabilities.resources, "resources", R"({"subscribe":true,"listChanged":true})");
  declare(capabilities.tools, "tools", R"({"listChanged":true})");
  out.end_object();
}

void write_server_info(json::Writer& out, std::string_view version, Revision revision) {
  out.begin_object().member("name", "pi-mcp");
  if (traits(revision).has_titles) {
    out.member("title", "pi-mcp");
  }
  out.member("version", version).end_object();
}

}  // namespace pi_mcp::mcp
