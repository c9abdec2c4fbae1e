// Puts what many files say about a server together, key by key, so that a credential never follows
// a server to another place. Pure.
#pragma once

#include <string>
#include <vector>

#include "config/raw.h"
#include "config/settings.h"

namespace pi_mcp::config {

struct MergedField {
  std::string key;
  std::string json;
  Origin origin;
};

struct MergedServer {
  std::string name;
  std::vector<MergedField> fields;
  Origin origin;  // the highest source that names the server

  // nullptr when there is no such key.
  [[nodiscard]] const MergedField* find(std::string_view key) const;
};

// Adds `over`, from a higher source. A key with the value null takes the lower one away. Another
// transport (command, url or socket) drops the keys of the transport it replaces; another url drops
// every credential that was meant for the old one.
void merge_over(MergedServer& base, const RawServer& over);

class Merge {
 public:
  // Sources come in order, lowest precedence first.
  void add(const RawServer& server);
  void add_settings(const RawObject& settings, const Origin& origin);

  // Puts an entry under everything that is said about its name; nothing of it counts when a
  // transport is known for that name already.
  void add_below(const RawServer& server);

  // In the order in which names first came up.
  [[nodiscard]] const std::vector<MergedServer>& servers() const { return servers_; }
  // All sources' settings; its `name` is empty.
  [[nodiscard]] const MergedServer& settings() const { return settings_; }

 private:
  std::vector<MergedServer> servers_;
  MergedServer settings_;
};

}  // namespace pi_mcp::config
