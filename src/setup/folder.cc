#include "setup/folder.h"

#include <algorithm>
#include <utility>

#include "config/paths.h"
#include "config/trust/host_answers.h"
#include "json/document.h"
#include "json/edit.h"
#include "json/writer.h"

namespace pi_mcp::setup {
namespace {

// https://code.claude.com/docs/en/settings: servers of .mcp.json that the user has refused.
constexpr const char* switched_off = "disabledMcpjsonServers";

json::Document parse(std::string_view text) {
  return json::Document::parse(std::string(text), {.syntax = json::Syntax::jsonc})
      .value_or(json::Document());
}

json::Value list_in(const json::Document& document, const ListStep& step) {
  json::Value list = document.root();
  for (const std::string& name : step.path) {
    list = list.find(name);
  }
  return list;
}

bool has(const std::vector<std::string>& names, json::Value name) {
  return std::ranges::any_of(names, [name](const std::string& one) { return name.equals(one); });
}

// What `.mcp.json` of the folder has, but for what is in `off`.
std::vector<std::string> servers_of(json::Value root, json::Value off) {
  std::vector<std::string> names;
  for (const json::Member server : root.find("mcpServers").members()) {
    bool is_off = false;
    for (const json::Value name : off.elements()) {
      is_off = is_off || name.equals(server.name());
    }
    if (!is_off) {
      names.push_back(server.name());
    }
  }
  return names;
}

}  // namespace

Result<std::optional<FolderPlan>> plan_folder(const config::Environment& environment,
                                              const config::FileSource& files) {
  const std::string path = config::claude_state_file(environment);
  const std::optional<std::string> before = files.read_regular(path).value_or(std::nullopt);
  const std::string own = join_path(environment, environment.cwd, ".mcp.json");
  const std::optional<std::string> wanted = files.read_regular(own).value_or(std::nullopt);
  if (!before || !wanted) {
    return std::optional<FolderPlan>();
  }
  const json::Document state = parse(*before);
  const std::string real = files.canonical(environment.cwd);
  const bool by_real =
      state.root().at({"projects", real}) && !state.root().at({"projects", environment.cwd});
  ListStep step{.path = {"projects", by_real ? real : environment.cwd, switched_off},
                .names = {},
                .made = false};
  const json::Value off = list_in(state, step);
  step.names = servers_of(parse(*wanted).root(), off);
  step.made = !off.is_array();
  if (step.names.empty()) {
    return std::optional<FolderPlan>();
  }
  Result<std::string> after = add_to_list(*before, step);
  if (!after) {
    return fail(std::move(after.error()).while_doing(path));
  }
  FolderPlan found{.names = step.names, .plan = {}};
  found.plan.changes.push_back({.path = path,
                                .before = before,
                                .after = *std::move(after),
                                .steps = {std::move(step)},
                                .is_users = false});
  return std::optional(std::move(found));
}

Result<std::string> add_to_list(std::string_view text, const ListStep& step) {
  Result<std::string> edited = std::string(text);
  for (const std::string& name : step.names) {
    if (edited) {
      edited = json::append_element(*edited, step.path, json::quoted(name));
    }
  }
  return edited;
}

Result<std::string> take_from_list(std::string_view text, const ListStep& step) {
  const json::Document document = parse(text);
  const json::Value list = list_in(document, step);
  if (!list.is_array()) {
    return std::string(text);
  }
  json::Writer rest;
  rest.begin_array();
  bool is_empty = true;
  for (const json::Value name : list.elements()) {
    if (!has(step.names, name)) {
      rest.raw(name.raw());
      is_empty = false;
    }
  }
  rest.end_array();
  return is_empty && step.made ? json::remove_member(text, step.path)
                               : json::set_member(text, step.path, rest.text());
}

}  // namespace pi_mcp::setup
