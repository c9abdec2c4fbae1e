#include "config/trust/host_answers.h"

#include <algorithm>
#include <vector>

#include "config/parse.h"
#include "config/paths.h"
#include "config/raw.h"
#include "config/toml.h"

namespace pi_mcp::config {
namespace {

bool lists(json::Value array, std::string_view name) {
  bool found = false;
  for (const json::Value element : array.elements()) {
    found = found || element.equals(name);
  }
  return found;
}

}  // namespace

json::Value project_of(json::Value root, const Environment& environment, const FileSource& files) {
  const std::string& cwd = environment.cwd;
  std::string slashes = cwd;  // Claude Code writes them on every platform
  std::ranges::replace(slashes, '\\', '/');
  for (const std::string& key : {cwd, slashes, files.canonical(cwd)}) {
    if (const json::Value entry = root.at({"projects", key})) {
      return entry;
    }
  }
  return {};
}

std::string claude_state_file(const Environment& environment) {
  return join_path(
      environment, chosen_folder(environment, "CLAUDE_CONFIG_DIR", ""), ".claude.json");
}

json::Document HostAnswers::read_json(const std::string& path) const {
  std::vector<Warning> ignored;  // a host's own file; its import warns where it is one
  std::optional<std::string> text = files_.read(path).value_or(std::nullopt);
  std::optional<json::Document> document;
  if (text) {
    document = parse_json_file(*std::move(text), path, ignored);
  }
  return document ? *std::move(document) : json::Document();
}

const HostAnswers::Claude& HostAnswers::claude() {
  if (!claude_) {
    const std::string folder = chosen_folder(environment_, "CLAUDE_CONFIG_DIR", ".claude");
    claude_ = Claude{.state = read_json(claude_state_file(environment_)),
                     .settings = read_json(join_path(environment_, folder, "settings.json"))};
  }
  return *claude_;
}

// https://code.claude.com/docs/en/settings. What stands in a .claude folder of the project is not
// read: a clone brings it along. A server that is switched off there has not been answered: that is
// how people keep Claude Code from starting it a second time beside us.
bool HostAnswers::claude_allows(const TrustRequest& request) {
  const json::Value project = project_of(claude().state.root(), environment_, files_);
  const json::Value settings = claude().settings.root();
  for (const json::Value from : {project, settings}) {
    if (lists(from.find("disabledMcpjsonServers"), request.server)) {
      return false;
    }
  }
  // For all projects; in one that Claude Code's user has not accepted it does not count there.
  const bool accepted = project.find("hasTrustDialogAccepted").bool_or(false);
  return project.find("enableAllProjectMcpServers").bool_or(false) ||
         lists(project.find("enabledMcpjsonServers"), request.server) ||
         (accepted && (settings.find("enableAllProjectMcpServers").bool_or(false) ||
                       lists(settings.find("enabledMcpjsonServers"), request.server)));
}

bool HostAnswers::codex_allows() {
  if (!codex_) {
    const std::string folder = chosen_folder(environment_, "CODEX_HOME", ".codex");
    const std::optional<std::string> text =
        files_.read(join_path(environment_, folder, "config.toml")).value_or(std::nullopt);
    const Result<std::string> json = toml_to_json(text.value_or(""));
    const json::Document config = parse_trusted(json ? *json : "{}");
    codex_ = project_of(config.root(), environment_, files_).find("trust_level").equals("trusted");
  }
  return *codex_;
}

std::string_view HostAnswers::allowed_by(const TrustRequest& request) {
  const auto is = [&](std::string_view name) {
    return request.path == join_path(environment_, environment_.cwd, name);
  };
  if (is(".mcp.json") && !request.server.empty() && claude_allows(request)) {
    return "claude-code";
  }
  if (is(".codex/config.toml") && codex_allows()) {
    return "codex";
  }
  if (is(".pi/mcp.json") && options_.host.value_or(false)) {
    return "pi";
  }
  return {};
}

}  // namespace pi_mcp::config
