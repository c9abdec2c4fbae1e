// From the arguments that people typed to the JSON object that a tool is sent, typed by its schema.
// Pure: files are read by the caller's function.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/words/tool_call.h"
#include "json/document.h"

namespace pi_mcp::cli {

// The text of a file, or of stdin for "-".
using ReadFile = std::function<Result<std::string>(const std::string& path)>;

// What the tool's inputSchema says of its parameters; nothing when it is absent.
Parameters parameters_of(json::Value schema);

// The JSON object to send; "" for no arguments. `schema` is the tool's inputSchema, absent when it
// is not known: then every value of key=value stays a string. invalid_argument names the argument
// and how to write it.
Result<std::string> tool_arguments(const std::vector<GivenArgument>& given,
                                   json::Value schema,
                                   const ReadFile& read);

// `text` when it is one JSON object; `where` names it in the message ("stdin").
Result<std::string> checked_object(std::string text, std::string_view where);

// The schema of one property, through local $ref and allOf; absent when there is none.
json::Value property_schema(json::Value schema, std::string_view name);

}  // namespace pi_mcp::cli
