#include "config/trust/host_answers.h"

#include <algorithm>

#include "config/parse.h"
#include "config/paths.h"
#include "config/project/project_folders.h"
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

std::vector<json::Value> projects_of(json::Value root,
                                     const std::vector<std::string>& folders,
                                     const FileSource& files) {
  std::vector<json::Value> projects;
  for (const std::string& folder : folders) {
    std::string slashes = folder;  // Claude Code writes them on every platform
    std::ranges::replace(slashes, '\\', '/');
    for (const std::string& key : {folder, slashes, files.canonical(folder)}) {
      if (const json::Value entry = root.at({"projects", key})) {
        projects.push_back(entry);
        break;
      }
    }
  }
  return projects;
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
// What it is told in any folder of a repository it stores for the root (2.1; earlier versions for
// the folder).
bool HostAnswers::claude_allows(const std::string& server, const std::string& folder) {
  const json::Value everywhere = claude().settings.root();
  std::vector<json::Value> asked =
      projects_of(claude().state.root(), folder_and_root(folder, folders_above_), files_);
  // What is said for all projects does not count in one that its user has not accepted there.
  const bool accepted = std::ranges::any_of(asked, [](json::Value project) {
    return project.find("hasTrustDialogAccepted").bool_or(false);
  });
  const auto has_no = [&server](json::Value from) {
    return lists(from.find("disabledMcpjsonServers"), server);
  };
  if (has_no(everywhere) || std::ranges::any_of(asked, has_no)) {
    return false;
  }
  if (accepted) {
    asked.push_back(everywhere);
  }
  return std::ranges::any_of(asked, [&server](json::Value from) {
    return from.find("enableAllProjectMcpServers").bool_or(false) ||
           lists(from.find("enabledMcpjsonServers"), server);
  });
}

// https://developers.openai.com/codex/config-advanced: of the folder, else of its repository.
bool HostAnswers::codex_allows(const std::string& folder) {
  if (!codex_) {
    const std::string home = chosen_folder(environment_, "CODEX_HOME", ".codex");
    const std::optional<std::string> text =
        files_.read(join_path(environment_, home, "config.toml")).value_or(std::nullopt);
    const Result<std::string> json = toml_to_json(text.value_or(""));
    codex_ = parse_trusted(json ? *json : "{}");
  }
  const std::vector<json::Value> said =
      projects_of(codex_->root(), folder_and_root(folder, folders_above_), files_);
  return !said.empty() && said.front().find("trust_level").equals("trusted");
}

// Pi's trust.json: of the folder, else of the nearest above it. It is without a yes where that is
// for one run (`pi --approve`, "this session only") or no decision (`defaultProjectTrust`).
bool HostAnswers::pi_keeps_yes() const {
  const json::Document kept =
      read_json(join_path(environment_, agent_dir(environment_), "trust.json"));
  for (const std::string& folder : with_parents(environment_, files_.canonical(environment_.cwd))) {
    if (const std::optional<bool> said = kept.root().find(folder).as_bool()) {
      return *said;
    }
  }
  return false;
}

bool HostAnswers::is_kept(std::string_view host) const {
  return host != "pi" || pi_keeps_yes();
}

std::string_view HostAnswers::allowed_by(const TrustRequest& request) {
  const auto is = [&](const std::string& folder, std::string_view name) {
    return request.path == join_path(environment_, folder, name);
  };
  std::vector<std::string> folders = folders_above_;
  folders.insert(folders.begin(), environment_.cwd);
  for (const std::string& folder : folders) {
    if (is(folder, ".mcp.json") && !request.server.empty() &&
        claude_allows(request.server, folder)) {
      return "claude-code";
    }
    if (is(folder, ".codex/config.toml") && codex_allows(folder)) {
      return "codex";
    }
  }
  return is(environment_.cwd, ".pi/mcp.json") && options_.host.value_or(false) ? "pi" : "";
}

}  // namespace pi_mcp::config
