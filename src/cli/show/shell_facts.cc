#include "cli/show/shell_facts.h"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "cli/show/shared_lines.h"
#include "config/describe.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

struct Warned final : tool::Facts {
  std::shared_ptr<const tool::Facts> facts;
  std::vector<config::Warning> warnings;

  [[nodiscard]] tool::Message text() const override { return facts->text(); }
  void write_details(json::Writer& out) const override {
    facts->write_details(out);
    out.member_raw("warnings", config::warnings_json(warnings));
  }
};

}  // namespace

void ShellStatus::write_details(json::Writer& out) const {
  StatusFacts::write_details(out);
  out.member_raw("running", running_json(running));
  if (!shared.empty()) {
    out.key("shared");
    tool::write_shared_view(out, shared.front());
  }
  if (shared.size() > 1) {
    out.key("alsoShared").begin_array();
    for (std::size_t i = 1; i < shared.size(); ++i) {
      tool::write_shared_view(out, shared[i]);
    }
    out.end_array();
    tool::write_copies(out, all_copies(shared));
  }
  if (!obstacle.empty()) {
    out.member("notShared", obstacle);
  }
  write_processes(out, "silent", silent);
  write_processes(out, "otherBuilds", of_other_builds);
}

void write_processes(json::Writer& out, std::string_view key, const std::vector<int>& ids) {
  if (!ids.empty()) {
    out.key(key).begin_array();
    for (const int id : ids) {
      out.number(static_cast<std::int64_t>(id));
    }
    out.end_array();
  }
}

tool::Answer with_warnings(tool::Answer answer, std::vector<config::Warning> warnings) {
  const auto warned = std::make_shared<Warned>();
  warned->facts = std::exchange(answer.facts, warned);
  warned->warnings = std::move(warnings);
  return answer;
}

std::string together(std::string_view mode,
                     const std::vector<tool::Answer>& answers,
                     const std::vector<config::Warning>* warnings) {
  json::Writer out;
  out.begin_object().member("mode", mode).key("servers").begin_array();
  for (const tool::Answer& answer : answers) {
    out.raw(details_of(answer, tool::Reader::shell));
  }
  out.end_array();
  if (warnings != nullptr) {
    out.member_raw("warnings", config::warnings_json(*warnings));
  }
  return out.end_object().take();
}

ToolPage page_of(const std::vector<catalog::CatalogTool>& tools, const tool::ListFacts& facts) {
  ToolPage page{.total = facts.total, .tools = {}, .next = facts.next()};
  std::map<std::string_view, const catalog::CatalogTool*> by_name;
  for (const catalog::CatalogTool& tool : tools) {
    by_name.emplace(tool.name, &tool);
  }
  for (const std::string& name : facts.page.names) {
    if (const auto found = by_name.find(name); found != by_name.end()) {
      page.tools.push_back(found->second);
    }
  }
  return page;
}

}  // namespace pi_mcp::cli
