// The options that every command has, and those that several have; for command_table.cc alone.
#pragma once

#include <array>
#include <string_view>

#include "cli/words/command_table.h"

namespace pi_mcp::cli {

constexpr Option flag(OptionId id, std::string_view name, std::string_view help) {
  return {.id = id, .name = name, .value = "", .help = help};
}

constexpr Option valued(OptionId id,
                        std::string_view name,
                        std::string_view value,
                        std::string_view help,
                        Completion completion = Completion::nothing) {
  return {.id = id, .name = name, .value = value, .help = help, .completion = completion};
}

constexpr Option lettered(char letter, Option option) {
  option.letter = letter;
  return option;
}

constexpr Option repeatable(Option option) {
  option.repeatable = true;
  return option;
}

constexpr Option of_http(Option option) {
  option.of_http = true;
  return option;
}

inline constexpr std::array global_table = {
    valued(OptionId::config,
           "--config",
           "FILE",
           "Use FILE instead of the user file ~/.pi/agent/mcp.json",
           Completion::file),
    valued(OptionId::cwd,
           "--cwd",
           "DIR",
           "Act as if started in DIR (decides the project files)",
           Completion::directory),
    flag(OptionId::trust_project,
         "--trust-project",
         "Trust this project's files for this run (PI_MCP_TRUST_PROJECT=1)"),
    flag(OptionId::json, "--json", "Print JSON for programs"),
    lettered('q', flag(OptionId::quiet, "--quiet", "No progress, notes or warnings on stderr")),
    valued(OptionId::timeout, "--timeout", "SECONDS", "Give up after this time (exit status 6)"),
    valued(OptionId::log_level,
           "--log-level",
           "LEVEL",
           "error, warning, info, debug or off (also: PI_MCP_LOG)",
           Completion::log_level),
    lettered('h', flag(OptionId::help, "--help", "Show help; after a command, help for it")),
    lettered('V', flag(OptionId::version, "--version", "Show the version")),
};

inline constexpr Option server_filter =
    valued(OptionId::server, "--server", "SERVER", "Only this server", Completion::server);
inline constexpr Option offset_option =
    valued(OptionId::offset, "--offset", "N", "Skip the first N tools");
inline constexpr Option output_option =
    lettered('o',
             valued(OptionId::output,
                    "--output",
                    "FILE",
                    "Write the first image, audio or file of the result, else its text, to FILE "
                    "(- is stdout)",
                    Completion::file));
inline constexpr Option for_option = valued(OptionId::for_token,
                                            "--for",
                                            "TOKEN_NAME",
                                            "The login of this token over HTTP, not yours",
                                            Completion::token);
inline constexpr Option url_option =
    valued(OptionId::url, "--url", "URL", "A server with this URL");
inline constexpr Option stdio_option = valued(
    OptionId::stdio, "--stdio", "COMMAND", "A server to start: program and arguments as one value");
inline constexpr Option env_option = repeatable(lettered(
    'e', valued(OptionId::env, "--env", "NAME=VALUE", "Environment variable of the server")));
inline constexpr Option header_option = repeatable(
    valued(OptionId::header, "--header", "NAME:VALUE", "HTTP header of a server with a URL"));
constexpr Option before_tool(Option option) {
  option.before_tool = true;
  return option;
}

inline constexpr Option host_option =
    valued(OptionId::host,
           "--host",
           "KIND",
           "mcp (default): any MCP host; pi: reduce results to what Pi shows",
           Completion::host);
inline constexpr Option host_trusts_option =
    valued(OptionId::host_trusts,
           "--host-trusts",
           "yes|no",
           "Whether the host's user trusts this folder; no: nothing of the project is used",
           Completion::yes_or_no);
inline constexpr Option host_config_option =
    flag(OptionId::host_config,
         "--host-config",
         "No file counts: the host brings the configuration (for programs built on Pi)");
inline constexpr Option servers_option =
    valued(OptionId::servers,
           "--servers",
           "A,B",
           "Only these servers; a host may have an entry for each such choice",
           Completion::server);
inline constexpr Option through_option =
    valued(OptionId::through,
           "--through",
           "SERVER",
           "This server as it is, in place of mcp: its own tools, prompts and resources",
           Completion::server);
inline constexpr Option split_option =
    flag(OptionId::split, "--split", "Offer mcp, which only reads, and mcp_write for the rest");

inline constexpr Option http_option =
    valued(OptionId::http,
           "--http",
           "ADDRESS",
           "Serve over HTTP: 127.0.0.1:8808, [::1]:8808 or unix:PATH");
inline constexpr Option allow_host_option =
    of_http(repeatable(valued(OptionId::allow_host,
                              "--allow-host",
                              "HOST",
                              "With --http: a name that clients may use for it")));
inline constexpr Option allow_origin_option =
    of_http(repeatable(valued(OptionId::allow_origin,
                              "--allow-origin",
                              "ORIGIN",
                              "With --http: pages of ORIGIN (https://app.example) may use it")));
inline constexpr Option session_key_option =
    of_http(valued(OptionId::session_key,
                   "--session-key",
                   "FILE",
                   "With --http: keys that seal session ids, 64 hexadecimal digits a line",
                   Completion::file));
inline constexpr Option store_option =
    of_http(valued(OptionId::store,
                   "--store",
                   "URL",
                   "With --http: what replicas share, redis://HOST:PORT or rediss://…"));
// Of commands for logins.
inline constexpr Option replicas_store_option =
    valued(OptionId::store,
           "--store",
           "URL",
           "Of replicas, with their --session-key: what they share, redis://HOST:PORT");
inline constexpr Option replicas_key_option = valued(OptionId::session_key,
                                                     "--session-key",
                                                     "FILE",
                                                     "With --store: the keys of the replicas",
                                                     Completion::file);
inline constexpr Option advertise_option =
    of_http(valued(OptionId::advertise,
                   "--advertise",
                   "URL",
                   "With --http: where other replicas reach this one, http://HOST:PORT"));
inline constexpr Option drain_option =
    of_http(valued(OptionId::drain,
                   "--drain",
                   "SECONDS",
                   "With --http: how long calls may go on after SIGTERM (default: 30)"));

inline constexpr Option access_log_option =
    of_http(valued(OptionId::access_log,
                   "--access-log",
                   "FILE",
                   "With --http: a line of JSON for each request, added to FILE (/dev/stdout)",
                   Completion::file));

inline constexpr Option tls_cert_option =
    of_http(valued(OptionId::tls_cert,
                   "--tls-cert",
                   "FILE",
                   "With --http: speak TLS with this certificate (PEM, with its chain)",
                   Completion::file));
inline constexpr Option tls_key_option =
    of_http(valued(OptionId::tls_key,
                   "--tls-key",
                   "FILE",
                   "With --tls-cert: its key (PEM, no password)",
                   Completion::file));

inline constexpr Option alone_option =
    flag(OptionId::alone, "--alone", "In a process of its own, not in the one all sessions share");

// A server that is used once, for commands that use servers.
inline constexpr Option once_url = before_tool(url_option);
inline constexpr Option once_stdio = before_tool(stdio_option);
inline constexpr Option once_env = before_tool(env_option);
inline constexpr Option once_header = before_tool(header_option);
inline constexpr Option exact_tool = before_tool(
    valued(OptionId::tool,
           "--tool",
           "NAME",
           "The tool of this name, as its server has it; every word is an argument then"));
inline constexpr Option once_save =
    before_tool(valued(OptionId::save, "--save", "NAME", "Add that server under this name"));
inline constexpr Option project_file =
    flag(OptionId::project, "--project", "For this project only");
inline constexpr Option global_file = flag(OptionId::global, "--global", "Change the user file");

}  // namespace pi_mcp::cli
