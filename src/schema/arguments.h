// Checks the arguments of a call before anything is sent, and repairs the two mistakes that models
// make all the time: an object or array written as a string of JSON, and null for a parameter that
// is left out. Pure: no I/O, no clock.
#pragma once

#include "base/result.h"
#include "base/shared_text.h"
#include "json/document.h"
#include "schema/schema.h"

namespace pi_mcp::schema {

// What to send: `text`, the bytes of `arguments`, as they are, or new text in which top-level
// properties that had to be objects or arrays are no longer strings, and optional properties of any
// depth that may not be null are gone. Everything else keeps its bytes. Absent arguments are
// checked as {} and give an empty text. One layer only: a string inside a repaired string stays.
//
// A name that the schema does not list is refused where the schema says nothing of additional
// properties (docs/decisions/0034-unknown-arguments.md), but not one that `about`, the description
// of the tool, mentions and that is not like a listed one.
//
// invalid_argument lists at most five violations: "city: required, missing; days: expected integer,
// got string". They describe the repaired arguments where a repair helped.
Result<SharedText> check_arguments(const Schema& schema,
                                   SharedText text,
                                   json::Value arguments,
                                   std::string_view about = {});

// The same with a schema that is compiled for this one call. An absent schema, or one that is
// neither an object nor a boolean, accepts everything.
Result<SharedText> check_arguments(json::Value schema, SharedText text, json::Value arguments);

}  // namespace pi_mcp::schema
