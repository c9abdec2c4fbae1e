// The commands that change or show the configuration. Internal to command_table.cc.
#pragma once

#include <array>
#include <string_view>

#include "cli/words/command_parts.h"
#include "cli/words/command_table.h"

namespace pi_mcp::cli {

constexpr Option project_file = flag(OptionId::project, "--project", "For this project only");
constexpr Option global_file = flag(OptionId::global, "--global", "Change the user file");

constexpr std::array config_options = {
    flag(OptionId::keys, "--keys", "Explain every key that a file may have, or those named KEY"),
};
constexpr std::array config_examples = {
    Example("pi-mcp config", "every server, and the file each field came from"),
    Example("pi-mcp config github", "one server"),
    Example("pi-mcp config --keys idleTimeout", "what a key means, and who may set it"),
};

constexpr std::array import_options = {
    flag(OptionId::all, "--all", "Every kind that is found on this machine"),
};
constexpr std::array import_examples = {
    Example("pi-mcp import", "what is found on this machine"),
    Example("pi-mcp import cursor claude-code", "use the servers of these two"),
    Example("pi-mcp import --all", "use everything that is found"),
};

constexpr std::array add_options = {
    repeatable(lettered(
        'e', valued(OptionId::env, "--env", "NAME=VALUE", "Environment variable of the server"))),
    repeatable(
        valued(OptionId::header, "--header", "NAME:VALUE", "HTTP header of a server with a URL")),
    valued(OptionId::server_cwd,
           "--cwd",
           "DIR",
           "Working directory of the server",
           Completion::directory),
    project_file,
    global_file,
};
constexpr std::array add_examples = {
    Example("pi-mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
            "a program to start"),
    Example("pi-mcp add github -e GITHUB_TOKEN='${GITHUB_TOKEN}' -- github-mcp-server stdio",
            "with a variable that is read at start"),
    Example("pi-mcp add docs https://example.com/mcp --project", "a URL, for this project only"),
};

constexpr std::array change_options = {project_file, global_file};
constexpr std::array remove_examples = {
    Example("pi-mcp remove docs", "from the file that defines it"),
};
constexpr std::array enable_examples = {
    Example("pi-mcp enable docs", "use it again"),
};
constexpr std::array disable_examples = {
    Example("pi-mcp disable docs", "keep its entry, do not use it"),
};

constexpr std::array trust_options = {
    flag(OptionId::yes, "--yes", "Do not ask"),
    flag(OptionId::list, "--list", "Show what is trusted and allowed, in every folder"),
    flag(OptionId::revoke, "--revoke", "Withdraw what this folder, or SERVER, is trusted with"),
};
constexpr std::array trust_examples = {
    Example("pi-mcp trust", "what this project's files want, then a question"),
    Example("pi-mcp trust db --yes", "one server, without the question"),
    Example("pi-mcp trust --list", "what was trusted and allowed so far"),
    Example("pi-mcp trust --revoke", "trust nothing of this folder any more"),
};

constexpr std::string_view config_help =
    "Shows the configuration in effect after all files were read, the file that each\n"
    "field came from, and what is wrong with them. Secrets are masked.";

constexpr std::string_view import_text =
    "Adds kinds to `imports` of the user file, so that the servers of other programs\n"
    "are used from their own files. Without a kind, shows what is found.";

constexpr std::string_view add_text =
    "Writes the server to the user file, or with --project to .pi/mcp.json of the\n"
    "project. Everything after -- is the command. Comments in the file are kept.";

constexpr std::string_view remove_text = "Removes its entry from the file that defines it.";

constexpr std::string_view enable_text = "Sets `disabled` of its entry to false.";

constexpr std::string_view disable_text =
    "The server stays configured and listed; nothing uses it.";

constexpr std::string_view trust_text =
    "Files of a project (.mcp.json, .pi/mcp.json and those of other hosts) do nothing\n"
    "until you have allowed it, for their folder and for what they say now: an entry\n"
    "that changes is asked about again. A trusted server runs with your rights.\n"
    "Without SERVER the folder itself is trusted too: programs that your own servers\n"
    "start may then read its files (.npmrc, node_modules, ...).";

constexpr std::array configure_commands = {
    Command{.id = CommandId::config,
            .group = Group::configure,
            .name = "config",
            .words = "[SERVER | --keys [KEY...]]",
            .summary = "Show the configuration and where it comes from",
            .text = config_help,
            .options = config_options,
            .examples = config_examples,
            .words_max = words_unlimited,
            .first_word = Completion::server_or_key,
            .other_words = Completion::server_or_key},
    Command{.id = CommandId::add,
            .group = Group::configure,
            .name = "add",
            .words = "NAME (URL | -- COMMAND [ARGUMENT...])",
            .summary = "Add a server",
            .text = add_text,
            .options = add_options,
            .examples = add_examples,
            .words_min = 1,
            .words_max = words_unlimited},
    Command{.id = CommandId::remove,
            .group = Group::configure,
            .name = "remove",
            .words = "SERVER",
            .summary = "Remove a server",
            .text = remove_text,
            .options = change_options,
            .examples = remove_examples,
            .words_min = 1,
            .words_max = 1,
            .first_word = Completion::server},
    Command{.id = CommandId::enable,
            .group = Group::configure,
            .name = "enable",
            .words = "SERVER",
            .summary = "Use a disabled server again",
            .text = enable_text,
            .options = change_options,
            .examples = enable_examples,
            .words_min = 1,
            .words_max = 1,
            .first_word = Completion::server},
    Command{.id = CommandId::disable,
            .group = Group::configure,
            .name = "disable",
            .words = "SERVER",
            .summary = "Keep a server configured but do not use it",
            .text = disable_text,
            .options = change_options,
            .examples = disable_examples,
            .words_min = 1,
            .words_max = 1,
            .first_word = Completion::server},
    Command{.id = CommandId::trust,
            .group = Group::configure,
            .name = "trust",
            .words = "[SERVER...]",
            .summary = "Trust this project's servers, or withdraw that trust",
            .text = trust_text,
            .options = trust_options,
            .examples = trust_examples,
            .words_max = words_unlimited,
            .first_word = Completion::server,
            .other_words = Completion::server},
    Command{.id = CommandId::import,
            .group = Group::configure,
            .name = "import",
            .words = "[KIND...]",
            .summary = "Use the servers of Cursor, Claude Code and others",
            .text = import_text,
            .options = import_options,
            .examples = import_examples,
            .words_max = words_unlimited,
            .first_word = Completion::import_kind,
            .other_words = Completion::import_kind},
};

}  // namespace pi_mcp::cli
