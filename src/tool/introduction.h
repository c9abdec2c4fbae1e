// What a host's model is told of the servers before it asks: a model uses only what it knows of.
// Both texts depend on the configuration and the cache as they are at the start of a session. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "catalog/catalog.h"
#include "config/settings.h"
#include "render/host_kind.h"

namespace pi_mcp::tool {

// o200k tokens. Pi's prompt comes beside the tool's text with every request.
constexpr std::size_t introduction_tokens_max = 400;
constexpr std::size_t introduction_tokens_max_in_pi = 300;
constexpr std::size_t names_tokens_max = 120;
// Characters of what is said of one server.
constexpr std::size_t about_characters_max = 120;

// The `instructions` of initialize, where `mcp` is offered: a line for each server that may be
// used, and how to search. What is too long is cut in this order: the lines get shorter, they fall
// away from the end, names become "+3 more". Empty when there is no server. Pi puts it into its
// prompt beside the tool's text, which has the names and how to search: only servers of which there
// is something to say are in it, and it is empty where there is none.
std::string introduction(const config::Settings& settings,
                         const catalog::Catalog& catalog,
                         render::HostKind host);

// "github, files, +3 more": the same servers by name alone, for the tool's first line.
std::string named_in_tool(const config::Settings& settings);

// One line about a server: its configured description, else the first sentence of its own
// instructions, else its title; empty where there is none of these.
std::string about_server(const config::Server& server, const catalog::Catalog& catalog);

// Not below what o200k makes of a list of names or of sentences, and about half above it. A single
// odd name may be more.
std::size_t tokens_at_most(std::string_view text);

}  // namespace pi_mcp::tool
