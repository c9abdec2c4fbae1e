// What servers offer, as much of it as we look at. Not a complete MCP vocabulary: fields are added
// when something needs them; everything else stays in the raw JSON. Pure data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/shared_text.h"
#include "json/document.h"

namespace pi_mcp::mcp {

struct Tool {
  std::string name;
  std::string title;
  std::string description;
  SharedText input_schema;   // JSON, as the server wrote it; empty when absent
  SharedText output_schema;  // the same
  SharedText annotations;    // the same
};

struct Resource {
  std::string uri;
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
};

struct PromptArgument {
  std::string name;
  std::string description;
  bool required = false;
};

struct Prompt {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments;
};

// Everything one server offers, in the server's order.
struct Offer {
  std::vector<Tool> tools;
  std::vector<Resource> resources;
  std::vector<Prompt> prompts;
  std::string instructions;
  std::size_t skipped = 0;  // items without a usable name
};

}  // namespace pi_mcp::mcp
