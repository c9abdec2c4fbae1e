#include "cli/words/command_table.h"

#include <array>

namespace pi_mcp::cli {
namespace {

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
constexpr Option output_option =
    lettered('o',
             valued(OptionId::output,
                    "--output",
                    "FILE",
                    "Write the first image, audio or file of the result, else its text, to FILE "
                    "(- is stdout)",
                    Completion::file));
constexpr Option project_file = flag(OptionId::project, "--project", "For this project only");
constexpr Option global_file = flag(OptionId::global, "--global", "Change the user file");

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

// In the order of help; what is hidden comes last.
constexpr Command command_table[] = {
    {.id = CommandId::status,
     .group = Group::use,
     .name = "status",
     .summary = "Show every server and what is known of it",
     .text = "Starts nothing: what is known of a server comes from the cache, and from the\n"
             "pi-mcp processes of this user that run it. On a terminal with process, memory of\n"
             "all its processes, time since it was started and what went wrong last.",
     .examples = {{"pi-mcp status", "every server, also those that agents run"},
                  {"pi-mcp status --json | jq '.servers[].name'", "the same for a program"}}},
    {.id = CommandId::list,
     .group = Group::use,
     .name = "list",
     .words = "[SERVER]",
     .summary = "List the tools of one server or of all",
     .text = "Starts nothing: tools come from the cache. `pi-mcp connect SERVER` fills it.",
     .options = {valued(OptionId::limit,
                        "--limit",
                        "N",
                        "Show at most N tools of a server (default: all)"),
                 valued(OptionId::offset,
                        "--offset",
                        "N",
                        "Skip the first N tools, with --instructions the first N bytes"),
                 flag(OptionId::instructions,
                      "--instructions",
                      "Show what the server says about its own use")},
     .examples = {{"pi-mcp list", "the tools of every server"},
                  {"pi-mcp list github", "the tools of one server"}},
     .words_max = 1,
     .first_word = Completion::server},
    {.id = CommandId::search,
     .group = Group::use,
     .name = "search",
     .words = "WORDS...",
     .summary = "Find tools by what they do",
     .text = "Ranks tools by name, description and keywords. Starts nothing.",
     .options =
         {flag(OptionId::regex, "--regex", "The words are a regular expression (RE2 syntax)"),
          server_filter,
          valued(OptionId::limit, "--limit", "N", "Show at most N tools (default 12)"),
          offset_option,
          flag(OptionId::no_schemas, "--no-schemas", "Leave the parameters out"),
          flag(OptionId::explain, "--explain", "Show below each tool why it ranks where it does")},
     .examples = {{"pi-mcp search take screenshot", "best matches first"},
                  {"pi-mcp search --regex '^github_.*issue'", "names and descriptions that match"},
                  {"pi-mcp search file --server filesystem --limit 3", "one server, three tools"}},
     .words_min = 1,
     .words_max = words_unlimited},
    {.id = CommandId::describe,
     .group = Group::use,
     .name = "describe",
     .words = "TOOL",
     .summary = "Show one tool and its parameters",
     .text = "TOOL is the name that list and search show, or the server's own name for it.",
     .options = {server_filter,
                 valued(OptionId::offset,
                        "--offset",
                        "N",
                        "Skip the first N bytes of a text that was cut")},
     .examples = {{"pi-mcp describe github_create_issue", "what it does and what it takes"}},
     .words_min = 1,
     .words_max = 1,
     .first_word = Completion::tool},
    {.id = CommandId::read,
     .group = Group::use,
     .name = "read",
     .words = "URI",
     .summary = "Read a resource of a server",
     .text = "URI is one that a server lists or has a template for; with --server it is any\n"
             "that the server may have. Starts the server when it is needed and stops it\n"
             "afterwards.",
     .options = {server_filter, output_option},
     .examples = {{"pi-mcp read demo://resource/static/document/features.md", "its text"},
                  {"pi-mcp read docs://logo.png --server docs -o logo.png", "save a file"}},
     .words_min = 1,
     .words_max = 1},
    {.id = CommandId::call,
     .group = Group::use,
     .name = "call",
     .words = "TOOL [key=value... | key:=JSON... | JSON | -]",
     .summary = "Call a tool",
     .text = "Starts the server when it is needed and stops it afterwards.\n"
             "\n"
             "Arguments are one of:\n"
             "  key=value     typed by the tool's schema: numbers, true and false are\n"
             "                converted, an array takes JSON or one key=value an element\n"
             "  key:=JSON     any JSON value\n"
             "  '{\"key\": 1}'  all arguments as one JSON object\n"
             "  -             the JSON object is read from stdin\n"
             "\n"
             "Text of the result goes to stdout as it is; --json prints the whole MCP result.",
     .options = {server_filter, output_option},
     .examples = {{"pi-mcp call filesystem_read_file path=README.md", "text as it is"},
                  {"pi-mcp call github_search query='is:open' perPage=5",
                   "numbers by the tool's schema"},
                  {"pi-mcp call db_query params:='[1, \"two\"]'", "key:=JSON"},
                  {"pi-mcp call db_query '{\"sql\": \"select 1\"}'",
                   "all arguments as one JSON object"},
                  {"jq -n '{sql: \"select 1\"}' | pi-mcp call db_query -", "the object from stdin"},
                  {"pi-mcp call browser_screenshot -o page.png", "save the picture"}},
     .words_min = 1,
     .words_max = words_unlimited,
     .first_word = Completion::tool,
     .other_words = Completion::tool_argument},
    {.id = CommandId::connect,
     .group = Group::use,
     .name = "connect",
     .words = "SERVER... | --all",
     .summary = "Start servers and learn their tools",
     .text = "Starts each server, refreshes what the cache knows of it, prints its tools and\n"
             "stops it again.",
     .options = {flag(OptionId::all, "--all", "Every server that is not disabled")},
     .examples = {{"pi-mcp connect github", "start it and learn its tools"},
                  {"pi-mcp connect --all", "learn the tools of every server"}},
     .words_max = words_unlimited,
     .first_word = Completion::server,
     .other_words = Completion::server},
    {.id = CommandId::auth,
     .group = Group::use,
     .name = "auth",
     .words = "SERVER",
     .summary = "Log in to a server",
     .text = "For servers with a url that want OAuth. Opens a browser, or prints the address\n"
             "to open; over SSH, paste the address of the last page back. Tokens are kept in\n"
             "the desktop's keyring where there is one, else in files readable by you alone.",
     .examples = {{"pi-mcp auth linear", "log in to the server"}},
     .words_min = 1,
     .words_max = 1,
     .first_word = Completion::server},
    {.id = CommandId::logout,
     .group = Group::use,
     .name = "logout",
     .words = "SERVER",
     .summary = "Log out of a server and remove its tokens",
     .text = "Tells the authorization server that the tokens are no longer used, and removes\n"
             "them from this machine.",
     .examples = {{"pi-mcp logout linear", "forget its tokens"}},
     .words_min = 1,
     .words_max = 1,
     .first_word = Completion::server},
    {.id = CommandId::logs,
     .group = Group::use,
     .name = "logs",
     .words = "SERVER",
     .summary = "Show what a server wrote to its stderr last",
     .text = "Shows the last 32 KB that the server wrote to its stderr, in any pi-mcp that\n"
             "runs it; when none does, those of its last run. Secrets are masked.",
     .examples = {{"pi-mcp logs github", "what it wrote last"},
                  {"pi-mcp logs github --json | jq -r '.lastRun.error'", "why it ended"}},
     .words_min = 1,
     .words_max = 1,
     .first_word = Completion::server},
    {.id = CommandId::serve,
     .group = Group::serve,
     .name = "serve",
     .summary = "Serve an agent: speak MCP on stdin and stdout",
     .text = "Speaks MCP on stdin and stdout: one tool, `mcp`, in front of all servers.\n"
             "Agents start it; it ends, with every server, when its stdin is closed.",
     .options =
         {valued(OptionId::host,
                 "--host",
                 "KIND",
                 "mcp (default): any MCP host; pi: reduce results to what Pi shows",
                 Completion::host),
          valued(OptionId::host_trusts,
                 "--host-trusts",
                 "yes|no",
                 "Whether the host's user trusts this folder; no: nothing of the project is used",
                 Completion::yes_or_no),
          valued(OptionId::servers,
                 "--servers",
                 "A,B",
                 "Only these servers; a host may have an entry for each such choice",
                 Completion::server),
          flag(OptionId::split,
               "--split",
               "Offer mcp, which only reads, and mcp_write for the rest")},
     .examples = {{"pi-mcp serve", "speak MCP on stdin and stdout"},
                  {"claude mcp add pi-mcp -- pi-mcp serve", "let Claude Code start it"}}},
    {.id = CommandId::config,
     .group = Group::configure,
     .name = "config",
     .words = "[SERVER | --keys [KEY...]]",
     .summary = "Show the configuration and where it comes from",
     .text = "Shows the configuration in effect after all files were read, the file that each\n"
             "field came from, and what is wrong with them. Secrets are masked.",
     .options = {flag(
         OptionId::keys, "--keys", "Explain every key that a file may have, or those named KEY")},
     .examples = {{"pi-mcp config", "every server, and the file each field came from"},
                  {"pi-mcp config github", "one server"},
                  {"pi-mcp config --keys idleTimeout", "what a key means, and who may set it"}},
     .words_max = words_unlimited,
     .first_word = Completion::server_or_key,
     .other_words = Completion::server_or_key},
    {.id = CommandId::doctor,
     .group = Group::configure,
     .name = "doctor",
     .words = "[SERVER...]",
     .summary = "Find out what is wrong, and how to mend it",
     .text = "Looks at the configuration files and at each server: its program, variables,\n"
             "folder, trust and login; then starts it, unless it needs trust or a login first.\n"
             "Each finding has a code, a sentence and a command that mends it. Ends with\n"
             "status 1 when there is something to mend, else with 0.",
     .options = {flag(OptionId::offline, "--offline", "Start no server"),
                 flag(OptionId::fix,
                      "--fix",
                      "First mend what is safe to mend in your own files, and say so")},
     .examples = {{"pi-mcp doctor", "everything"},
                  {"pi-mcp doctor github --offline", "one server, without starting it"},
                  {"pi-mcp doctor --fix", "mend what is safe to mend, then look"},
                  {"pi-mcp doctor --json | jq -r '.findings[].code'", "for a script"}},
     .words_max = words_unlimited,
     .first_word = Completion::server,
     .other_words = Completion::server},
    {.id = CommandId::add,
     .group = Group::configure,
     .name = "add",
     .words = "NAME (URL | -- COMMAND [ARGUMENT...])",
     .summary = "Add a server",
     .text = "Writes the server to the user file, or with --project to .pi/mcp.json of the\n"
             "project. Everything after -- is the command. Comments in the file are kept.",
     .options =
         {repeatable(lettered(
              'e',
              valued(OptionId::env, "--env", "NAME=VALUE", "Environment variable of the server"))),
          repeatable(valued(
              OptionId::header, "--header", "NAME:VALUE", "HTTP header of a server with a URL")),
          valued(OptionId::server_cwd,
                 "--cwd",
                 "DIR",
                 "Working directory of the server",
                 Completion::directory),
          project_file,
          global_file},
     .examples = {{"pi-mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
                   "a program to start"},
                  {"pi-mcp add github -e GITHUB_TOKEN='${GITHUB_TOKEN}' -- github-mcp-server stdio",
                   "with a variable that is read at start"},
                  {"pi-mcp add docs https://example.com/mcp --project",
                   "a URL, for this project only"}},
     .words_min = 1,
     .words_max = words_unlimited},
    {.id = CommandId::remove,
     .group = Group::configure,
     .name = "remove",
     .words = "SERVER",
     .summary = "Remove a server",
     .text = "Removes its entry from the file that defines it.",
     .options = {project_file, global_file},
     .examples = {{"pi-mcp remove docs", "from the file that defines it"}},
     .words_min = 1,
     .words_max = 1,
     .first_word = Completion::server},
    {.id = CommandId::enable,
     .group = Group::configure,
     .name = "enable",
     .words = "SERVER",
     .summary = "Use a disabled server again",
     .text = "Sets `disabled` of its entry to false.",
     .options = {project_file, global_file},
     .examples = {{"pi-mcp enable docs", "use it again"}},
     .words_min = 1,
     .words_max = 1,
     .first_word = Completion::server},
    {.id = CommandId::disable,
     .group = Group::configure,
     .name = "disable",
     .words = "SERVER",
     .summary = "Keep a server configured but do not use it",
     .text = "The server stays configured and listed; nothing uses it.",
     .options = {project_file, global_file},
     .examples = {{"pi-mcp disable docs", "keep its entry, do not use it"}},
     .words_min = 1,
     .words_max = 1,
     .first_word = Completion::server},
    {.id = CommandId::trust,
     .group = Group::configure,
     .name = "trust",
     .words = "[SERVER...]",
     .summary = "Trust this project's servers, or withdraw that trust",
     .text = "Files of a project (.mcp.json, .pi/mcp.json and those of other hosts) do nothing\n"
             "until you have allowed it, for their folder and for what they say now: an entry\n"
             "that changes is asked about again. A trusted server runs with your rights.\n"
             "Without SERVER the folder itself is trusted too: programs that your own servers\n"
             "start may then read its files (.npmrc, node_modules, ...).",
     .options = {flag(OptionId::yes, "--yes", "Do not ask"),
                 flag(
                     OptionId::list, "--list", "Show what is trusted and allowed, in every folder"),
                 flag(OptionId::revoke,
                      "--revoke",
                      "Withdraw what this folder, or SERVER, is trusted with")},
     .examples = {{"pi-mcp trust", "what this project's files want, then a question"},
                  {"pi-mcp trust db --yes", "one server, without the question"},
                  {"pi-mcp trust --list", "what was trusted and allowed so far"},
                  {"pi-mcp trust --revoke", "trust nothing of this folder any more"}},
     .words_max = words_unlimited,
     .first_word = Completion::server,
     .other_words = Completion::server},
    {.id = CommandId::secret,
     .group = Group::configure,
     .name = "secret",
     .words = "set NAME | list | rm NAME",
     .summary = "Store tokens under a name, for ${keyring:NAME}",
     .text = "An entry takes a stored secret with ${keyring:NAME} wherever it may have a\n"
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
     .other_words = Completion::secret},
    {.id = CommandId::setup,
     .group = Group::configure,
     .name = "setup",
     .summary = "Put pi-mcp into Claude Code, Cursor and your other hosts",
     .text = "Shows which hosts are on this machine and what would change, then asks: servers\n"
             "of their user-wide files move into the user file of pi-mcp, and each host gets\n"
             "one entry, pi-mcp. Every file that changes is copied beside itself first.\n"
             "Servers of one project stay where they are.",
     .options = {flag(OptionId::dry_run, "--dry-run", "Show the plan, change nothing"),
                 repeatable(valued(OptionId::hosts,
                                   "--hosts",
                                   "A,B",
                                   "Only these hosts, such as cursor,codex",
                                   Completion::host_kind)),
                 flag(OptionId::yes, "--yes", "Do not ask"),
                 flag(OptionId::copy, "--copy", "Leave the hosts' own entries where they are"),
                 flag(OptionId::undo,
                      "--undo",
                      "Take back what setup did; what was changed since stays")},
     .examples = {{"pi-mcp setup", "show the plan, then a question"},
                  {"pi-mcp setup --hosts cursor --yes", "one host, without the question"},
                  {"pi-mcp setup --undo", "everything as it was before"}}},
    {.id = CommandId::import,
     .group = Group::configure,
     .name = "import",
     .words = "[KIND...]",
     .summary = "Use the servers of Cursor, Claude Code and others",
     .text = "Adds kinds to `imports` of the user file, so that the servers of other programs\n"
             "are used from their own files. Without a kind, shows what is found. Which files\n"
             "were looked for is shown for the kinds that are named.",
     .options = {flag(OptionId::all, "--all", "Every kind that is found on this machine"),
                 flag(OptionId::remove, "--remove", "Use the servers of KIND no more"),
                 flag(OptionId::dry_run, "--dry-run", "Show what would change, change nothing"),
                 flag(OptionId::verbose, "--verbose", "Every program and file that is known")},
     .examples = {{"pi-mcp import", "what is found on this machine"},
                  {"pi-mcp import cursor claude-code", "use the servers of these two"},
                  {"pi-mcp import --all", "use everything that is found"},
                  {"pi-mcp import --remove cursor", "use Cursor's servers no more"}},
     .words_max = words_unlimited,
     .first_word = Completion::import_kind,
     .other_words = Completion::import_kind},
    {.id = CommandId::completion,
     .group = Group::shell,
     .name = "completion",
     .words = "bash | zsh | fish",
     .summary = "Print a completion script for a shell",
     .text = "Completes commands, options, servers, tools and the arguments of tools.",
     .examples = {{"pi-mcp completion bash > ~/.local/share/bash-completion/completions/pi-mcp",
                   "bash"},
                  {"pi-mcp completion zsh > ~/.zfunc/_pi-mcp", "zsh, with ~/.zfunc in $fpath"},
                  {"pi-mcp completion fish > ~/.config/fish/completions/pi-mcp.fish", "fish"}},
     .words_min = 1,
     .words_max = 1,
     .first_word = Completion::shell},
    {.id = CommandId::help,
     .group = Group::shell,
     .name = "help",
     .words = "[COMMAND]",
     .summary = "Show help for pi-mcp or for a command",
     .examples = {{"pi-mcp help call", "the same as pi-mcp call --help"}},
     .words_max = 1,
     .first_word = Completion::command},
    hidden(CommandId::complete, "__complete", "WORDS..."),
    hidden(CommandId::keyring, "__keyring", "find | keep | drop NAME"),
};

}  // namespace

std::span<const Command> commands() {
  return command_table;
}

std::span<const Option> global_options() {
  return global_table;
}

}  // namespace pi_mcp::cli
