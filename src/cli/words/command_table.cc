#include "cli/words/command_table.h"

#include <algorithm>
#include <array>

#include "cli/words/command_parts.h"
#include "cli/words/configure_commands.h"

namespace pi_mcp::cli {
namespace {

constexpr std::array global_table = {
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

constexpr Option server_filter =
    valued(OptionId::server, "--server", "SERVER", "Only this server", Completion::server);
constexpr Option offset_option =
    valued(OptionId::offset, "--offset", "N", "Skip the first N tools");
constexpr std::array serve_options = {
    valued(OptionId::host,
           "--host",
           "KIND",
           "mcp (default): any MCP host; pi: reduce results to what Pi shows",
           Completion::host),
    valued(OptionId::host_trusts,
           "--host-trusts",
           "yes|no",
           "Whether the host's user trusts this folder; no: nothing of the project is used",
           Completion::yes_or_no),
    flag(OptionId::split, "--split", "Offer mcp, which only reads, and mcp_write for the rest"),
};
constexpr std::array serve_examples = {
    Example("pi-mcp serve", "speak MCP on stdin and stdout"),
    Example("claude mcp add pi-mcp -- pi-mcp serve", "let Claude Code start it"),
};

constexpr std::array status_examples = {
    Example("pi-mcp status", "every server, also those that agents run"),
    Example("pi-mcp status --json | jq '.servers[].name'", "the same for a program"),
};

constexpr std::array list_options = {
    valued(OptionId::limit, "--limit", "N", "Show at most N tools of a server (default: all)"),
    valued(OptionId::offset,
           "--offset",
           "N",
           "Skip the first N tools, with --instructions the first N bytes"),
    flag(OptionId::instructions, "--instructions", "Show what the server says about its own use"),
};
constexpr std::array list_examples = {
    Example("pi-mcp list", "the tools of every server"),
    Example("pi-mcp list github", "the tools of one server"),
};

constexpr std::array search_options = {
    flag(OptionId::regex, "--regex", "The words are a regular expression (RE2 syntax)"),
    server_filter,
    valued(OptionId::limit, "--limit", "N", "Show at most N tools (default 12)"),
    offset_option,
    flag(OptionId::no_schemas, "--no-schemas", "Leave the parameters out"),
    flag(OptionId::explain, "--explain", "Show below each tool why it ranks where it does"),
};
constexpr std::array search_examples = {
    Example("pi-mcp search take screenshot", "best matches first"),
    Example("pi-mcp search --regex '^github_.*issue'", "names and descriptions that match"),
    Example("pi-mcp search file --server filesystem --limit 3", "one server, three tools"),
};

constexpr std::array describe_options = {
    server_filter,
    valued(OptionId::offset, "--offset", "N", "Skip the first N bytes of a text that was cut"),
};
constexpr std::array describe_examples = {
    Example("pi-mcp describe github_create_issue", "what it does and what it takes"),
};

constexpr std::array call_options = {
    server_filter,
    lettered('o',
             valued(OptionId::output,
                    "--output",
                    "FILE",
                    "Write the first image, audio or file of the result, else its text, to FILE (- "
                    "is stdout)",
                    Completion::file)),
};
constexpr std::array call_examples = {
    Example("pi-mcp call filesystem_read_file path=README.md", "text as it is"),
    Example("pi-mcp call github_search query='is:open' perPage=5", "numbers by the tool's schema"),
    Example("pi-mcp call db_query params:='[1, \"two\"]'", "key:=JSON"),
    Example("pi-mcp call db_query '{\"sql\": \"select 1\"}'", "all arguments as one JSON object"),
    Example("jq -n '{sql: \"select 1\"}' | pi-mcp call db_query -", "the object from stdin"),
    Example("pi-mcp call browser_screenshot -o page.png", "save the picture"),
};

constexpr std::array auth_examples = {Example("pi-mcp auth linear", "log in to the server")};
constexpr std::array logout_examples = {Example("pi-mcp logout linear", "forget its tokens")};

constexpr std::array connect_options = {
    flag(OptionId::all, "--all", "Every server that is not disabled"),
};
constexpr std::array connect_examples = {
    Example("pi-mcp connect github", "start it and learn its tools"),
    Example("pi-mcp connect --all", "learn the tools of every server"),
};

constexpr std::array logs_examples = {
    Example("pi-mcp logs github", "what it wrote last"),
    Example("pi-mcp logs github --json | jq -r '.lastRun.error'", "why it ended"),
};

constexpr std::array completion_examples = {
    Example("pi-mcp completion bash > ~/.local/share/bash-completion/completions/pi-mcp", "bash"),
    Example("pi-mcp completion zsh > ~/.zfunc/_pi-mcp", "zsh, with ~/.zfunc in $fpath"),
    Example("pi-mcp completion fish > ~/.config/fish/completions/pi-mcp.fish", "fish"),
};

constexpr std::array help_examples = {
    Example("pi-mcp help call", "the same as pi-mcp call --help"),
};

constexpr std::string_view serve_text =
    "Speaks MCP on stdin and stdout: one tool, `mcp`, in front of all servers.\n"
    "Agents start it; it ends, with every server, when its stdin is closed.";

constexpr std::string_view status_text =
    "Starts nothing: what is known of a server comes from the cache, and from the\n"
    "pi-mcp processes of this user that run it. On a terminal with process, memory of\n"
    "all its processes, time since it was started and what went wrong last.";

constexpr std::string_view list_text =
    "Starts nothing: tools come from the cache. `pi-mcp connect SERVER` fills it.";

constexpr std::string_view search_text =
    "Ranks tools by name, description and keywords. Starts nothing.";

constexpr std::string_view describe_text =
    "TOOL is the name that list and search show, or the server's own name for it.";

constexpr std::string_view call_text =
    "Starts the server when it is needed and stops it afterwards.\n"
    "\n"
    "Arguments are one of:\n"
    "  key=value     typed by the tool's schema: numbers, true and false are\n"
    "                converted, an array takes JSON or one key=value an element\n"
    "  key:=JSON     any JSON value\n"
    "  '{\"key\": 1}'  all arguments as one JSON object\n"
    "  -             the JSON object is read from stdin\n"
    "\n"
    "Text of the result goes to stdout as it is; --json prints the whole MCP result.";

constexpr std::string_view connect_text =
    "Starts each server, refreshes what the cache knows of it, prints its tools and\n"
    "stops it again.";

constexpr std::string_view auth_text =
    "For servers with a url that want OAuth. Opens a browser, or prints the address\n"
    "to open; over SSH, paste the address of the last page back. Tokens are kept in\n"
    "the desktop's keyring where there is one, else in files readable by you alone.";

constexpr std::string_view logout_text =
    "Tells the authorization server that the tokens are no longer used, and removes\n"
    "them from this machine.";

constexpr std::string_view logs_text =
    "Shows the last 32 KB that the server wrote to its stderr, in any pi-mcp that\n"
    "runs it; when none does, those of its last run. Secrets are masked.";

constexpr std::string_view completion_text =
    "Completes commands, options, servers, tools and the arguments of tools.";

constexpr Command hidden(CommandId id, std::string_view name, std::string_view words) {
  return {.id = id,
          .group = Group::hidden,
          .name = name,
          .words = words,
          .summary = "",
          .text = "",
          .options = {},
          .examples = {},
          .words_max = words_unlimited};
}

constexpr std::array other_commands = {
    Command{.id = CommandId::status,
            .group = Group::use,
            .name = "status",
            .words = "",
            .summary = "Show every server and what is known of it",
            .text = status_text,
            .options = {},
            .examples = status_examples},
    Command{.id = CommandId::list,
            .group = Group::use,
            .name = "list",
            .words = "[SERVER]",
            .summary = "List the tools of one server or of all",
            .text = list_text,
            .options = list_options,
            .examples = list_examples,
            .words_max = 1,
            .first_word = Completion::server},
    Command{.id = CommandId::search,
            .group = Group::use,
            .name = "search",
            .words = "WORDS...",
            .summary = "Find tools by what they do",
            .text = search_text,
            .options = search_options,
            .examples = search_examples,
            .words_min = 1,
            .words_max = words_unlimited},
    Command{.id = CommandId::describe,
            .group = Group::use,
            .name = "describe",
            .words = "TOOL",
            .summary = "Show one tool and its parameters",
            .text = describe_text,
            .options = describe_options,
            .examples = describe_examples,
            .words_min = 1,
            .words_max = 1,
            .first_word = Completion::tool},
    Command{.id = CommandId::call,
            .group = Group::use,
            .name = "call",
            .words = "TOOL [key=value... | key:=JSON... | JSON | -]",
            .summary = "Call a tool",
            .text = call_text,
            .options = call_options,
            .examples = call_examples,
            .words_min = 1,
            .words_max = words_unlimited,
            .first_word = Completion::tool,
            .other_words = Completion::tool_argument},
    Command{.id = CommandId::connect,
            .group = Group::use,
            .name = "connect",
            .words = "SERVER... | --all",
            .summary = "Start servers and learn their tools",
            .text = connect_text,
            .options = connect_options,
            .examples = connect_examples,
            .words_max = words_unlimited,
            .first_word = Completion::server,
            .other_words = Completion::server},
    Command{.id = CommandId::auth,
            .group = Group::use,
            .name = "auth",
            .words = "SERVER",
            .summary = "Log in to a server",
            .text = auth_text,
            .options = {},
            .examples = auth_examples,
            .words_min = 1,
            .words_max = 1,
            .first_word = Completion::server},
    Command{.id = CommandId::logout,
            .group = Group::use,
            .name = "logout",
            .words = "SERVER",
            .summary = "Log out of a server and remove its tokens",
            .text = logout_text,
            .options = {},
            .examples = logout_examples,
            .words_min = 1,
            .words_max = 1,
            .first_word = Completion::server},
    Command{.id = CommandId::logs,
            .group = Group::use,
            .name = "logs",
            .words = "SERVER",
            .summary = "Show what a server wrote to its stderr last",
            .text = logs_text,
            .options = {},
            .examples = logs_examples,
            .words_min = 1,
            .words_max = 1,
            .first_word = Completion::server},
    Command{.id = CommandId::serve,
            .group = Group::serve,
            .name = "serve",
            .words = "",
            .summary = "Serve an agent: speak MCP on stdin and stdout",
            .text = serve_text,
            .options = serve_options,
            .examples = serve_examples},
    Command{.id = CommandId::completion,
            .group = Group::shell,
            .name = "completion",
            .words = "bash | zsh | fish",
            .summary = "Print a completion script for a shell",
            .text = completion_text,
            .options = {},
            .examples = completion_examples,
            .words_min = 1,
            .words_max = 1,
            .first_word = Completion::shell},
    Command{.id = CommandId::help,
            .group = Group::shell,
            .name = "help",
            .words = "[COMMAND]",
            .summary = "Show help for pi-mcp or for a command",
            .text = "",
            .options = {},
            .examples = help_examples,
            .words_max = 1,
            .first_word = Completion::command},
    hidden(CommandId::complete, "__complete", "WORDS..."),
    hidden(CommandId::keyring, "__keyring", "find | keep | drop NAME"),
};

// All in the order of help; what is hidden comes last.
constexpr auto command_table = [] {
  std::array<Command, other_commands.size() + configure_commands.size()> all{};
  const auto shell = std::ranges::find(other_commands, Group::shell, &Command::group);
  auto out = std::copy(other_commands.begin(), shell, all.begin());
  out = std::ranges::copy(configure_commands, out).out;
  std::copy(shell, other_commands.end(), out);
  return all;
}();

}  // namespace

std::span<const Command> commands() {
  return command_table;
}

std::span<const Option> global_options() {
  return global_table;
}

}  // namespace pi_mcp::cli
