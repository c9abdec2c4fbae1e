// What the command line and the configuration say of serving over HTTP.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "access/gate.h"
#include "access/session_keys.h"
#include "access/token_file.h"
#include "base/result.h"
#include "base/time.h"
#include "cli/http/http_settings.h"
#include "cli/http/replica.h"
#include "cli/setup.h"
#include "io/files/line_log.h"
#include "io/net/tls_server.h"

namespace pi_mcp::cli {

struct HttpOptions {
  std::string address;
  access::Gate gate;
  access::SessionKeys keys;
  Milliseconds drain{0};
  std::optional<io::LineLog> access_log;
  std::optional<io::TlsIdentity> identity;  // nullopt: without TLS
  std::optional<ReplicaOptions> replica;    // nullopt: the only one
  HttpSettings http;
  std::vector<std::string> private_hosts;
  std::vector<std::string> names;  // by which clients call it, besides those of this machine
};

// Reads the files that they name. An error names the option or key; unauthorized: nobody could
// come to that address (access::may_listen()); unavailable: the program for it is not there.
Result<HttpOptions> read_http_options(const Setup& setup, access::TokenFile& tokens);

}  // namespace pi_mcp::cli
