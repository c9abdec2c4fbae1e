#include "mcp/server/declared.h"

#include "json/document.h"
#include "mcp/discovery.h"
#include "mcp/task_poll.h"

namespace pi_mcp::mcp {
namespace {

// Members whose values are objects of their own, as the server wrote them.
void write_said(json::Writer& out, const ServerDescription& server, bool has_tasks) {
  const Result<json::Document> said = json::Document::parse_view(server.capabilities_json);
  out.key("capabilities").begin_object();
  for (const json::Member member : said ? said->root().members() : json::Value().members()) {
    if (!member.key.equals("tasks") && (has_tasks || !member.key.equals("extensions"))) {
      out.member_raw(member.name(), member.value.raw());
    } else if (member.key.equals("extensions")) {
      out.key("extensions").begin_object();
      for (const json::Member extension : member.value.members()) {
        if (!extension.key.equals(tasks_extension)) {
          out.member_raw(extension.name(), extension.value.raw());
        }
      }
      out.end_object();
    }
  }
  out.end_object();
}

}  // namespace

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

std::string introduction_of(const ServerDescription& server, Revision revision) {
  json::Writer out;
  out.begin_object().member("protocolVersion", name(revision));
  write_said(out, server, false);
  out.member_raw("serverInfo", server.info_json);
  if (!server.instructions.empty()) {
    out.member("instructions", server.instructions);
  }
  return out.end_object().take();
}

std::string discovery_of(const ServerDescription& server) {
  json::Writer out;
  out.begin_object().member("resultType", "complete");
  out.member_raw("supportedVersions", revisions_json());
  write_said(out, server, !traits(server.revision).has_handshake);
  if (!server.instructions.empty()) {
    out.member("instructions", server.instructions);
  }
  out.raw(list_caching);
  out.key("_meta").begin_object().member_raw(meta_key::server_info, server.info_json).end_object();
  return out.end_object().take();
}

}  // namespace pi_mcp::mcp
