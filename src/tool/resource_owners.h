// Whose a resource is, by its uri: what servers list, what their results linked to in this session,
// and what their templates describe.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "registry/server_registry.h"

namespace pi_mcp::tool {

// Whether expanding the template (RFC 6570) can give this uri.
bool matches_template(std::string_view uri_template, std::string_view uri);

// Whether it is one of ours ("pi-mcp://status"), which no server has.
[[nodiscard]] inline bool is_own_uri(std::string_view uri) {
  return uri.starts_with("pi-mcp:");
}

class ResourceOwners {
 public:
  // `registry` outlives the value.
  explicit ResourceOwners(const registry::ServerRegistry& registry) : registry_(registry) {}

  // A result of this server: its links and embedded resources are the server's.
  void note(const std::string& server, json::Value result);

  // Enabled servers, those that list it before those that linked to it before those with a template
  // for it that names its scheme; a template owns itself, too. None for one of ours.
  [[nodiscard]] std::vector<std::string> of(std::string_view uri) const;

 private:
  // Links of one session; the oldest are forgotten first.
  static constexpr std::size_t links_max = 2000;

  void note_uri(const std::string& server, json::Value uri);

  const registry::ServerRegistry& registry_;
  std::map<std::string, std::vector<std::string>, std::less<>> links_;  // servers by uri
  std::deque<std::string> order_;                                       // of links_
};

}  // namespace pi_mcp::tool
