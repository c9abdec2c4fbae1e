// Puts what many files say about a server together, key by key, so that a credential never follows
// a server to another place. Pure.
#pragma once

#include <string>
#include <vector>

#include "config/hidden.h"
#include "config/raw.h"
#include "config/settings.h"

namespace pi_mcp::config {

struct MergedServer {
  std::string name;
  RawObject fields;  // each with its origin
  Origin origin;     // the highest source that names the server
  Standing standing = Standing::user;
  bool replaces_users = false;  // see Server
};

// The field that says how it is reached (command, url or socket); nullptr: none does.
[[nodiscard]] const RawField* transport_of(const MergedServer& server);
[[nodiscard]] inline bool has_transport(const MergedServer& server) {
  return transport_of(server) != nullptr;
}
// Sets, replaces or (null) removes one field.
void set_field(MergedServer& base, RawField field, const Origin& origin);

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

  // What a project's file says that the user trusts, above everything:
  // config/trust/project_merge.h.
  void add_project(const RawServer& server, bool below, std::vector<Warning>& warnings);
  void add_project_settings(const Layer& layer, std::vector<Warning>& warnings);
  // What the user has set for one folder, above all files.
  void choose(const RawServer& choice);
  // A server that is only listed, because nobody has allowed it yet.
  void add_waiting(const RawServer& server);
  // nullptr when nothing is said of it.
  [[nodiscard]] const MergedServer* find(std::string_view server) const;

  // `path` has an entry of this name that does not count, because `by` has it, too.
  void note_hidden(const std::string& server, const std::string& path, const std::string& by);
  [[nodiscard]] const std::vector<HiddenServer>& hidden() const { return hidden_; }
  // In the order in which names first came up.
  [[nodiscard]] const std::vector<MergedServer>& servers() const { return servers_; }
  // All sources' settings; its `name` is empty.
  [[nodiscard]] const MergedServer& settings() const { return settings_; }

 private:
  MergedServer& at(const std::string& server);

  std::vector<MergedServer> servers_;
  MergedServer settings_;
  std::vector<HiddenServer> hidden_;
};

}  // namespace pi_mcp::config
