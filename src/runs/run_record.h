// What a session says about its servers, so that `pi-mcp status`, `logs` and `doctor` in another
// process can show it: in a file (docs/decisions/0008-run-records.md), or to who asks the process
// that sessions share. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "config/settings.h"
#include "secrets/secrets.h"
#include "servers/server_status.h"

namespace pi_mcp::runs {

// Whether a run of that name and identity (config::entry_identity()) is one of the server that is
// configured here. Records of version 0.1.0 have no identity.
bool is_configured(const config::Settings& settings,
                   std::string_view name,
                   std::string_view identity);

struct RunServer {
  servers::ServerStatus status;
  std::string identity;  // see config::entry_identity(); empty in records of version 0.1.0
  std::size_t log = 0;   // number of the file with its last stderr; 0: there is none
  std::string words;     // its last stderr itself, for who has asked for it; never in a file
};

struct RunRecord {
  int process_id = 0;
  std::string client;  // "claude-code 2.1.0"; empty until the host has said so
  std::string cwd;
  EpochMs started_at;
  std::vector<RunServer> servers;  // those that were used
};

// Ages are written as points in time, and become ages again as of `now`.
std::string run_record_json(const RunRecord& record, EpochMs now);
// nullopt when it is not a record of a version we know.
std::optional<RunRecord> parse_run_record(std::string_view json, EpochMs now);

// How a server's last run ended, and what it said.
struct LastRun {
  std::string server;
  std::string identity;  // as in RunServer
  std::string client;    // as in RunRecord
  std::string cwd;
  std::string error;         // empty: it ended because nobody needed it any more
  bool wants_login = false;  // error is that
  std::string stderr_tail;
  EpochMs ended_at;
};

std::string last_run_json(const LastRun& run);
std::optional<LastRun> parse_last_run(std::string_view json);

// What of a server's stderr is stored: at most the last `stderr_kept_max` bytes, from a line's
// beginning, without what looks like a secret and without any of `secrets`.
constexpr std::size_t stderr_kept_max = std::size_t{32} << 10U;
std::string kept_stderr(std::string_view text, const secrets::Secrets& secrets);

}  // namespace pi_mcp::runs
