// The failures that several modes share, in the words and codes that hosts know.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "config/settings.h"
#include "json/document.h"
#include "registry/server_registry.h"
#include "tool/answer.h"
#include "tool/request.h"
#include "tool/text.h"

namespace pi_mcp::tool {

// That no server is configured, or which file cannot be read, and what to do about it, behind
// `before`. A shell has been told of the file: for it that is nothing.
Message no_server(const config::Settings& settings, std::string_view before = {});
[[nodiscard]] bool has_unreadable_file(const config::Settings& settings);
// Why nothing of the configuration is changed in this session: it is in no file of the user; empty
// where it may be changed.
std::string_view unchangeable(const config::Settings& settings);

// How the shell should exit for an error of the layers below.
Failure failure_of(ErrorCode code);

// The configured server that somebody may have meant; empty when no name is near.
std::string nearest_server(const config::Settings& settings, std::string_view wrong);

// Looks among the tools of the enabled servers. `registry` outlives it.
HasNamesake namesakes(const registry::ServerRegistry& registry);

// The request names a server where a tool is wanted.
bool is_server_name(const registry::ServerRegistry& registry, const ToolRequest& request);

// Each begins a Reply, so that a mode can add details of its own.
Reply server_for_tool(Mode mode, std::string_view server);
Reply unknown_server(Mode mode, const registry::ServerRegistry& registry, std::string_view server);
Reply disabled_server(Mode mode, const registry::ServerRegistry& registry, std::string_view server);
// authRequiredMessage of the user, where there is one and the error is about a login.
std::optional<std::string> users_auth_message(const registry::ServerRegistry& registry,
                                              std::string_view server,
                                              const Error& error);
Reply server_in_backoff(Mode mode, std::string_view server, const registry::Backoff& backoff);
// The server did not start: connect_failed, auth_required, or aborted when we were cancelled.
Reply failed_connect(Mode mode,
                     const registry::ServerRegistry& registry,
                     std::string_view server,
                     const Error& error);
// Of ToolRequest::is_of_host, where no server has the name. Only Pi says so.
Reply host_tool(std::string_view name);
Reply ambiguous_tool(Mode mode,
                     std::string_view tool,
                     const std::vector<const catalog::CatalogTool*>& candidates);

// " It was offered only to hosts with elicitation.": of a tool that `server` (empty: any) does not
// list to this host, but has listed to abler ones; empty where none is known.
std::string offered_text(const registry::ServerRegistry& registry,
                         std::string_view tool,
                         std::string_view server);

// What follows an error of a running server that comes of the protocol in which it was spoken to:
// which one that was, and how to change it; empty for every other error.
std::string era_line(registry::ServerRegistry& registry,
                     const std::string& server,
                     std::string_view error);

// The answer to parameters that parse_tool_request() refuses.
Answer refused_request(const RequestError& error);

// What a model reads of a server's JSON-RPC error: message, code, and its data where that is short
// or a text, without secrets.
std::string server_error_text(json::Value error);

// What a person logs in to a server with. `whose`: the name of the token that the login is for;
// empty: the user's.
Message login_of(std::string_view server, std::string_view whose);

// "; to log in, run: /mcp-auth x": what people do about an error; empty where that is no command.
Message remedy_step(const Remedy* remedy);
// The error in one line, with that.
Message told(const Error& error);

// "pi-mcp add x URL, then: ": what a person in a shell does before a login to a server that only
// this command line has; empty for all others.
Message keeping_step(const config::Server& server);

// Which step logs in to a server that wants it, for a model; empty where none does.
Message login_step(const registry::ServerRegistry& registry,
                   std::string_view server,
                   const Error& error);

// [{"server":...,"tool":...}], names as displayed.
std::string candidates_json(const std::vector<const catalog::CatalogTool*>& candidates);
std::string names_json(const std::vector<std::string>& names);

}  // namespace pi_mcp::tool
