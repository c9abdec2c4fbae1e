#include "schema/schema.h"

#include <algorithm>

#include "schema/check.h"
#include "schema/compiler.h"
#include "schema/program.h"

namespace pi_mcp::schema {

std::string Violation::text() const {
  return path.empty() ? reason : path + ": " + reason;
}

Result<Schema> Schema::compile(json::Value schema, const CompileOptions& options) {
  if (!schema.is_object() && !schema.is(json::Kind::boolean)) {
    return fail(ErrorCode::invalid_argument,
                schema ? "a schema is an object or a boolean, not " +
                             std::string(json::kind_name(schema.kind()))
                       : "there is no schema");
  }
  Schema compiled;
  compiled.program_ = std::make_shared<const Program>(compile_program(schema, options));
  return compiled;
}

std::vector<Violation> Schema::check(json::Value instance, CheckLimits limits) const {
  if (!program_ || !instance) {
    return {};
  }
  Check quick(*program_, limits.steps_max);
  if (visit(quick, program_->root, instance, nullptr) || quick.gave_up()) {
    return {};
  }
  Findings found;
  Check why(*program_, limits.steps_max);
  why.instead(
      &found, limits.violations_max, [&] { return visit(why, program_->root, instance, nullptr); });
  std::vector<Violation> violations;
  for (Finding& finding : found) {
    violations.push_back(std::move(finding.violation));
  }
  if (violations.empty()) {
    violations.push_back({.path = "", .keyword = "", .reason = "does not fit the schema"});
  }
  return violations;
}

std::vector<Violation> Schema::unlisted(json::Value object) const {
  // Larger objects are data, not arguments that somebody wrote.
  constexpr std::size_t members_max = 100;
  if (!program_ || !object.is_object()) {
    return {};
  }
  const Node& root = program_->nodes[program_->root];
  const json::Value properties = root.value("properties");
  const auto is_listed = [properties](const json::Member& member) {
    return properties.find(member.name()).exists();
  };
  std::vector<json::Member> others;
  std::size_t count = 0;
  for (const json::Member member : object.members()) {
    if (++count > members_max) {
      return {};
    }
    if (!is_listed(member)) {
      others.push_back(member);
    }
  }
  if (others.empty() || properties.size() == 0 || root.find("additionalProperties") != nullptr ||
      root.find("unevaluatedProperties") != nullptr) {
    return {};
  }
  // Subschemas that may list names too do so only for objects that fit.
  const bool lists_elsewhere = std::ranges::any_of(root.rules, [](const Rule& rule) {
    const Group group = rule.keyword->group;
    return (group == Group::object || group == Group::combination) && !rule.children.empty() &&
           rule.keyword->name != "properties";
  });
  Evaluated evaluated;
  if (lists_elsewhere) {
    Check check(*program_, CheckLimits{}.steps_max);
    if (!visit(check, program_->root, object, &evaluated) || check.gave_up() || evaluated.all) {
      return {};
    }
  }
  std::vector<Violation> violations;
  for (const json::Member& member : others) {
    if (std::ranges::find(evaluated.children, member.value.raw().data()) ==
        evaluated.children.end()) {
      std::string path;
      append_path(path, member.name());
      violations.push_back(
          {.path = path.substr(1),
           .keyword = "properties",
           .reason = unknown_property(properties, root.value("required"), member.name())});
    }
  }
  return violations;
}

}  // namespace pi_mcp::schema
