// Questions about a project's file that the user has answered in the host it belongs to. Only
// answers that the host keeps outside of the project count. Pure but for FileSource.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/environment.h"
#include "config/file_source.h"
#include "config/load.h"
#include "config/settings.h"
#include "json/document.h"

namespace pi_mcp::config {

// What a host's own file says of these folders under `projects`, in their order. Codex'
// `trust_level` there is "trusted" or "untrusted".
std::vector<json::Value> projects_of(json::Value root,
                                     const std::vector<std::string>& folders,
                                     const FileSource& files);

// Where Claude Code keeps what it knows of projects: ~/.claude.json.
std::string claude_state_file(const Environment& environment);

class HostAnswers {
 public:
  // Reads nothing until it is asked. All outlive it.
  HostAnswers(const Environment& environment,
              const FileSource& files,
              const TrustOptions& options,
              const std::vector<std::string>& folders_above)
      : environment_(environment),
        files_(files),
        options_(options),
        folders_above_(folders_above) {}

  // The host in which the user has allowed this ("claude-code", "codex", "pi"); empty: none.
  [[nodiscard]] std::string_view allowed_by(const TrustRequest& request);
  // Whether that host has its yes in a file of the user: else it is for one run of it.
  [[nodiscard]] bool is_kept(std::string_view host) const;

 private:
  struct Claude {
    json::Document state;     // ~/.claude.json
    json::Document settings;  // ~/.claude/settings.json
  };
  // `folder`: the one that the file is in.
  [[nodiscard]] bool claude_allows(const std::string& server, const std::string& folder);
  [[nodiscard]] bool codex_allows(const std::string& folder);
  [[nodiscard]] bool pi_keeps_yes() const;
  const Claude& claude();
  [[nodiscard]] json::Document read_json(const std::string& path) const;

  const Environment& environment_;
  const FileSource& files_;
  const TrustOptions& options_;
  const std::vector<std::string>& folders_above_;
  std::optional<Claude> claude_;
  std::optional<json::Document> codex_;  // config.toml
};

}  // namespace pi_mcp::config
