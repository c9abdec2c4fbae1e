// What the commands of the table run, each in a file of its own. All print how it went.
#pragma once

#include <string>
#include <vector>

#include "cli/recording/recording.h"
#include "cli/setup.h"
#include "tool/modes/new_server.h"

namespace pi_mcp::cli {

ExitStatus run_auth_command(const Setup& setup);
ExitStatus run_complete_command(const Setup& setup);
ExitStatus run_config_command(const Setup& setup);
ExitStatus run_doctor_command(const Setup& setup);
ExitStatus run_emit_cli_command(const Setup& setup);
ExitStatus run_emit_ts_command(const Setup& setup);
ExitStatus run_keywords_command(const Setup& setup);
ExitStatus run_logs_command(const Setup& setup);
ExitStatus run_offer_command(const Setup& setup);
ExitStatus run_record_command(const Setup& setup);
ExitStatus run_replay_command(const Setup& setup);
ExitStatus run_secret_command(const Setup& setup);
// With a recorder what the host and we say is recorded.
ExitStatus run_serve_command(const Setup& setup, Recorder* recorder = nullptr);
ExitStatus run_session_command(const Setup& setup);
ExitStatus run_setup_command(const Setup& setup);
ExitStatus run_token_command(const Setup& setup);
ExitStatus run_trust_command(const Setup& setup);

// The text of a file; of stdin for "-".
Result<std::string> read_input(const std::string& path);
// What `add` and servers that are used once have to know.
tool::NewServerFacts new_server_facts(const Setup& setup);
// Adds it to the user file, and says so on stderr.
ExitStatus keep_server(const Setup& setup, const std::string& name, const std::string& entry_json);

// The part of run_config_command() that is import: what to print; with --json a JSON value.
Result<std::string> run_import(const Setup& setup);

// `words`: find, keep or drop, and a name; with "-named" behind them for secrets that the user has
// stored, whose names `names` lists, one a line. A secret comes through stdin and goes to stdout;
// where the exit status is `unavailable`, the reason does. not_found: there is none.
ExitStatus run_keyring_command(Console& console, const std::vector<std::string>& words);

}  // namespace pi_mcp::cli
