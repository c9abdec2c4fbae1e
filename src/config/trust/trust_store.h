// What the user has allowed of project files, and chosen for single projects:
// <agentDir>/mcp-trust.json, version 1. Text in, text out; the caller reads and writes the file.
// Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "config/raw.h"
#include "config/settings.h"

namespace pi_mcp::config {

// One entry of one folder that may be used.
struct TrustedEntry {
  std::string digest;  // of its content, config/trust/digest.h
  std::string server;  // empty: what a file says beside its servers
  std::string path;    // of the file, for people
  std::string by;      // who said so: "user", "pi-mcp" (it wrote the entry), or a host
  EpochMs at;
};

struct TrustedFolder {
  bool whole = false;  // the folder itself: programs that the user's servers start may read it
  std::vector<TrustedEntry> entries;
  std::vector<TrustedEntry> revoked;  // taken back: asked about, whatever a host says
  // Keys of servers that the user has set for this folder only, by server.
  std::map<std::string, RawObject, std::less<>> choices;
};

class TrustStore {
 public:
  // A blank text is an empty book. Of a damaged one nothing counts, and problem() says why.
  static TrustStore parse(std::string_view text);

  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] bool empty() const { return folders_.empty(); }
  // By real path.
  [[nodiscard]] const std::map<std::string, TrustedFolder, std::less<>>& folders() const {
    return folders_;
  }
  // nullptr when nothing is kept for it.
  [[nodiscard]] const TrustedFolder* find(std::string_view folder) const;
  [[nodiscard]] bool allows(const TrustRequest& request) const;
  // Whether this was allowed with another content.
  [[nodiscard]] bool has_changed(const TrustRequest& request) const;
  // Whether an answer to this was kept before that is this host's or that the user has taken back,
  // whatever the content was then.
  [[nodiscard]] bool has_answer(const TrustRequest& request, std::string_view host) const;
  [[nodiscard]] bool was_taken_back(const TrustRequest& request, std::string_view host) const;

 private:
  std::map<std::string, TrustedFolder, std::less<>> folders_;
  std::string problem_;
};

// All of these give the new text; unknown members and comments stay. invalid_argument: the text is
// damaged, or of a newer version.

// The user allows these, and with `whole` the folder itself. All are of one folder.
struct TrustAnswer {
  std::string folder;
  std::vector<TrustRequest> requests;
  bool whole = false;
  std::string by;
  EpochMs at;
};
Result<std::string> add_trust(std::string_view text, const TrustAnswer& answer);

// Takes back what is allowed in the folder: of this server, or with an empty name of all of it.
// Choices stay. not_found when there is nothing.
Result<std::string> remove_trust(std::string_view text,
                                 const std::string& folder,
                                 std::string_view server);

// Sets a key of a server for one folder; `value` is JSON, "null" takes it away again.
struct FolderChoice {
  std::string folder;
  std::string server;
  std::string key;
  std::string value;
};
Result<std::string> set_choice(std::string_view text, const FolderChoice& choice);

}  // namespace pi_mcp::config
