// What a host with a user interface shows people about the servers, as resources of our own:
// pi-mcp://status, pi-mcp://tools and pi-mcp://definitions. They work with every server stopped,
// and say nothing that changes by itself, such as an age.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.h"
#include "registry/server_registry.h"
#include "tool/direct/direct_tools.h"

namespace pi_mcp::tool {

class OwnResources {
 public:
  // Both outlive the value.
  OwnResources(const registry::ServerRegistry& registry, const DirectTools& direct)
      : registry_(registry), direct_(direct) {}

  // Their entries in the result of resources/list, into an open array.
  static void write_list(json::Writer& out);
  // The result of resources/read, JSON; nullopt: no such resource.
  std::optional<std::string> read(std::string_view uri);

  // False: no such resource. Subscribing again changes nothing.
  bool subscribe(std::string_view uri);
  bool unsubscribe(std::string_view uri);
  // Subscribed resources that have changed since they were subscribed to, read or given here: the
  // host has to be told of each.
  std::vector<std::string_view> take_changed();

 private:
  struct Watched {
    bool subscribed = false;
    std::uint64_t known = 0;  // hash of what the host knows
  };
  [[nodiscard]] std::string text_of(std::size_t resource) const;
  [[nodiscard]] std::string status_text() const;
  [[nodiscard]] std::string tools_text() const;

  const registry::ServerRegistry& registry_;
  const DirectTools& direct_;
  std::array<Watched, 3> watched_;
};

}  // namespace pi_mcp::tool
