// Turns a schema into a Program. Pure: no I/O, no clock.
#pragma once

#include "json/document.h"
#include "json/schema.h"
#include "json/schema_program.h"

namespace pi_mcp::json::schema {

// `root` is an object or a boolean. Whatever is not understood is left out, never refused.
Program compile_program(Value root, const CompileOptions& options);

}  // namespace pi_mcp::json::schema
