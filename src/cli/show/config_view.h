// The configuration in effect, as `pi-mcp config` shows it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/show/style.h"
#include "config/load.h"
#include "config/settings.h"

namespace pi_mcp::cli {

// A configuration file that was looked at.
struct LookedAt {
  config::SourceFile file;
  bool exists = false;
  bool unreadable = false;  // nothing that it says counts
};

// Files, servers and settings, each value with the file it came from; secrets masked. `home` is
// shortened to ~. `servers` are those to show, `everything`: also files, settings and notes.
struct ConfigView {
  const config::Settings* settings = nullptr;
  std::vector<const config::Server*> servers;
  std::vector<LookedAt> files;
  std::vector<config::Warning> warnings;
  bool everything = true;
  std::string home;
  std::size_t columns = std::string::npos;  // of the screen
};
std::string config_text(const ConfigView& view, const Style& style);
std::string config_json(const ConfigView& view);

// "~/x" for "<home>/x".
std::string short_path(std::string_view path, std::string_view home);

}  // namespace pi_mcp::cli
