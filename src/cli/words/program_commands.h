// The commands for those who write programs that use servers; for command_table.cc alone.
#pragma once

#include "cli/words/command_table.h"
#include "cli/words/options.h"

namespace pi_mcp::cli {

inline constexpr Command emit_ts_command = {
    .id = CommandId::emit_ts,
    .group = Group::program,
    .name = "emit-ts",
    .words = "SERVER...",
    .summary = "Print TypeScript types and a client of a server's tools",
    .text =
        "The types are those of the tools' schemas and results. The client needs nothing\n"
        "but pi-mcp, which it runs for each call, and compiles in strict mode.\n"
        "Starts a server only when the cache does not know it; `pi-mcp connect SERVER`\n"
        "learns its tools anew.",
    .options = {lettered('o',
                         valued(OptionId::output,
                                "--out",
                                "FILE",
                                "Write FILE instead of stdout",
                                Completion::file)),
                flag(OptionId::types, "--types", "Types alone, without the client")},
    .examples = {{"pi-mcp emit-ts github --out github.ts", "then: createGithubClient()"},
                 {"pi-mcp emit-ts github linear --types -o tools.d.ts", "types of two servers"}},
    .words_min = 1,
    .words_max = words_unlimited,
    .first_word = Completion::server,
    .other_words = Completion::server};

inline constexpr Command emit_cli_command = {
    .id = CommandId::emit_cli,
    .group = Group::program,
    .name = "emit-cli",
    .words = "SERVER | --stdio COMMAND | --url URL",
    .summary = "Print a program with a command for each tool of a server",
    .text =
        "A POSIX shell script that runs `pi-mcp call`; its --help, and that of each of\n"
        "its commands, is what the tools say of themselves now and needs no server.\n"
        "Arguments and options are those of `call`, --json among them.\n"
        "With --stdio or --url it brings the server along, and needs no configuration.\n"
        "What --env and --header give stands in it as it is written: ${NAME} is better\n"
        "there than a secret.\n"
        "Starts a server only when the cache does not know it.",
    .options = {lettered('o',
                         valued(OptionId::output,
                                "--out",
                                "FILE",
                                "Write FILE, to be run, instead of stdout",
                                Completion::file)),
                repeatable(valued(OptionId::tool,
                                  "--tool",
                                  "NAME",
                                  "Only this tool; may be given again, * and ? stand for others")),
                once_url,
                once_stdio,
                once_env,
                once_header},
    .examples = {{"pi-mcp emit-cli github -o ~/bin/github", "then: github list_issues repo=a/b"},
                 {"pi-mcp emit-cli github --tool '*_issue' -o issues", "some of its tools"},
                 {"pi-mcp emit-cli --stdio 'uvx mcp-server-time' -o mcp-time",
                  "for a machine where it is not configured"}},
    .words_max = 1,
    .first_word = Completion::server};

inline constexpr Command record_command = {
    .id = CommandId::record,
    .group = Group::program,
    .name = "record",
    .words = "FILE [SERVER | URL | -- COMMAND [ARGUMENT...]]",
    .summary = "Be an MCP server, and record what it and its host say",
    .text =
        "With a server it is that one, every message passed on as it is; without one it\n"
        "is what `pi-mcp serve` is, with its options. FILE gets a line of JSON for each\n"
        "message, readable by you alone, without what is or looks like a secret. Where\n"
        "it has content already, FILE-2 gets them, or the next number that is free.\n"
        "`pi-mcp replay FILE` then answers the same host without any server.",
    .options = {url_option,
                stdio_option,
                env_option,
                header_option,
                host_option,
                host_trusts_option,
                servers_option,
                split_option},
    .examples = {{"pi-mcp record github.jsonl github", "a configured server"},
                 {"pi-mcp record time.jsonl -- uvx mcp-server-time", "any program"},
                 {"pi-mcp record all.jsonl --servers github,jira", "pi-mcp serve itself"}},
    .words_min = 1,
    .words_max = words_unlimited,
    .first_word = Completion::file,
    .other_words = Completion::server};

inline constexpr Command replay_command = {
    .id = CommandId::replay,
    .group = Group::program,
    .name = "replay",
    .words = "FILE",
    .summary = "Be the MCP server that was recorded, without it",
    .text =
        "Answers each request as it was answered then. One that was not recorded, or a\n"
        "call of a tool more often than then, is refused with the nearest one that was,\n"
        "and the exit status is 1.",
    .options = {flag(
        OptionId::all, "--all", "Status 1 also when something recorded was not asked")},
    .examples = {{"pi-mcp replay github.jsonl", "as the server of an agent that is tested"}},
    .words_min = 1,
    .words_max = 1,
    .first_word = Completion::file};

}  // namespace pi_mcp::cli
