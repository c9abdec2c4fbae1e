// The keys of `settings`, which are for all servers.
#include <array>
#include <cstdint>

#include "config/keys.h"
#include "config/values.h"

namespace pi_mcp::config {
namespace {

using enum KeyScope;
using enum ValueType;

void read_tool_prefix(Settings& settings, json::Value value) {
  settings.tool_prefix = tool_prefix_of(value).value_or(settings.tool_prefix);
}

void read_idle_timeout(Settings& settings, json::Value value) {
  settings.idle_timeout_minutes = minutes_of(value).value_or(settings.idle_timeout_minutes);
}

void read_shared_linger(Settings& settings, json::Value value) {
  settings.shared_linger = seconds_of(value).value_or(settings.shared_linger);
}

void read_output_guard(Settings& settings, json::Value value) {
  OutputGuard& guard = settings.output_guard;
  const auto limit = [value](std::string_view key, std::size_t fallback) {
    const std::int64_t number = value.find(key).as_int().value_or(0);
    return number > 0 ? static_cast<std::size_t>(number) : fallback;
  };
  guard.enabled = value.bool_or(true);
  guard.bytes_max = limit("maxBytes", guard.bytes_max);
  guard.lines_max = limit("maxLines", guard.lines_max);
  guard.details_bytes_max = limit("detailsMaxBytes", guard.details_bytes_max);
  guard.search_tokens_max = limit("searchMaxTokens", guard.search_tokens_max);
}

void read_trace(Settings& settings, json::Value value) {
  TraceSettings& trace = settings.trace;
  const auto limit = [value](std::string_view key, std::size_t fallback) {
    const std::int64_t number = value.find(key).as_int().value_or(0);
    return number > 0 ? static_cast<std::size_t>(number) : fallback;
  };
  trace.enabled = value.is_object() ? value.find("enabled").bool_or(false) : is_true(value);
  trace.file = value.find("file").string_or("");
  trace.bytes_max = limit("maxBytes", trace.bytes_max);
  trace.events_max = limit("maxEvents", trace.events_max);
}

void read_credential_store(Settings& settings, json::Value value) {
  constexpr std::array<std::pair<std::string_view, CredentialStore>, 3> stores = {{
      {"auto", CredentialStore::automatic},
      {"file", CredentialStore::file},
      {"encrypted-file", CredentialStore::encrypted_file},
  }};
  settings.credential_store = choice_of(value, stores).value_or(settings.credential_store);
}

void read_footer(Settings& settings, json::Value value) {
  constexpr std::array<std::pair<std::string_view, FooterText>, 3> texts = {{
      {"full", FooterText::full},
      {"compact", FooterText::compact},
      {"off", FooterText::off},
  }};
  settings.footer = choice_of(value, texts).value_or(settings.footer);
}

void read_auth_message(Settings& settings, json::Value value) {
  settings.auth_required_message = value.string_or("");
}

void read_oauth_dir(Settings& settings, json::Value value) {
  settings.oauth_dir = value.string_or("");
}

void read_key_file(Settings& settings, json::Value value) {
  settings.oauth_key_file = value.string_or("");
}

constexpr std::array declared = {
    Key("toolPrefix", choice, read_tool_prefix)
        .says(
            R"(`server` | `"none"` | `server`: `files_read`. `short`: the same without a trailing )"
            "`mcp` of the server. `none`: `read`. `mcp`: `mcp__files_read`")
        .one_of("server|short|none|mcp")
        .use(),
    Key("idleTimeout", minutes, read_idle_timeout)
        .says("10 | `30` | for `lazy` servers without their own; 0 and less never")
        .use(),
    Key("requestTimeoutMs", milliseconds, into<&Settings::request_timeout, milliseconds_of>)
        .says("60,000 | `120000` | for servers without their own; 0 is the default"),
    Key("requestTotalTimeoutMs",
        milliseconds,
        into<&Settings::request_total_timeout, milliseconds_of>)
        .says("3,600,000 | `7200000` | the same"),
    Key("startupTimeoutMs", milliseconds, into<&Settings::startup_timeout, milliseconds_of>)
        .says("60,000 | `20000` | the same"),
    Key("installTimeoutMs", milliseconds, into<&Settings::install_timeout, milliseconds_of>)
        .says("600,000 | `1200000` | the same"),
    Key("outputGuard", flag_or_object, read_output_guard)
        .says(
            R"(`true` | `{"maxBytes": 40000, "maxLines": 2000, "detailsMaxBytes": 16384, )"
            R"("searchMaxTokens": 1500}` | longer text is cut and the whole of it kept in a file for )"
            "a day; `maxBytes` is 51,200 in Pi and 40,000 elsewhere unless it is given; "
            "an answer to search, list or describe has about `searchMaxTokens`, the rest is a "
            "page further on; false: nothing is cut")
        .project(ProjectMay::lower)
        .use(),
    Key(settings, "ancestorConfigRoots", text_list)
        .says(
            R"(none | `["~/work"]` | folders below the home directory under which files above the )"
            "project are read")
        .elsewhere(),
    Key("directTools", selection, into<&Settings::direct_tools, selection_of>)
        .says("`false` | `true` | for servers without their own")
        .one_of("search")
        .use(),
    Key("approveTools", selection, into<&Settings::approve_tools, selection_of>)
        .says(R"(`"marked"` where the host can ask | `"destructive"` | for servers without their )"
              "own; false: nothing is asked")
        .one_of("marked|destructive")
        .project(ProjectMay::add)
        .use(),
    Key("splitTool", flag, into<&Settings::split_tool, is_true>)
        .says("`false` | `true` | hosts see two tools: `mcp`, which only reads, and `mcp_write`. "
              "See [Two tools](#two-tools)")
        .project(ProjectMay::set_true)
        .use(),
    Key("shared", flag, into<&Settings::shared, is_true>)
        .says("`true` | `false` | all sessions of a user have one process, which starts a server "
              "once "
              "for all that may share it; false: each session has its own. See "
              "[One process](sharing.md)")
        .use(),
    Key(settings, "agentPluginPaths", text_list)
        .says(R"(none | `["~/plugins/acme"]` | folders of Agent plugins, whose servers are there )"
              "too. See [Plugins](#plugins)")
        .project(ProjectMay::add)
        .elsewhere(),
    Key("authRequiredMessage", text, read_auth_message)
        .says(R"(our own | `"Ask #platform for access to ${server}"` | what is said when a server )"
              "wants a login; `${server}` is its name")
        .use(),
    Key("autoAuth", flag, into<&Settings::auto_auth, is_true>)
        .says("`false` | `true` | a call that a server refuses opens the login in the browser and "
              "waits for it")
        .project(ProjectMay::set_false),
    Key(settings, "codemode", flag)
        .says("`false` | `true` | Pi 1.0 and newer: its tool `codemode` is switched on, whose "
              "scripts call every tool of the servers. See [Pi](pi.md#scripts)")
        .elsewhere()
        .use(),
    Key(settings, "collapsedResultLines", any)
        .says("1, in boxes 3 | `2` | Pi: lines of a result that are shown before it is unfolded, 1 "
              "to 3")
        .elsewhere()
        .use(),
    Key(settings, "directToolResultDetails", any)
        .refuses(R"("bounded")",
                 "the details of every result are bounded (outputGuard), and no model sees them"),
    Key("disableProxyTool", flag, into<&Settings::disable_proxy_tool, is_true>)
        .says("`false` | `true` | hosts get no `mcp` as soon as every tool that is to be direct is "
              "known; servers without direct tools can then not be reached")
        .use(),
    Key("elicitation", flag, into<&Settings::elicitation, is_true>)
        .says("`true` | `false` | servers may ask the user of a host that can ask. See [What "
              "servers ask](#what-servers-ask)")
        .project(ProjectMay::set_false),
    Key("freezeDirectTools", flag, into<&Settings::freeze_direct_tools, is_true>)
        .says("`false` | `true` | a host's list of tools stays as it was first asked for, so that "
              "its prompt cache stays valid")
        .use(),
    Key(settings, "trustedFolders", text_list)
        .says(R"(none | `["~/work"]` | folders of your own: the project files below them count )"
              "without a question. See [Trust](#trust)")
        .elsewhere(),
    Key(settings, "hostConfigDiscovery", choice)
        .says(
            R"(`off` | `"on"` | `on`: the servers of every host under [Imports](#imports) count, )"
            "below all files and under names that no file has. `prompt`: `pi-mcp config` says "
            "which hosts have servers")
        .one_of("off|prompt|on")
        .elsewhere()
        .use(),
    Key(settings, "http", object)
        .says(
            R"(none | `{"oauth": {"resource": "https://gw.example", "issuers": )"
            R"(["https://sso.example"], "scopes": {"mcp": {}}}, "rate": {"perSecond": 20}}` | whose )"
            "tokens let in whom over HTTP, and how much each may ask. See [Sign-in by your "
            "organisation](http.md#sign-in-by-your-organisation), [How much one may "
            "ask](http.md#how-much-one-may-ask)")
        .elsewhere(),
    Key(settings, "jev", any).refuses("false", "searches stay on this machine and ask no service"),
    Key("mcpFooterStatus", choice, read_footer)
        .says(R"(`full` | `"compact"` | what Pi's footer says of the servers: `full`, counts and )"
              "troubles; `compact`, the counts; `off`, nothing")
        .one_of("full|compact|off")
        .use(),
    Key(settings, "namespaceProxyTools", any)
        .refuses("false",
                 "a tool for each server would cost every request its tokens; mcp is one "
                 "for all, and directTools names more"),
    Key("notifyOnStartupConnect", flag, into<&Settings::notify_on_startup_connect, is_true>)
        .says("`true` | `false` | one notice counts the servers that were started with the "
              "session; failures are told in any case")
        .use(),
    Key("oauthCredentialStore", choice, read_credential_store)
        .says(R"(`auto` | `"file"` | where new logins are kept: `auto`, in the desktop's keyring )"
              "when it answers, else in a file; `file`, in a file that is not encrypted; "
              "`encrypted-file`, in one that is, or not at all "
              "([more](authorisation.md#where-tokens-are)). `PI_MCP_CREDENTIAL_STORE` wins")
        .one_of("auto|file|encrypted-file"),
    Key("oauthKeyFile", text, read_key_file)
        .says(
            R"(the keyring | `"~/keys/pi-mcp"` | the key of `encrypted-file`: 32 random bytes in )"
            "base64, in a file for you alone"),
    Key("privateHosts", text_list, into<&Settings::private_hosts, text_list_of>)
        .says(R"(none | `["sso.corp.example", "*.corp.example"]` | hosts of your own network that )"
              "servers may name for logins and pages ([rule](authorisation.md#how-a-login-goes))"),
    Key("oauthDir", text, read_oauth_dir)
        .says(R"(`mcp-oauth` beside the user's file | `"~/old/mcp-oauth"` | where the Pi MCP )"
              "Adapter kept its token files, which are read and not written; `MCP_OAUTH_DIR` wins"),
    Key("sampling", flag, into<&Settings::sampling, is_true>)
        .says("`true` | `false` | servers may ask for the model of a host that lends it")
        .project(ProjectMay::set_false),
    Key("samplingAutoApprove", flag, into<&Settings::sampling_auto_approve, is_true>)
        .says("`false` | `true` | in Pi: a server's request for the model is answered without a "
              "question, also where there is nobody to ask"),
    Key(settings, "scriptMode", any)
        .refuses("false", "there is no mcpScript; Pi's code mode calls the tools of servers"),
    Key("sharedLingerSeconds", seconds, read_shared_linger)
        .says("0 | `60` | how long a shared server that no session uses any more is kept")
        .use(),
    Key("showStatusIcon", flag, into<&Settings::show_status_icon, is_true>)
        .says("`false` | `true` | a plug in front of Pi's footer")
        .use(),
    Key(settings, "strictDirectToolArguments", any)
        .refuses("true",
                 "the arguments of every call are checked, and JSON in a string is taken "
                 "for the object or array that it should have been"),
    Key(settings, "toolResultRendering", choice)
        .says("`compact` | `\"boxed\"` | Pi: a row for each call, or a box")
        .one_of("compact|boxed")
        .elsewhere()
        .use(),
    Key("trace", flag_or_object, read_trace)
        .says(R"(`false` | `{"enabled": true, "file": "~/mcp.jsonl", "maxBytes": 262144, )"
              R"("maxEvents": 10000}` | a line for each message between us and servers, without )"
              "its content ([more](#trace)); `file` is of the session's folder"),
    Key("warnOnLargeDirectTools", flag, into<&Settings::warn_on_large_direct_tools, is_true>)
        .says("`true` | `false` | a notice where 75 tools or more are direct")
        .use(),
    Key("writeKeywords", flag, into<&Settings::write_keywords, is_true>)
        .says("`false` | `true` | `mcp({action: \"keywords\"})` asks the model of a host that "
              "lends it without a question ([more](search.md#keywords-written-by-a-model))"),
};

}  // namespace

std::span<const Key> settings_keys() {
  return declared;
}

}  // namespace pi_mcp::config
