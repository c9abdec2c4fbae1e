// One configuration file's text to what it says. Every problem becomes a warning that names the
// file; whatever can be understood is kept. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/raw.h"
#include "config/settings.h"
#include "json/document.h"

namespace pi_mcp::config {

// Larger files are refused. Claude Code keeps its history in the file we import from, which grows
// to tens of megabytes.
inline constexpr std::size_t config_bytes_max = std::size_t{256} << 20U;

// A JSON file with comments and trailing commas. nullopt when there is nothing in it (white space
// and comments count as nothing), and with one warning when it cannot be read as JSON.
std::optional<json::Document> parse_json_file(std::string text,
                                              const std::string& path,
                                              std::vector<Warning>& warnings);

// The member that holds the servers of a file of ours: "mcpServers", else "mcp-servers".
std::string_view servers_key(json::Value root);

// The servers in `map`, a member called `key` of a file: entries that are not objects are dropped
// with a warning. An absent map has none.
std::vector<RawServer> read_servers(json::Value map,
                                    std::string_view key,
                                    const Origin& origin,
                                    std::vector<Warning>& warnings);

// `enabled`, which many files have, as the `disabled` that merges; an entry's own `disabled` wins.
void translate_enabled(RawObject& fields);

// A file in our own format.
Layer read_layer(json::Value root, const Origin& origin, std::vector<Warning>& warnings);

}  // namespace pi_mcp::config
