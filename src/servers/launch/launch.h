// From a configured server and a session's environment to what is really started, and the key that
// says when two sessions may share it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "auth/access.h"
#include "base/process_traits.h"
#include "base/result.h"
#include "base/time.h"
#include "config/environment.h"
#include "config/settings.h"
#include "io/loop/task.h"
#include "io/net/address_check.h"
#include "mcp/client_features.h"
#include "secrets/secrets.h"
#include "servers/launch/credential_command.h"

namespace pi_mcp::servers {

// One limit for each phase of a server's life, with the setting that changes it.
struct Deadlines {
  // For the system to start the program, and for its answer to initialize: startupTimeoutMs.
  Milliseconds start{60'000};
  // As `start`, while an installer is visibly at work before the server itself: installTimeoutMs.
  Milliseconds install{600'000};
  // A request, of a list or a call, without answer and without progress: requestTimeoutMs.
  Milliseconds call_quiet{60'000};
  // A call however much progress is reported: requestTotalTimeoutMs.
  Milliseconds call_total{3'600'000};
};

// A server behind a url, with every string resolved.
struct RemoteLaunch {
  std::string url;
  std::map<std::string, std::string> headers;  // a fixed bearer token included; all of it is secret
  std::optional<CredentialCommand> token_command;  // prints the bearer token, see command_token.h
  Milliseconds token_ttl{300'000};
  std::optional<CredentialCommand> headers_command;  // see request_headers.h
  std::string ca_file;                               // absolute; empty: the system's roots
  config::HttpTransport kind = config::HttpTransport::automatic;
  std::map<std::string, std::string> environment;  // what names proxies and roots
  std::optional<auth::Access> access;              // OAuth tokens may be used
};

// Where the messages of a server are traced (trace.h).
struct Trace {
  std::string path;  // absolute; with a "/" at its end a folder, where this process makes a file
  std::size_t bytes_max = 0;
  std::size_t lines_max = 0;
};

// How a session shares a launch.
struct Sharing {
  // Sessions of others may be in this process. false: the server gets everything as the session
  // has it, whatever `share` says.
  bool with_others = false;
  config::Share share = config::Share::folder;
  // The name of the session, where the server is for it alone.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string session = {};
};

// A launch with every string resolved: of a command, unless `remote` or `socket` is set.
struct Launch {
  std::string server;  // the configured name; for messages only, not part of the key
  std::string entry;   // config::entry_identity() of what it is made of; not part of the key
  // Whose it is: the id of a token, see config::Settings. Empty: the user's.
  std::string principal;
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;  // the child's whole environment
  std::string cwd;                         // absolute
  // io::identity_of() it: a process stays in a folder that is removed, and one that was made in its
  // place is another.
  std::string cwd_identity;
  // Names in `env` that do not decide with whom it is shared, and in place of PATH the files to
  // which that leads.
  std::set<std::string, std::less<>> not_in_key;
  std::vector<std::string> leads_to;
  // `env` is a short list that its host handed on in place of an environment: what is missing may
  // be an account.
  bool short_list = false;
  std::optional<ProcessTraits> process;  // what the child is bound by; nullopt: as we are
  // It starts a launcher, and what that one reads from cwd does not count (isolated_start.h).
  bool kept_out = false;
  std::optional<RemoteLaunch> remote;
  std::string socket;  // absolute path
  mcp::Protocol protocol = mcp::Protocol::automatic;
  bool tasks = true;            // see mcp::ClientSession::Options
  std::optional<mcp::Era> era;  // what was found out at an earlier connection; not part of the key
  // What is declared to the server.
  mcp::ClientFeatures features;
  // The session, when its server must not be shared with others. Empty: it may be.
  std::string session;
  // A digest of the host's roots, where its server is known to ask for them (share/roots.h).
  std::string roots;
  // Tells it from others that are equal to it and must not be used, see Pool::placed().
  int copy = 0;
  // Which urls it may want a person to open. A server that runs here: also those of this machine.
  // The hosts that the user named are part of the key.
  io::PageRule pages;
  bool debug = false;          // pass the child's stderr through; not part of the key
  std::optional<Trace> trace;  // not part of the key
  Deadlines deadlines;         // not part of the key
  secrets::Secrets secrets;    // of all the above (secrets.h); not part of the key

  // Equal keys: the same transport with the same command, args, resolved env, cwd and kept_out;
  // url, headers, credential commands (not what they print), ca file and proxies; or socket; and
  // the same principal and features. A digest, so that it can be logged.
  [[nodiscard]] std::string key() const;
  // The same without session, features, roots and copy: see Pool::placed().
  [[nodiscard]] std::string key_of_any_session() const;
};

// Interpolates, asks for the stored secrets that the entry names, runs `!command` values (10 s, 1
// MiB of output each) but for that of bearerToken, which belongs to the connection; checks cwd and
// url. invalid_argument names the field: no transport or two, a missing variable in a secret, url
// or header, a secret that is not stored, a cwd that does not exist. unavailable: a secret command
// that failed (its output is never repeated), a keyring that does not answer.
io::Task<Result<Launch>> resolve_launch(config::Server server,
                                        config::Environment environment,
                                        config::Settings settings,
                                        Sharing sharing = {});

// Why the program of a server cannot be run, as far as that is known without starting anything:
// nullopt when it is found, and where a variable is missing or a command would have to say.
std::optional<std::string> missing_program(const config::Server& server,
                                           const config::Environment& environment);

}  // namespace pi_mcp::servers
