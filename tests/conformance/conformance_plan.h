// What the official conformance suite wants a client to do in each of its scenarios: the one thing
// that its launch contract leaves to the client. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/document.h"
#include "mcp/types.h"

namespace pi_mcp::test {

struct ConformanceScenario {
  std::string name;        // MCP_CONFORMANCE_SCENARIO
  std::string url;         // the last word of the command line
  json::Document context;  // MCP_CONFORMANCE_CONTEXT; may be empty
};

// The configuration file that a person would write for such a server, its name is `conformance`.
std::string conformance_configuration(const ConformanceScenario& scenario);

struct ConformanceStep {
  std::string method;
  std::string params;     // a JSON object
  bool may_fail = false;  // the scenario is about a call that fails
};

// What to ask the server once its lists are read. not_found: the scenario is none that we know.
Result<std::vector<ConformanceStep>> conformance_steps(const ConformanceScenario& scenario,
                                                       const mcp::Listing& listing);

// What a person fills in who leaves a form as it is, and ticks what has to be ticked: the `content`
// of an accepted elicitation, JSON.
std::string untouched_form(json::Value requested_schema);

}  // namespace pi_mcp::test
