// Questions about a project's file that the user has answered in the host it belongs to. Only
// answers that the host keeps outside of the project count. Pure but for FileSource.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/environment.h"
#include "config/file_source.h"
#include "config/load.h"
#include "config/settings.h"
#include "json/document.h"

namespace pi_mcp::config {

class HostAnswers {
 public:
  // Reads nothing until it is asked. All outlive it.
  HostAnswers(const Environment& environment, const FileSource& files, const TrustOptions& options)
      : environment_(environment), files_(files), options_(options) {}

  // The host in which the user has allowed this ("claude-code", "codex", "pi"); empty: none.
  [[nodiscard]] std::string_view allowed_by(const TrustRequest& request);

  // Codex' word on a folder, "trusted" or "untrusted"; empty when it was not asked.
  [[nodiscard]] static std::string codex_trust(json::Value user_config,
                                               const Environment& environment,
                                               const FileSource& files);

 private:
  struct Claude {
    json::Document state;     // ~/.claude.json
    json::Document settings;  // ~/.claude/settings.json
  };
  [[nodiscard]] bool claude_allows(const TrustRequest& request);
  [[nodiscard]] bool codex_allows();
  const Claude& claude();
  [[nodiscard]] json::Document read_json(const std::string& path) const;

  const Environment& environment_;
  const FileSource& files_;
  const TrustOptions& options_;
  std::optional<Claude> claude_;
  std::optional<bool> codex_;
};

}  // namespace pi_mcp::config
