// The commands by which tools are found; for command_table.cc alone.
#pragma once

#include "cli/words/command_table.h"
#include "cli/words/options.h"

namespace pi_mcp::cli {

inline constexpr Command search_command = {
    .id = CommandId::search,
    .group = Group::use,
    .name = "search",
    .words = "WORDS...",
    .summary = "Find tools by what they do",
    .text =
        "Ranks tools by name, description and keywords, as the cache has them. A server\n"
        "that it knows is not started. When nothing is found, those of which nothing is\n"
        "known are started once, and searched as well.",
    .options = {flag(OptionId::regex, "--regex", "The words are a regular expression (RE2 syntax)"),
                server_filter,
                valued(OptionId::limit, "--limit", "N", "Show at most N tools (default 12)"),
                offset_option,
                flag(OptionId::no_schemas, "--no-schemas", "Leave the parameters out"),
                flag(OptionId::explain,
                     "--explain",
                     "Show below each tool why it ranks where it does"),
                once_url,
                once_stdio,
                once_env,
                once_header,
                once_save},
    .examples = {{"pi-mcp search take screenshot", "best matches first"},
                 {"pi-mcp search --regex '^github_.*issue'", "names and descriptions that match"},
                 {"pi-mcp search file --server filesystem --limit 3", "one server, three tools"}},
    .words_min = 1,
    .words_max = words_unlimited};

inline constexpr Command keywords_command = {
    .id = CommandId::keywords,
    .group = Group::use,
    .name = "keywords",
    .words = "[SERVER]",
    .summary = "Have a model write words by which search finds tools",
    .text =
        "For tools whose name, title and description have few words, once for each tool.\n"
        "Without an option, shows how many there are. Any model can be asked: what stands\n"
        "around the JSON of its answer does not matter. With --json, --write gives\n"
        "a line of JSON for each request, of 40 tools at most. Starts nothing.",
    .options = {valued(OptionId::write,
                       "--write",
                       "FILE",
                       "Write what to ask a model (- is stdout)",
                       Completion::file),
                valued(OptionId::read,
                       "--read",
                       "FILE",
                       "Keep the words of its answer (- is stdin)",
                       Completion::file)},
    .examples = {{"pi-mcp keywords", "how many tools have few words, and how many keywords"},
                 {"pi-mcp keywords --write - | llm | pi-mcp keywords --read -",
                  "with any program that asks a model"}},
    .words_max = 1,
    .first_word = Completion::server};

}  // namespace pi_mcp::cli
