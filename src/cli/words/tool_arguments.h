// The arguments of a tool as people type them in a shell: key=value, key:=JSON, one JSON object, or
// "-" for stdin. Pure: stdin is read by the caller.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/document.h"

namespace pi_mcp::cli {

// Whether the only word is "-".
bool reads_stdin(std::span<const std::string> words);
// Whether a key=value is among them, so that the tool's schema is worth having.
bool wants_schema(std::span<const std::string> words);

// The JSON object to send; "" for no words. `schema` is the tool's inputSchema, absent when it is
// not known: then every value of key=value stays a string. invalid_argument names the word and how
// to write it. Not for "-".
Result<std::string> tool_arguments(std::span<const std::string> words, json::Value schema);

// `text` when it is one JSON object; `where` names it in the message ("stdin").
Result<std::string> checked_object(std::string text, std::string_view where);

// The schema of one property, through local $ref and allOf; absent when there is none.
json::Value property_schema(json::Value schema, std::string_view name);

}  // namespace pi_mcp::cli
