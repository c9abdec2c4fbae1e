#include "schema/schema.h"

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

}  // namespace pi_mcp::schema
