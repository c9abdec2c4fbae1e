// What a host can do for the servers it uses through us, as its capabilities say and as we say it
// to those servers. Pure.
#pragma once

#include <string>

#include "json/document.h"

namespace pi_mcp::mcp {

// Only what is forwarded between servers and hosts; a capability that is not here is not declared.
// `unattended_sampling` is never declared: it becomes `sampling` or nothing.
struct ClientFeatures {
  bool elicitation_form = false;
  bool elicitation_url = false;
  bool sampling = false;
  bool sampling_tools = false;
  bool sampling_context = false;
  bool roots = false;
  bool roots_list_changed = false;
  bool unattended_sampling = false;  // nobody can be asked, so a setting of the user decides

  bool operator==(const ClientFeatures&) const = default;
};

// Of `capabilities` in initialize.
ClientFeatures read_client_features(json::Value capabilities);

// What either has declared.
[[nodiscard]] ClientFeatures joined(const ClientFeatures& a, const ClientFeatures& b);

// Whether who declares `more` has declared all of `less`.
[[nodiscard]] bool covers(const ClientFeatures& more, const ClientFeatures& less);

// The `capabilities` to send to a server, JSON. Forms alone are an empty object, which every
// revision understands.
std::string capabilities_json(const ClientFeatures& features);

// What a server may make its lists depend on, as words in a fixed order ("elicitation roots");
// empty for none.
std::string features_text(const ClientFeatures& features);

}  // namespace pi_mcp::mcp
