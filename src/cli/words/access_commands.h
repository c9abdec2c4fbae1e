// The commands that say who may do what: trust, secrets and tokens; for command_table.cc alone.
#pragma once

#include "cli/words/command_table.h"
#include "cli/words/options.h"

namespace pi_mcp::cli {

inline constexpr Command trust_command = {
    .id = CommandId::trust,
    .group = Group::configure,
    .name = "trust",
    .words = "[SERVER...]",
    .summary = "Trust this project's servers, or withdraw that trust",
    .text =
        "Files of a project (.mcp.json, .pi/mcp.json and those of other hosts) do nothing\n"
        "until you have allowed it, for their folder and for what they say now: an entry\n"
        "that changes is asked about again. A trusted server runs with your rights.\n"
        "Without SERVER the folder itself is trusted too: programs that your own servers\n"
        "start may then read its files (.npmrc, node_modules, ...).",
    .options = {flag(OptionId::yes, "--yes", "Do not ask"),
                flag(OptionId::list, "--list", "Show what is trusted and allowed, in every folder"),
                flag(OptionId::revoke,
                     "--revoke",
                     "Withdraw what this folder, or SERVER, is trusted with"),
                valued(OptionId::for_token,
                       "--for",
                       "TOKEN_NAME",
                       "What this token has allowed over HTTP, not you (--list, --revoke)",
                       Completion::token)},
    .examples = {{"pi-mcp trust", "what this project's files want, then a question"},
                 {"pi-mcp trust db --yes", "one server, without the question"},
                 {"pi-mcp trust --list", "what was trusted and allowed so far"},
                 {"pi-mcp trust --revoke", "trust nothing of this folder any more"},
                 {"pi-mcp trust --revoke github --for bob", "ask who has bob's token again"}},
    .words_max = words_unlimited,
    .first_word = Completion::server,
    .other_words = Completion::server};

inline constexpr Command secret_command = {
    .id = CommandId::secret,
    .group = Group::configure,
    .name = "secret",
    .words = "set NAME | list | rm NAME",
    .summary = "Store tokens under a name, for ${keyring:NAME}",
    .text =
        "An entry takes a stored secret with ${keyring:NAME} wherever it may have a\n"
        "variable; servers get it when they start. `set` asks for the value, or reads it\n"
        "from stdin; it is never an argument. It is in the desktop's keyring, with --file\n"
        "in mcp-secrets.json. `list` shows names and who uses them, never values.",
    .options = {flag(OptionId::file,
                     "--file",
                     "set: store it in a file readable by you alone, not in the keyring")},
    .examples = {{"pi-mcp secret set GITHUB", "type it; it is not shown"},
                 {"gh auth token | pi-mcp secret set GITHUB", "from another program"},
                 {"pi-mcp secret list", "where each is, who uses it, and which are missing"}},
    .words_min = 1,
    .words_max = words_unlimited,
    .first_word = Completion::secret_action,
    .other_words = Completion::secret};

inline constexpr Command token_command = {
    .id = CommandId::token,
    .group = Group::serve,
    .name = "token",
    .words = "add NAME | list | remove NAME",
    .summary = "Let agents in over HTTP, each by a token of its own",
    .text =
        "`add` prints a new token, once: only a digest of it is kept, in\n"
        "mcp-http-tokens.json. `pi-mcp serve --http` lets in who sends it as\n"
        "\"Authorization: Bearer TOKEN\", to what it was made for: for that agent there is\n"
        "nothing else. `remove` takes effect at once, in servers that run too, and ends\n"
        "the logins that the token has (pi-mcp auth SERVER --for NAME).",
    .options = {valued(OptionId::servers,
                       "--servers",
                       "A,B",
                       "add: these servers alone (default: all of your own)",
                       Completion::server),
                valued(OptionId::tools,
                       "--tools",
                       "PATTERN,...",
                       "add: these tools alone; * and ? stand for others"),
                valued(OptionId::expires,
                       "--expires",
                       "TIME",
                       "add: 12h, 30d, 8w, 1y, a day (2027-01-31) or never (default: 90d)"),
                valued(OptionId::rate,
                       "--rate",
                       "N",
                       "add: so many requests a second, or 600/m (default: settings.http.rate)"),
                flag(OptionId::metrics,
                     "--metrics",
                     "add: to read /metrics, which other tokens cannot, and for nothing else"),
                replicas_store_option,
                replicas_key_option},
    .examples = {{"pi-mcp token add bob --tools 'get_*,list_*,search_*'", "to look, not to touch"},
                 {"TOKEN=$(pi-mcp token add ci --servers github --expires 30d)", "for a script"},
                 {"pi-mcp token list", "whom there are tokens for, and until when"},
                 {"pi-mcp token remove ci", "it is good for nothing from now on"}},
    .words_min = 1,
    .words_max = 2,
    .first_word = Completion::token_action,
    .other_words = Completion::token};

}  // namespace pi_mcp::cli
