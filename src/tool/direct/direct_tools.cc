#include "tool/direct/direct_tools.h"

#include <algorithm>

#include "base/text.h"
#include "config/server.h"
#include "json/document.h"
#include "json/writer.h"
#include "tool/definition.h"
#include "tool/direct/sound_members.h"
#include "tool/introduction.h"
#include "tool/modes/manage.h"

namespace pi_mcp::tool {
namespace {

// Model providers refuse a request with any other name of a tool.
constexpr std::size_t name_length_max = 64;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// A host hands all of this to its model with every request.
constexpr std::size_t text_units_max = 8000;

std::string shown_text(const std::string& text) {
  return text::cut(text::printable(text), text_units_max);
}

void write_tool(json::Writer& out, const catalog::CatalogTool& tool) {
  out.begin_object().member("name", tool.name);
  if (!tool.title.empty()) {
    out.member("title", shown_text(tool.title));
  }
  out.member("description",
             tool.description.empty() ? "(no description)" : shown_text(tool.description));
  out.member_raw("inputSchema", sound_schema(tool.input_schema));
  if (!tool.annotations.empty()) {
    out.member_raw("annotations", sound_annotations(tool.annotations));
  }
  const auto others = json::Document::parse("{" + std::string(tool.others.view()) + "}");
  for (const json::Member member : others ? others->root().members() : json::Value().members()) {
    if (is_sound(member)) {
      out.member_raw(member.name(), member.value.raw());
    }
  }
  out.end_object();
}

// Whose tools these are, and a line about each of their servers.
void write_origins(json::Writer& out,
                   const registry::ServerRegistry& registry,
                   const std::vector<const catalog::CatalogTool*>& tools) {
  std::set<std::string_view> owners;
  out.key("origins").begin_object();
  for (const catalog::CatalogTool* tool : tools) {
    out.key(tool->name).begin_object().member("server", tool->server);
    out.member("tool", tool->original).end_object();
    owners.insert(tool->server);
  }
  out.end_object().key("about").begin_object();
  for (const config::Server& server : registry.settings().servers) {
    if (owners.contains(server.name)) {
      out.member(server.name, about_server(server, registry.catalog()));
    }
  }
  out.end_object();
}

// Two servers may show the same name when prefixes are off. Then neither has it: a call could reach
// the wrong one.
void take_out_doubles(std::vector<const catalog::CatalogTool*>& tools) {
  std::map<std::string_view, std::size_t> uses;
  for (const catalog::CatalogTool* tool : tools) {
    ++uses[tool->name];
  }
  std::erase_if(tools, [&uses](const catalog::CatalogTool* tool) { return uses[tool->name] > 1; });
}

// What the extension of Pi needs of the list and its model does not: how calls are drawn, whether
// scripts are wanted, and whose tools these are.
void write_host_hints(json::Writer& out,
                      const registry::ServerRegistry& registry,
                      const std::vector<const catalog::CatalogTool*>& tools) {
  const auto document = json::Document::parse_view(registry.settings().settings_json);
  const json::Value said = document ? document->root() : json::Value();
  const bool boxed = said.find("toolResultRendering").equals("boxed");
  const std::int64_t lines = said.find("collapsedResultLines").as_int().value_or(0);
  out.key("_meta").begin_object().key("pi-mcp/host").begin_object();
  out.key("look").begin_object().member("style", boxed ? "boxed" : "compact");
  out.member("lines", lines >= 1 && lines <= 3 ? lines : std::int64_t{boxed ? 3 : 1}).end_object();
  out.member("codemode", said.find("codemode").bool_or(false));
  write_origins(out, registry, tools);
  out.end_object().end_object();
}

bool may_defer(const config::Server& server) {
  return server.exposure == config::Exposure::deferred ||
         std::ranges::any_of(server.tool_exposure, [](const auto& rule) {
           return rule.second == config::Exposure::deferred;
         });
}

}  // namespace

std::optional<config::Selection> direct_selection(std::string_view variable,
                                                  std::string_view server) {
  std::optional<config::Selection> selection;
  for (const std::string_view part : text::split(variable, ',')) {
    const std::string_view word = text::trim(part);
    const std::size_t slash = word.find('/');
    if (word.substr(0, slash) != server) {
      continue;
    }
    selection = selection.value_or(config::Selection{});
    if (slash == std::string_view::npos) {
      selection->all = true;
    } else {
      selection->names.emplace_back(word.substr(slash + 1));
    }
  }
  return selection;
}

std::string every_tool(const registry::ServerRegistry& registry) {
  std::vector<const catalog::CatalogTool*> tools;
  for (const config::Server& server : registry.settings().servers) {
    if (server.disabled) {
      continue;
    }
    for (const catalog::CatalogTool& tool : registry.catalog().tools(server.name)) {
      if (DirectTools::name_fault(tool.name).empty()) {
        tools.push_back(&tool);
      }
    }
  }
  take_out_doubles(tools);
  json::Writer out;
  out.begin_object().key("tools").begin_array();
  for (const catalog::CatalogTool* tool : tools) {
    write_tool(out, *tool);
  }
  out.end_array();
  write_origins(out, registry, tools);
  return out.end_object().take();
}

DirectTools::DirectTools(const registry::ServerRegistry& registry, render::HostKind host)
    : registry_(registry), host_(host) {
  reload();
}

void DirectTools::reload() {
  rules_.clear();
  result_.clear();
  for (const config::Server& server : registry_.settings().servers) {
    Rule rule = rule_of(server);
    const config::Selection& chosen = rule.selection;
    const bool has_any =
        chosen.all || chosen.by_search || !chosen.names.empty() || rule.exposed != nullptr;
    if (!server.disabled && has_any) {
      rules_.push_back(std::move(rule));
    }
  }
}

DirectTools::Rule DirectTools::rule_of(const config::Server& server) const {
  Rule rule{.server = server.name, .selection = {}};
  const std::optional<std::string> variable = registry_.environment().variable("MCP_DIRECT_TOOLS");
  if (variable && !variable->empty()) {
    rule.selection = direct_selection(*variable, server.name).value_or(config::Selection{});
  } else if (server.direct_tools) {
    rule.selection = *server.direct_tools;
  } else if (server.exposure || !server.tool_exposure.empty()) {
    rule.exposed = &server;
    rule.selection.by_search = may_defer(server);
  } else {
    rule.selection = registry_.settings().direct_tools.value_or(config::Selection{});
  }
  return rule;
}

bool DirectTools::is_selected(const Rule& rule, const catalog::CatalogTool& tool) const {
  if (!name_fault(tool.name).empty()) {
    return false;
  }
  const config::Exposure exposure =
      rule.exposed == nullptr
          ? (rule.selection.by_search ? config::Exposure::deferred : config::Exposure::codemode)
          : config::exposure_of(*rule.exposed, catalog::spellings_of(tool));
  if (exposure == config::Exposure::deferred) {
    return shown_.contains(std::pair(tool.server, tool.name));
  }
  return exposure == config::Exposure::direct || rule.selection.all ||
         std::ranges::any_of(rule.selection.names, [&tool](const std::string& glob) {
           return catalog::names_tool(glob, tool);
         });
}

std::string_view DirectTools::name_fault(std::string_view name) {
  if (name.empty() || !std::ranges::all_of(name, is_name_character)) {
    return "models accept only a-z, A-Z, 0-9, _ and - in the name of a tool";
  }
  if (name.size() > name_length_max) {
    return "models accept names of at most 64 characters";
  }
  const bool is_ours =
      name == mcp_tool_name() || name == write_tool_name() || name == manage_tool_name();
  return is_ours ? "pi-mcp has a tool of this name" : std::string_view();
}

bool DirectTools::waits_for_search(std::string_view server) const {
  return std::ranges::any_of(rules_, [server](const Rule& rule) {
    return rule.server == server && rule.selection.by_search;
  });
}

bool DirectTools::is_chosen(const catalog::CatalogTool& tool) const {
  return std::ranges::any_of(rules_, [this, &tool](const Rule& rule) {
    return rule.server == tool.server && is_selected(rule, tool);
  });
}

std::vector<const catalog::CatalogTool*> DirectTools::selected() const {
  std::vector<const catalog::CatalogTool*> tools;
  for (const Rule& rule : rules_) {
    for (const catalog::CatalogTool& tool : registry_.catalog().tools(rule.server)) {
      if (is_selected(rule, tool)) {
        tools.push_back(&tool);
      }
    }
  }
  take_out_doubles(tools);
  return tools;
}

bool DirectTools::has_all() const {
  const auto is_known = [this](const Rule& rule) {
    const std::vector<catalog::CatalogTool>& tools = registry_.catalog().tools(rule.server);
    const auto is_there = [&tools](const std::string& glob) {
      return std::ranges::any_of(tools, [&glob](const catalog::CatalogTool& tool) {
        return catalog::names_tool(glob, tool);
      });
    };
    return !rule.selection.by_search &&
           registry_.catalog().knowledge(rule.server) != catalog::Knowledge::unknown &&
           std::ranges::all_of(rule.selection.names, is_there);
  };
  return !selected().empty() && std::ranges::all_of(rules_, is_known);
}

bool DirectTools::offers_mcp() const {
  return !registry_.settings().disable_proxy_tool || !has_all();
}

void DirectTools::refresh() {
  const std::uint64_t generation = registry_.catalog().generation();
  if (!result_.empty() && generation == generation_ && shown_.size() == shown_count_) {
    return;
  }
  if (rules_.empty() && host_ == render::HostKind::mcp) {
    result_ = tools_list_result(tool_form(registry_.settings(), host_));
    generation_ = generation;
    return;
  }
  json::Writer out;
  out.begin_object().key("tools").begin_array();
  if (offers_mcp()) {
    out.raw(own_tool_definitions(tool_form(registry_.settings(), host_)));
  }
  if (host_ == render::HostKind::pi) {
    out.raw(manage_tool_definition());
  }
  const std::vector<const catalog::CatalogTool*> tools = selected();
  for (const catalog::CatalogTool* tool : tools) {
    write_tool(out, *tool);
    listed_.insert_or_assign(tool->name, tool->server);
  }
  out.end_array();
  if (host_ == render::HostKind::pi) {
    write_host_hints(out, registry_, tools);
  }
  result_ = out.end_object().take();
  // Reading the cache is a change of the catalog too.
  generation_ = registry_.catalog().generation();
  shown_count_ = shown_.size();
}

std::string_view DirectTools::list_result() {
  if (told_.empty() || !registry_.settings().freeze_direct_tools) {
    refresh();
    told_ = result_;
    noticed_ = false;
  }
  return told_;
}

void DirectTools::show(std::string_view server, std::string_view tool) {
  const auto rule = std::find_if(
      rules_.begin(), rules_.end(), [server](const Rule& each) { return each.server == server; });
  if (rule != rules_.end() && rule->selection.by_search) {
    shown_.emplace(server, tool);
  }
}

bool DirectTools::needs_notice() {
  if (told_.empty() || noticed_ || registry_.settings().freeze_direct_tools) {
    return false;
  }
  refresh();
  noticed_ = result_ != told_;
  return noticed_;
}

std::optional<bool> DirectTools::may_write(json::Value tool) const {
  const bool split = registry_.settings().split_tool;
  if (tool.equals(mcp_tool_name())) {
    return !split;
  }
  return split && tool.equals(write_tool_name()) ? std::optional(true) : std::nullopt;
}

const std::string* DirectTools::server_of(std::string_view tool) {
  auto found = listed_.find(tool);
  if (found == listed_.end()) {
    refresh();
    found = listed_.find(tool);
  }
  return found == listed_.end() ? nullptr : &found->second;
}

}  // namespace pi_mcp::tool
