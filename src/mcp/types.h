// What servers offer, as much of it as we look at. Not a complete MCP vocabulary: fields are added
// when something needs them; everything else stays in the raw JSON. Pure data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/shared_text.h"
#include "base/time.h"
#include "json/document.h"
#include "mcp/revisions.h"

namespace pi_mcp::mcp {

struct Tool {
  std::string name;
  std::string title;
  std::string description;
  SharedText input_schema;  // JSON, as the server wrote it; empty when absent
  SharedText annotations;   // the same
  // Members that have no field here, such as outputSchema, icons, execution and _meta:
  // `"icons":[...],"_meta":{...}`, without white space between tokens. Empty: there are none.
  SharedText others;
};

struct Resource {
  std::string uri;  // of a template: with the variables of RFC 6570 in it
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
  SharedText others;  // as of a tool: size, annotations, icons, _meta, ...
};

struct PromptArgument {
  std::string name;
  std::string description;
  bool required = false;
  SharedText others;
};

struct Prompt {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments;
  SharedText others;
};

// How long and for whom lists are good (2026-07-28, server/utilities/caching).
struct Caching {
  Milliseconds ttl{0};     // since they were asked for; 0: they are out of date at once
  bool is_private = true;  // for whoever asked with the same credentials
};

// Everything one server offers, in the server's order.
struct Listing {
  std::vector<Tool> tools;
  std::vector<Resource> resources;
  std::vector<Resource> templates;
  std::vector<Prompt> prompts;
  std::string instructions;
  std::string title;        // of the server itself
  std::size_t skipped = 0;  // items without a usable name
  // What of its lists was left out and why, for people; few and short.
  std::vector<std::string> notes;
  // The shortest time and the narrowest scope of all lists together. nullopt: servers of earlier
  // revisions say nothing of it.
  std::optional<Caching> caching;
  std::optional<Era> era;  // see Opening::era()
};

}  // namespace pi_mcp::mcp
