// One item of a list that a server gives, as it arrives and as the cache keeps it: both have the
// same members. Pure.
#pragma once

#include "json/document.h"
#include "json/writer.h"
#include "mcp/types.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

// Where the bytes of `item` live. What is no such item has no name.
template <class Source>
Tool read_tool(const Source& source, json::Value item);
extern template Tool read_tool(const json::Document& source, json::Value item);
extern template Tool read_tool(const rpc::Message& source, json::Value item);

Resource read_resource(json::Value item);
// One whose `uri` is the template.
Resource read_template(json::Value item);
Prompt read_prompt(json::Value item);

// As hosts get it. Members without a value are left out.
void write_resource(json::Writer& out, const Resource& resource);
void write_template(json::Writer& out, const Resource& resource);
void write_prompt(json::Writer& out, const Prompt& prompt);

// Adds members to an open object; see Tool::others.
void write_others(json::Writer& out, const SharedText& others);

}  // namespace pi_mcp::mcp
