// The keys of `settings`, which are for all servers.
#include <array>
#include <cstdint>

#include "config/key_tables.h"
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

void read_credential_store(Settings& settings, json::Value value) {
  constexpr std::array<std::pair<std::string_view, CredentialStore>, 3> stores = {{
      {"auto", CredentialStore::automatic},
      {"file", CredentialStore::file},
      {"encrypted-file", CredentialStore::encrypted_file},
  }};
  settings.credential_store = choice_of(value, stores).value_or(settings.credential_store);
}

void read_key_file(Settings& settings, json::Value value) {
  settings.oauth_key_file = value.string_or("");
}

constexpr std::array declared = {
    Key{.scope = settings,
        .name = "toolPrefix",
        .type = choice,
        .project_may = ProjectMay::nothing,
        .choices = "server|short|none|mcp",
        .fallback = "`server`",
        .example = R"(`"none"`)",
        .meaning = "`server`: `files_read`. `short`: the same without a trailing `mcp` of the "
                   "server. `none`: `read`. `mcp`: `mcp__files_read`",
        .read_settings = read_tool_prefix,
        .is_use = true},
    Key{.scope = settings,
        .name = "idleTimeout",
        .type = minutes,
        .project_may = ProjectMay::nothing,
        .fallback = "10",
        .example = "`30`",
        .meaning = "for `lazy` servers without their own; 0 and less never",
        .read_settings = read_idle_timeout,
        .is_use = true},
    Key{.scope = settings,
        .name = "requestTimeoutMs",
        .type = milliseconds,
        .project_may = ProjectMay::nothing,
        .fallback = "60,000",
        .example = "`120000`",
        .meaning = "for servers without their own; 0 is the default",
        .read_settings = into<&Settings::request_timeout, milliseconds_of>},
    Key{.scope = settings,
        .name = "requestTotalTimeoutMs",
        .type = milliseconds,
        .project_may = ProjectMay::nothing,
        .fallback = "3,600,000",
        .example = "`7200000`",
        .meaning = "the same",
        .read_settings = into<&Settings::request_total_timeout, milliseconds_of>},
    Key{.scope = settings,
        .name = "startupTimeoutMs",
        .type = milliseconds,
        .project_may = ProjectMay::nothing,
        .fallback = "60,000",
        .example = "`20000`",
        .meaning = "the same",
        .read_settings = into<&Settings::startup_timeout, milliseconds_of>},
    Key{.scope = settings,
        .name = "installTimeoutMs",
        .type = milliseconds,
        .project_may = ProjectMay::nothing,
        .fallback = "600,000",
        .example = "`1200000`",
        .meaning = "the same",
        .read_settings = into<&Settings::install_timeout, milliseconds_of>},
    Key{.scope = settings,
        .name = "outputGuard",
        .type = flag_or_object,
        .project_may = ProjectMay::lower,
        .fallback = "`true`",
        .example =
            R"(`{"maxBytes": 51200, "maxLines": 2000, "detailsMaxBytes": 16384, "searchMaxTokens": 1500}`)",
        .meaning = "longer text is cut and the whole of it kept in a file; an answer to search, "
                   "list or describe has about `searchMaxTokens`, the rest is a page further on; "
                   "false: nothing is cut",
        .read_settings = read_output_guard,
        .is_use = true},
    Key{.scope = settings,
        .name = "ancestorConfigRoots",
        .type = text_list,
        .project_may = ProjectMay::nothing,
        .fallback = "none",
        .example = R"(`["~/work"]`)",
        .meaning = "folders below the home directory under which files above the project are read",
        .read_elsewhere = true},
    Key{.scope = settings,
        .name = "directTools",
        .type = selection,
        .project_may = ProjectMay::nothing,
        .choices = "search",
        .fallback = "`false`",
        .example = "`true`",
        .meaning = "for servers without their own",
        .read_settings = into<&Settings::direct_tools, selection_of>,
        .is_use = true},
    Key{.scope = settings,
        .name = "approveTools",
        .type = selection,
        .project_may = ProjectMay::add,
        .choices = "marked|destructive",
        .fallback = R"(`"marked"` where the host can ask)",
        .example = R"(`"destructive"`)",
        .meaning = "for servers without their own; false: nothing is asked",
        .read_settings = into<&Settings::approve_tools, selection_of>,
        .is_use = true},
    Key{.scope = settings,
        .name = "splitTool",
        .type = flag,
        .project_may = ProjectMay::set_true,
        .fallback = "`false`",
        .example = "`true`",
        .meaning = "hosts see two tools: `mcp`, which only reads, and `mcp_write`. See [Two "
                   "tools](#two-tools)",
        .read_settings = into<&Settings::split_tool, is_true>,
        .is_use = true},
    Key{.scope = settings,
        .name = "agentPluginPaths",
        .type = any,
        .project_may = ProjectMay::nothing},
    Key{.scope = settings,
        .name = "authRequiredMessage",
        .type = any,
        .project_may = ProjectMay::nothing},
    Key{.scope = settings,
        .name = "autoAuth",
        .type = flag,
        .project_may = ProjectMay::set_false,
        .fallback = "`false`",
        .example = "`true`",
        .meaning = "a call that a server refuses opens the login in the browser and waits for it",
        .read_settings = into<&Settings::auto_auth, is_true>},
    Key{.scope = settings,
        .name = "collapsedResultLines",
        .type = any,
        .project_may = ProjectMay::nothing},
    Key{.scope = settings,
        .name = "directToolResultDetails",
        .type = any,
        .project_may = ProjectMay::nothing},
    Key{.scope = settings,
        .name = "disableProxyTool",
        .type = any,
        .project_may = ProjectMay::nothing},
    Key{.scope = settings,
        .name = "elicitation",
        .type = flag,
        .project_may = ProjectMay::set_false,
        .fallback = "`true`",
        .example = "`false`",
        .meaning = "servers may ask the user of a host that can ask. See [What servers "
                   "ask](#what-servers-ask)",
        .read_settings = into<&Settings::elicitation, is_true>},
    Key{.scope = settings,
        .name = "freezeDirectTools",
        .type = flag,
        .project_may = ProjectMay::nothing,
        .fallback = "`false`",
        .example = "`true`",
        .meaning = "a host's list of tools stays as it was first asked for, so that its prompt "
                   "cache stays valid",
        .read_settings = into<&Settings::freeze_direct_tools, is_true>,
        .is_use = true},
    Key{.scope = settings,
        .name = "trustedFolders",
        .type = text_list,
        .project_may = ProjectMay::nothing,
        .fallback = "none",
        .example = R"(`["~/work"]`)",
        .meaning =
            "folders of your own: the project files below them count without a question. See "
            "[Trust](#trust)",
        .read_elsewhere = true},
    Key{.scope = settings,
        .name = "hostConfigDiscovery",
        .type = choice,
        .project_may = ProjectMay::nothing,
        .choices = "off|prompt|on",
        .fallback = "`off`",
        .example = R"(`"on"`)",
        .meaning = "`on`: the servers of every host under [Imports](#imports) count, below all "
                   "files and under names that no file has. `prompt`: `pi-mcp config` says which "
                   "hosts have servers",
        .read_elsewhere = true,
        .is_use = true},
    Key{.scope = settings, .name = "jev", .type = any, .project_may = ProjectMay::nothing},
    Key{.scope = settings,
        .name = "mcpFooterStatus",
        .type = any,
        .project_may = ProjectMay::nothing},
    Key{.scope = settings,
        .name = "namespaceProxyTools",
        .type = any,
        .project_may = ProjectMay::nothing},
    Key{.scope = settings,
        .name = "notifyOnStartupConnect",
        .type = any,
        .project_may = ProjectMay::nothing},
    Key{.scope = settings,
        .name = "oauthCredentialStore",
        .type = choice,
        .project_may = ProjectMay::nothing,
        .choices = "auto|file|encrypted-file",
        .fallback = "`auto`",
        .example = R"(`"file"`)",
        .meaning =
            "where new logins are kept: `auto`, in the desktop's keyring when it answers, else in "
            "a file; `file`, in a file that is not encrypted; `encrypted-file`, in one that is, "
            "or not at all ([more](authorisation.md#where-tokens-are)). "
            "`PI_MCP_CREDENTIAL_STORE` wins",
        .read_settings = read_credential_store},
    Key{.scope = settings,
        .name = "oauthKeyFile",
        .type = text,
        .project_may = ProjectMay::nothing,
        .fallback = "the keyring",
        .example = R"(`"~/keys/pi-mcp"`)",
        .meaning =
            "the key of `encrypted-file`: 32 random bytes in base64, in a file for you alone",
        .read_settings = read_key_file},
    Key{.scope = settings,
        .name = "privateHosts",
        .type = text_list,
        .project_may = ProjectMay::nothing,
        .fallback = "none",
        .example = R"(`["sso.corp.example", "*.corp.example"]`)",
        .meaning = "hosts of your own network that servers may name for logins and pages "
                   "([rule](authorisation.md#how-a-login-goes))",
        .read_settings = into<&Settings::private_hosts, text_list_of>},
    Key{.scope = settings, .name = "oauthDir", .type = any, .project_may = ProjectMay::nothing},
    Key{.scope = settings,
        .name = "sampling",
        .type = flag,
        .project_may = ProjectMay::set_false,
        .fallback = "`true`",
        .example = "`false`",
        .meaning = "servers may ask for the model of a host that lends it",
        .read_settings = into<&Settings::sampling, is_true>},
    Key{.scope = settings,
        .name = "samplingAutoApprove",
        .type = any,
        .project_may = ProjectMay::nothing},
    Key{.scope = settings, .name = "scriptMode", .type = any, .project_may = ProjectMay::nothing},
    Key{.scope = settings,
        .name = "showStatusIcon",
        .type = any,
        .project_may = ProjectMay::nothing},
    Key{.scope = settings,
        .name = "strictDirectToolArguments",
        .type = any,
        .project_may = ProjectMay::nothing},
    Key{.scope = settings,
        .name = "toolResultRendering",
        .type = any,
        .project_may = ProjectMay::nothing},
    Key{.scope = settings, .name = "trace", .type = any, .project_may = ProjectMay::nothing},
    Key{.scope = settings,
        .name = "warnOnLargeDirectTools",
        .type = any,
        .project_may = ProjectMay::nothing},
};

}  // namespace

std::span<const Key> settings_keys() {
  return declared;
}

}  // namespace pi_mcp::config
