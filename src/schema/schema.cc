#include "schema/schema.h"

#include "schema/checker.h"
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
  compiled.program_ =
      std::make_shared<const schema::Program>(schema::compile_program(schema, options));
  return compiled;
}

std::vector<Violation> Schema::check(json::Value instance, CheckLimits limits) const {
  if (!program_ || !instance || schema::Checker(*program_, limits.steps_max).fits(instance)) {
    return {};
  }
  return schema::Checker(*program_, limits.steps_max).explain(instance, limits.violations_max);
}

}  // namespace pi_mcp::schema
