// The configuration in effect: one validated value out of many files. Field meanings, eras and
// defaults: docs/configuration.md. Pure data.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "mcp/revisions.h"

namespace pi_mcp::auth {
class SharedLogins;
}

namespace pi_mcp::config {

// NOLINTNEXTLINE(readability-identifier-naming): `short` is a keyword.
enum class ToolPrefix : std::uint8_t { server, short_, none, mcp };
enum class LifecycleMode : std::uint8_t { lazy, eager, keep_alive, lazy_keep_alive };
// With whom a session shares a server: nobody, those of the same folder and environment, or all of
// the user's. Each shares more than the one before.
enum class Share : std::uint8_t { session, folder, user };
enum class HttpTransport : std::uint8_t { automatic, streamable_http, sse };
// How tools reach a model, in the words of Pi's own client; codemode: through `mcp` alone.
enum class Exposure : std::uint8_t { codemode, deferred, direct, hidden };
enum class Auth : std::uint8_t { automatic, none, bearer, oauth };

// What Pi's footer says of the servers.
enum class FooterText : std::uint8_t { full, compact, off };

// Where new logins are kept. automatic: in the system's keyring when it answers, else in a file.
enum class CredentialStore : std::uint8_t { automatic, file, encrypted_file };

// true, false, or a list of names and globs. In approve_tools the names "marked" and
// "destructive" stand for what tools say of themselves (tool/consent/approvals.h).
struct Selection {
  bool all = false;
  std::vector<std::string> names;
  bool by_search = false;  // "search": tools become direct once a search has shown them
};

// Where a value came from.
struct Origin {
  std::string path;         // file; empty for a default
  std::string import_kind;  // "cursor", ...; empty for our own files
  bool project = false;     // a file of the project, which counts only as far as it is trusted
};

// Whose server it is. A server of the project runs only once the user has allowed it.
enum class Standing : std::uint8_t { user, project, needs_trust };

struct RequestHeadersCommand {
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
  Milliseconds timeout{10'000};
};

enum class Grant : std::uint8_t { authorization_code, client_credentials, cross_app_access };

// How tokens for a server are got (docs/authorisation.md). Members that are texts are under the
// names they have in the file: clientId, clientSecret, privateKey, privateKeyFile,
// clientMetadataUrl, scope, redirectUri, clientName, clientUri, logoUri, authServerMetadataUrl, and
// those of `idp` with its name in front: idp.issuer, idp.tokenEndpoint, idp.clientId,
// idp.clientSecret, idp.idToken.
struct OAuth {
  Grant grant = Grant::authorization_code;  // grantType
  bool any_issuer = false;                  // skipIssuerMetadataValidation
  bool assume_pkce = false;                 // assumePkce
  std::optional<std::uint16_t> callback_port;
  std::map<std::string, std::string> texts;
  std::map<std::string, std::string> authorization_params;
};

// One server as configured; strings are as written (not interpolated: that needs the environment of
// the moment of launch, config/interpolate.h).
struct Server {
  std::string name;
  std::optional<std::string> command;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
  std::optional<std::string> cwd;
  bool inherit_env = true;
  bool literal_env = false;

  std::optional<std::string> url;
  std::map<std::string, std::string> headers;
  Auth auth = Auth::automatic;
  bool oauth_off = false;           // "oauth": false
  bool bearer_token_store = false;  // the token is in the adapter's entry of the system's keyring
  HttpTransport http_transport = HttpTransport::automatic;
  std::optional<OAuth> oauth;
  std::optional<std::string> bearer_token;
  std::optional<std::string> bearer_token_env;
  std::optional<std::string> ca_file;
  std::optional<RequestHeadersCommand> request_headers_command;

  std::optional<std::string> socket;
  mcp::Protocol protocol = mcp::Protocol::automatic;  // protocolVersion

  LifecycleMode lifecycle = LifecycleMode::lazy;
  std::optional<Share> share;  // nullopt: by what it is (servers/share/scope.h)
  std::optional<double> idle_timeout_minutes;
  // Each: nullopt is what the settings say, then the default of servers::Deadlines.
  std::optional<Milliseconds> request_timeout;
  std::optional<Milliseconds> request_total_timeout;
  std::optional<Milliseconds> startup_timeout;
  std::optional<Milliseconds> install_timeout;
  std::optional<std::string> description;  // what it is for, for models
  bool expose_resources = true;
  bool debug = false;
  std::optional<bool> trace;  // nullopt: as the settings say
  bool tasks = true;          // a call may become a task that is asked for until it is over
  bool roots = true;          // it is told the host's folders, where the host has any
  bool disabled = false;
  bool hidden = false;  // and `disabled`: its exposure lets nobody reach any of its tools
  // needs_trust: listed, and `disabled`; nothing else of its entry is here but the name.
  Standing standing = Standing::user;
  bool replaces_users = false;  // the project's, in place of a server of the user of this name
  std::optional<ToolPrefix> tool_prefix;
  std::vector<std::string> include_tools;  // empty: all
  std::vector<std::string> exclude_tools;
  // Who is served may use these alone, whatever the entry says; globs, empty: all. No key: it is
  // set for one session (access/narrow.h).
  std::vector<std::string> only_tools;
  std::map<std::string, std::vector<std::string>> search_keywords;  // tool name or glob -> words
  std::optional<Selection> direct_tools;
  std::optional<Selection> approve_tools;
  std::optional<Exposure> exposure;
  std::vector<std::pair<std::string, Exposure>> tool_exposure;  // name or glob, as written

  // The merged entry as one JSON object, known and unknown keys, for the identity hash and for
  // `pi-mcp config`.
  std::string entry_json;
  Origin origin;                          // the highest source that defines the server
  std::map<std::string, Origin> origins;  // per top-level key of entry_json
  // Set when the entry cannot work (no transport, two transports, wrong type): said at connect and
  // in `pi-mcp config`; the server stays listed.
  std::optional<std::string> problem;
  std::string problem_key;  // whose value that is, as it is written; empty: of no single one
};

// What is written of the messages between us and servers (servers/launch/trace.h).
struct TraceSettings {
  bool enabled = false;  // for servers that do not say
  std::string file;      // as written, of the session's folder; empty: a new one for each process
  std::size_t bytes_max = std::size_t{256} * 1024;
  std::size_t events_max = 10'000;
};

struct OutputGuard {
  bool enabled = true;
  std::size_t bytes_max = 0;  // 0: what suits the host
  std::size_t lines_max = 2000;
  std::size_t details_bytes_max = std::size_t{16} * 1024;
  std::size_t search_tokens_max = 1500;  // of an answer to search, list or describe; estimated
};

struct Warning {
  std::string path;     // file it is about; may be empty
  std::string message;  // a sentence: thing (with the file), reason, next step
  // The server it is about; empty: a file, a setting, the whole configuration.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string server = {};
  // The key whose value keeps that server from being used, as it is written; empty: none does.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string unusable_key = {};
  bool unreadable = false;  // nothing that the file says counts
  // Where the file cannot be understood, both from 1; 0: no place in it.
  std::size_t line = 0;
  std::size_t column = 0;
};

// Behind the reason in the warning of a file that could not be read at all.
constexpr std::string_view file_left_out = "; the file is left out";

// Something in a project's file that does nothing until the user has allowed it.
struct TrustRequest {
  std::string folder;           // real path of the project's folder: what the answer is kept for
  std::string path;             // the file
  std::string server;           // empty: what the file says beside its servers (settings, imports)
  std::string digest;           // of the entry as written; an answer is for this content
  std::string entry;            // the entry as written, JSON
  bool replaces_users = false;  // the user has a server of this name, which stays as it is
  bool changed = false;         // the entry was allowed with another content
  bool forbidden = false;       // the host's user does not trust the folder, so nobody is asked
  // A host that has this answer already ("claude-code", "codex", "pi"): it counts once it is kept.
  std::string answered_by;
};

struct Settings {
  std::vector<Server> servers;  // in configuration order, disabled ones included
  ToolPrefix tool_prefix = ToolPrefix::server;
  double idle_timeout_minutes = 10;
  Milliseconds shared_linger{0};  // sharedLingerSeconds
  // For servers without their own.
  std::optional<Milliseconds> request_timeout;
  std::optional<Milliseconds> request_total_timeout;
  std::optional<Milliseconds> startup_timeout;
  std::optional<Milliseconds> install_timeout;
  std::optional<Selection> direct_tools;  // for servers without their own
  // For servers without their own. nullopt: "marked" where the host can ask, else nothing.
  std::optional<Selection> approve_tools;
  bool split_tool = false;                 // splitTool: `mcp` only reads, `mcp_write` does the rest
  bool shared = true;                      // one process for all sessions of the user
  bool disable_proxy_tool = false;         // no `mcp` where every direct tool is known
  bool warn_on_large_direct_tools = true;  // a notice about many of them
  bool notify_on_startup_connect = true;   // a notice when servers started with the session
  std::string auth_required_message;       // in place of our own words; empty: none
  std::string oauth_dir;                 // of the adapter's token files, as written; empty: its own
  FooterText footer = FooterText::full;  // mcpFooterStatus
  bool show_status_icon = false;
  bool sampling_auto_approve = false;  // servers get answers of the model without a question
  bool freeze_direct_tools = false;    // the host's list of tools never changes in a session
  bool elicitation = true;             // servers may ask the host's user
  bool sampling = true;                // servers may ask for the host's model
  bool write_keywords = false;         // the host's model may be asked for search words
  bool auto_auth = false;              // a call that is refused may start a login in the browser
  CredentialStore credential_store = CredentialStore::automatic;  // oauthCredentialStore
  std::string oauth_key_file;              // of encrypted_file, as written; empty: none
  std::vector<std::string> private_hosts;  // names and globs of intranet hosts servers may name
  OutputGuard output_guard;
  TraceSettings trace;
  std::map<std::string, Origin> origins;  // per key of `settings`
  std::string settings_json = "{}";       // merged, known and unknown keys
  std::vector<Warning> warnings;
  std::vector<Warning> notes;                // nothing to correct; shown only by `pi-mcp config`
  std::string agent_dir;                     // absolute; holds mcp.json and the metadata cache
  std::vector<TrustRequest> trust_requests;  // what the project's files want and may not do yet
  std::vector<std::string> host_once;        // digests: see TrustOptions::host_once; used here
  std::string folder;                        // what an answer for the working directory is kept for
  bool folder_trusted = false;               // by the user: programs of the user may read it too
  // Who the session is for: the id of whom it came from over HTTP, and the name of the token, if it
  // is one of ours. Empty: the user.
  std::string principal;
  std::string principal_name;
  // Of who came over HTTP to one of several replicas: see auth::Access. Passed on, never read here.
  auth::SharedLogins* shared_logins = nullptr;
  bool given = false;  // by the program that runs the session (LoadOptions::given): it has no file

  [[nodiscard]] const Server* find(std::string_view name) const {
    const auto found = std::ranges::find(servers, name, &Server::name);
    return found == servers.end() ? nullptr : &*found;
  }
};

}  // namespace pi_mcp::config
