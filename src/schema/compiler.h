// Turns a schema into a Program. Pure: no I/O, no clock.
#pragma once

#include "json/document.h"
#include "schema/program.h"
#include "schema/schema.h"

namespace pi_mcp::schema {

// `root` is an object or a boolean. Whatever is not understood is left out, never refused.
Program compile_program(json::Value root, const CompileOptions& options);

}  // namespace pi_mcp::schema
