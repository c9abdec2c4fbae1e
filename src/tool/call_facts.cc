#include "tool/call_facts.h"

#include "base/text.h"

namespace pi_mcp::tool {
namespace {

std::string omitted_json(const CallFacts::Omitted& omitted) {
  json::Writer out;
  out.begin_object()
      .member("omitted", true)
      .member("reason", "larger than " + text::size_text(omitted.bytes_max))
      .member("isError", omitted.is_error)
      .member("contentBlocks", omitted.blocks)
      .member("rawResultBytes", omitted.bytes);
  return out.end_object().take();
}

}  // namespace

std::size_t CallFacts::details_bytes() const {
  constexpr std::size_t names = 192;  // of the members, and what an omitted result says of itself
  return raw.size() + server.size() + tool.size() + name.size() + resource_uri.size() +
         guard_json.size() + names;
}

// Its members piece by piece and not by the writer, since every call has them.
void CallFacts::write_details(json::Writer& out) const {
  std::string members;
  members.reserve(details_bytes());
  const auto add = [&members](std::string_view before, std::string_view value) {
    members += before;
    json::append_quoted(members, value);
  };
  add(R"("server":)", server);
  if (!resource_uri.empty()) {
    add(R"(,"resourceUri":)", resource_uri);
  }
  if (!tool.empty()) {
    add(R"(,"tool":)", tool);
    add(R"(,"canonicalTool":)", name);
  }
  members += R"(,"mcpResult":)";
  members += raw.empty() ? std::string_view(omitted_json(omitted)) : raw.view();
  if (!guard_json.empty()) {
    members += R"(,"outputGuard":)";
    members += guard_json;
  }
  out.raw(members);
}

}  // namespace pi_mcp::tool
