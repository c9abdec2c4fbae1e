// The keys of one server's entry.
#include <array>
#include <cstdint>

#include "config/keys.h"
#include "config/values.h"
#include "mcp/revisions.h"

namespace pi_mcp::config {
namespace {

using enum KeyScope;
using enum ValueType;

void read_oauth(Server& server, json::Value value) {
  server.oauth = oauth_of(value);
  server.oauth_off = value.raw() == "false";
}

// As other hosts say it; "http" allows the fallback to SSE there, so it pins nothing.
void read_type(Server& server, json::Value value) {
  if (value.equals("sse")) {
    server.http_transport = HttpTransport::sse;
  }
}

void read_enabled(Server& server, json::Value value) {
  server.disabled = !is_true(value);
}

// The word of Pi's own client; requestTimeoutMs of the same entry wins.
void read_timeout(Server& server, json::Value value) {
  if (!server.request_timeout) {
    server.request_timeout = seconds_of(value);
  }
}

void read_trace(Server& server, json::Value value) {
  server.trace = is_true(value);
}

void read_exposure(Server& server, json::Value value) {
  server.exposure = exposure_of(value);
}

constexpr std::string_view exposures = "codemode|codemode-deferred|deferred|direct|hidden";

constexpr std::array declared = {
    Key("type", choice, read_type)
        .says(
            R"( | `"stdio"` | as other hosts write it: `stdio`, `http`, `sse`, `streamable-http`, )"
            "`streamableHttp`, `local`, `remote`; only `sse` means something, as in "
            "`httpTransport`")
        .one_of("stdio|http|sse|streamable-http|streamableHttp|local|remote"),
    Key("command", text, into<&Server::command, optional_text>)
        .says(R"( | `"npx"` | the program, looked up in `PATH`)"),
    Key("args", text_list, into<&Server::args, text_list_of>)
        .says(R"(`[]` | `["-y", "some-server"]` | its arguments)"),
    Key("env", text_map, into<&Server::env, text_map_of>)
        .says(R"(`{}` | `{"TOKEN": "${TOKEN}"}` | variables added to its environment)"),
    Key("cwd", text, into<&Server::cwd, optional_text>)
        .says(R"(the session's | `"~/data"` | working directory; must exist)"),
    Key("inheritEnv", flag, into<&Server::inherit_env, is_true>)
        .says("`true` | `false` | false: it gets a minimal environment and `env` only"),
    Key("literalEnv", flag, into<&Server::literal_env, is_true>)
        .says("`false` | `true` | true: nothing in `env` is replaced"),
    Key("url", text, into<&Server::url, optional_text>)
        .says(R"( | `"https://example.org/mcp"` | an HTTP endpoint)"),
    Key("headers", text_map, into<&Server::headers, text_map_of>)
        .says(R"(`{}` | `{"X-Team": "a"}` | sent with every request)"),
    Key("auth", choice_or_false, into<&Server::auth, auth_of>)
        .says(R"(by the server | `"bearer"` | `bearer`, `oauth`, or false for none)")
        .one_of("oauth|bearer"),
    Key("bearerToken", text, into<&Server::bearer_token, optional_text>)
        .says(R"( | `"${TOKEN}"` | the token of `"auth": "bearer"`)"),
    Key("bearerTokenEnv", text, into<&Server::bearer_token_env, optional_text>)
        .says(R"( | `"TOKEN"` | the variable that holds it, when `bearerToken` is absent)"),
    Key("bearerTokenStore", flag, into<&Server::bearer_token_store, is_true>)
        .says("`false` | `true` | the token is in the Pi MCP Adapter's entry of the system's "
              "keyring, for this url alone; `bearerToken` and `bearerTokenEnv` win"),
    Key("caFile", text, into<&Server::ca_file, optional_text>)
        .says(R"( | `"~/ca.pem"` | trusted roots for this server only)"),
    Key("requestHeadersCommand", object, into<&Server::request_headers_command, headers_command_of>)
        .says(R"( | `{"command": "sign", "args": ["-v"], "env": {"KEY": "${KEY}"}, "timeoutMs": )"
              "10000}` | a program that is shown each request and prints headers for it ([remote "
              "servers](remote.md#credentials-from-programs)); 60,000 ms at most"),
    Key("oauth", flag_or_object, read_oauth)
        .says(R"(by the server | `{"clientId": "a"}` | how tokens are got )"
              "([authorisation](authorisation.md)); false: never"),
    Key("httpTransport", choice, into<&Server::http_transport, http_transport_of>)
        .says(R"(either | `"sse"` | `streamable-http` or `sse`, without a fallback)")
        .one_of("streamable-http|sse"),
    Key("socket", text, into<&Server::socket, optional_text>)
        .says(R"( | `"~/run/s.sock"` | a Unix socket with one message a line)"),
    Key("lifecycle", choice, into<&Server::lifecycle, lifecycle_of>)
        .says(R"(`lazy` | `"eager"` | `lazy`: started when needed, stopped when idle. `eager`: )"
              "started with the session. `keep-alive`: started with the session and kept running. "
              "`lazy-keep-alive`: kept running once it was needed. See [lifecycle](lifecycle.md)")
        .one_of("lazy|eager|keep-alive|lazy-keep-alive")
        .use(),
    Key("idleTimeout", minutes, into<&Server::idle_timeout_minutes, minutes_of>)
        .says("settings | `30` | without work until it is stopped, for `lazy` and `eager` ones; "
              "fractions count; 0 and less never")
        .use(),
    Key("share", choice_or_false, into<&Server::share, share_of>)
        .says(R"(by what it is | `"user"` | which sessions use one process of it: `session` or )"
              "false, none but their own; `folder`, those of the same folder and environment; "
              "`user`, all of yours: it then starts in the home folder, or in `cwd`, with the "
              "environment of `inheritEnv: false`. See [sharing](sharing.md)")
        .one_of("session|folder|user")
        .project(ProjectMay::part),
    Key("requestTimeoutMs", milliseconds, into<&Server::request_timeout, milliseconds_of>)
        .says("settings | `120000` | for one request (a call, one page of a list) without answer, "
              "part of one or progress; 0 is the default"),
    Key("timeout", seconds, read_timeout)
        .says("settings | `120` | the same in seconds, as Pi's own client writes it; "
              "`requestTimeoutMs` of the same entry wins. In `.mcp.json` it is in milliseconds, as "
              "Claude Code writes it"),
    Key("requestTotalTimeoutMs",
        milliseconds,
        into<&Server::request_total_timeout, milliseconds_of>)
        .says("settings | `7200000` | for one call, whatever progress or parts of its answer "
              "come; 0 is the default"),
    Key("startupTimeoutMs", milliseconds, into<&Server::startup_timeout, milliseconds_of>)
        .says("settings | `20000` | for starting its program, and for its answer to the handshake; "
              "0 is the default"),
    Key("installTimeoutMs", milliseconds, into<&Server::install_timeout, milliseconds_of>)
        .says("settings | `1200000` | for that answer while `npx`, `uvx` or the like visibly "
              "install it first; 0 is the default"),
    Key("disabled", flag, into<&Server::disabled, is_true>)
        .says("`false` | `true` | true: listed, never started")
        .project(ProjectMay::set_true),
    Key("enabled", flag, read_enabled)
        .says("`true` | `false` | the opposite, for files written that way; `disabled` of the same "
              "entry wins")
        .project(ProjectMay::set_false),
    Key("exposeResources", flag, into<&Server::expose_resources, is_true>)
        .says("`true` | `false` | resources become tools that read them")
        .project(ProjectMay::set_false)
        .use(),
    Key("includeTools", text_list, into<&Server::include_tools, text_list_of>)
        .says(R"(all | `["get_*"]` | globs with `*` and `?` over tool names)")
        .project(ProjectMay::narrow)
        .use(),
    Key("excludeTools", text_list, into<&Server::exclude_tools, text_list_of>)
        .says(R"(none | `["delete_*"]` | the same; exclude wins)")
        .project(ProjectMay::add)
        .use(),
    Key("toolPrefix", choice, into<&Server::tool_prefix, tool_prefix_of>)
        .says(R"(settings | `"none"` | `server`, `short`, `none`, `mcp`: see Settings)")
        .one_of("server|short|none|mcp")
        .use(),
    Key("searchKeywords", word_lists, into<&Server::search_keywords, word_lists_of>)
        .says(R"(`{}` | `{"get_*": ["fetch"]}` | tool name or glob → words that find it)")
        .use(),
    Key("directTools", selection, into<&Server::direct_tools, selection_of>)
        .says(R"(settings | `["read_*"]` | tools that hosts show beside `mcp`, as tools of their )"
              R"(own: true, names and globs, or `"search"` for those that a search has shown. See )"
              "[Direct tools](#direct-tools)")
        .one_of("search")
        .use(),
    Key("exposure", choice, read_exposure)
        .says(
            R"(`codemode` | `"direct"` | how its tools reach a model, as Pi's own client has it. )"
            "See [Exposure](#exposure)")
        .one_of(exposures)
        .project(ProjectMay::hide)
        .use(),
    Key("toolExposure", choice_map, into<&Server::tool_exposure, exposures_of>)
        .says(
            R"(`{}` | `{"get_*": "direct", "delete_*": "hidden"}` | the same for tools by name or )"
            "glob; an exact name wins, then the first glob that matches")
        .one_of(exposures)
        .project(ProjectMay::hide)
        .use(),
    Key("approveTools", selection, into<&Server::approve_tools, selection_of>)
        .says(
            R"(settings | `["delete_*"]` | tools that ask before they run: true, names and globs, )"
            R"(`"marked"` or `"destructive"`. See [Approvals](#approvals))")
        .one_of("marked|destructive")
        .project(ProjectMay::add)
        .use(),
    Key("description", text, into<&Server::description, optional_text>)
        .says("the server's own words | `\"Issues and pull requests\"` | what it is for, in one "
              "line of at most 120 characters: hosts show it to their models before anything is "
              "asked")
        .use(),
    Key("debug", flag, into<&Server::debug, is_true>)
        .says("`false` | `true` | its stderr is shown"),
    Key("trace", flag, read_trace)
        .says("settings | `true` | its messages are traced, or not ([more](#trace))")
        .project(ProjectMay::nothing),
    Key("protocolVersion", choice, into<&Server::protocol, protocol_of>)
        .says(R"(`auto` | `"legacy"` | which MCP is spoken: `auto`, what the server works in; )"
              "`legacy`, 2024-11-05 to 2025-11-25; `2026-07-28` ([how that is found "
              "out](remote.md#which-protocol))")
        .one_of(mcp::protocol_choices),
    Key("tasks", flag, into<&Server::tasks, is_true>)
        .says("`true` | `false` | false: no call of it becomes a task that is followed until it is "
              "over"),
    Key("roots", flag, into<&Server::roots, is_true>)
        .says("`true` | `false` | false: it is not told the folders of the host (roots). "
              "`server-filesystem` and others serve those in place of the folders in `args`")
        .project(ProjectMay::set_false),
    Key(server, "pluginDataDir", text)
        .says("none | `\"~/.local/share/acme\"` | a folder that is made before the server starts; "
              "plugins keep their data there")
        .elsewhere(),
};

}  // namespace

std::span<const Key> server_keys() {
  return declared;
}

}  // namespace pi_mcp::config
