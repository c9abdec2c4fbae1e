// Servers that come with what was installed for other programs: packages of Pi, Agent plugins and
// plugins of Claude Code. They stand below all files. Which files: docs/configuration.md; why they
// are whose: docs/decisions/0054-plugins.md. Pure but for FileSource.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/environment.h"
#include "config/file_source.h"
#include "config/load.h"
#include "config/raw.h"
#include "config/settings.h"
#include "json/document.h"

namespace pi_mcp::config {

// import_kind of their origins.
constexpr std::string_view pi_package_kind = "pi-package";
constexpr std::string_view agent_plugin_kind = "agent-plugin";
constexpr std::string_view claude_plugin_kind = "claude-plugin";

struct PluginSources {
  const Environment& environment;
  const FileSource& files;
  std::vector<Warning>& warnings;
  // Asked about each entry of the project's; `named_in` is the project's file, or its folder.
  std::function<bool(const RawServer& server, const std::string& named_in)> is_allowed;
  bool folder_trusted = false;  // the user trusts the working directory as a whole
};

struct PluginServers {
  std::vector<RawServer> servers;
  std::vector<RawServer> waiting;  // of the project, and not to be used yet
  std::vector<SourceFile> files;   // with servers, those that were looked at
};

class PluginReader;

// `pi.mcp` of the packages that Pi has installed for the user, or for the working directory.
void read_pi_packages(PluginReader& reader, bool of_project);
// settings.agentPluginPaths: folders with plugin.json and mcp.json, https://agent-plugins.org.
void read_agent_plugins(PluginReader& reader, json::Value paths, const Origin& named_in);
// The root key claudePlugins: folders with .mcp.json, https://code.claude.com/docs/en/plugins.
void read_claude_plugins(PluginReader& reader, json::Value plugins, const Origin& named_in);

}  // namespace pi_mcp::config
