// How tools are called: prefixes, resource tools, every historic spelling. Golden values are those
// of the reference adapter (docs/compatibility.md). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::catalog {

// The same four modes as config::ToolPrefix, which this folder may not see.
// NOLINTNEXTLINE(readability-identifier-naming): `short` is a keyword.
enum class PrefixMode : std::uint8_t { server, short_, none, mcp };

// "xcodebuild-mcp", short_ -> "xcodebuild". Empty for none.
std::string prefix(std::string_view server, PrefixMode mode);
// Every prefix, without "_", with which a server's tools may be called: all modes, the spelling
// before 2.25, and each of them folded. No duplicates, no empty one.
std::vector<std::string> accepted_prefixes(std::string_view server);
// The name shown to the model: prefix, "_", tool; a tool that already starts with its prefix is
// left. '.' and control characters in a tool's name become '_', since hosts refuse them.
std::string displayed_name(std::string_view server, std::string_view tool, PrefixMode mode);
// "My Resource!" -> "my_resource".
std::string resource_base_name(std::string_view resource_name);
// Every spelling under which a tool is accepted: original name, all modes, the spelling
// before 2.25, "mcp__server__tool", "server.tool", "server/tool", and each of them with '-' folded
// to '_'. `original` of a resource tool is "read_x"; its older "get_x" is included. No duplicates.
// Each ends with the tool's name as the server or a host spells it.
std::vector<std::string> accepted_spellings(std::string_view server,
                                            std::string_view original,
                                            bool is_resource);
// Every '-' becomes '_'.
std::string folded(std::string_view name);

}  // namespace pi_mcp::catalog
