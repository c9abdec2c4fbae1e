#include "gateway/call_facts.h"

#include "base/text.h"

namespace pi_mcp::gateway {

void CallFacts::write_details(json::Writer& out) const {
  out.member("server", server);
  if (!resource_uri.empty()) {
    out.member("resourceUri", resource_uri);
  }
  out.member("tool", tool).member("canonicalTool", name).key("mcpResult");
  if (!raw.empty()) {
    out.raw(raw.view());
  } else {
    out.begin_object()
        .member("omitted", true)
        .member("reason", "larger than " + text::size_text(omitted.bytes_max))
        .member("isError", omitted.is_error)
        .member("contentBlocks", omitted.blocks)
        .member("rawResultBytes", omitted.bytes)
        .end_object();
  }
  if (!guard_json.empty()) {
    out.member_raw("outputGuard", guard_json);
  }
}

}  // namespace pi_mcp::gateway
