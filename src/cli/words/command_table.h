// The commands of pi-mcp and their options: one table from which parsing, help and completion
// follow. Pure data.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pi_mcp::cli {

enum class CommandId : std::uint8_t {
  serve,
  status,
  list,
  search,
  keywords,
  describe,
  read,
  resources,
  prompts,
  prompt,
  call,
  connect,
  auth,
  logout,
  logs,
  doctor,
  config,
  setup,
  import,
  add,
  remove,
  enable,
  disable,
  trust,
  secret,
  token,
  emit_ts,
  emit_cli,
  record,
  replay,
  completion,
  help,
  complete,  // hidden: what the completion scripts ask
  keyring,   // hidden: what auth/keyring.h starts
  stop,
  shared,  // hidden: what attach/front.h starts
};

enum class OptionId : std::uint8_t {
  help,
  version,
  config,
  json,
  quiet,
  timeout,
  log_level,
  cwd,
  host,
  split,
  alone,
  http,
  allow_host,
  allow_origin,
  session_key,
  store,
  advertise,
  drain,
  access_log,
  tls_cert,
  tls_key,
  servers,
  tools,
  expires,
  through,
  instructions,
  regex,
  server,
  limit,
  offset,
  no_schemas,
  no_browser,
  export_login,
  import_login,
  for_token,
  metrics,
  rate,
  output,
  explain,
  all,
  env,
  header,
  project,
  global,
  server_cwd,
  trust_project,
  host_trusts,
  host_config,
  yes,
  list,
  revoke,
  keys,
  remove,
  dry_run,
  verbose,
  file,
  offline,
  hosts,
  copy,
  undo,
  fix,
  url,
  stdio,
  argument,
  transport,
  scope,
  description,
  no_check,
  brief,
  save,
  types,
  tool,
  write,
  read,
};

// What a word or an option's value is, for completion.
enum class Completion : std::uint8_t {
  nothing,
  file,
  directory,
  server,
  tool,
  tool_argument,
  import_kind,
  host_kind,
  shell,
  command,
  host,
  log_level,
  server_or_key,
  yes_or_no,
  secret_action,
  secret,
  token_action,
  token,
};

struct Option {
  OptionId id = OptionId::help;
  std::string_view name;   // "--limit"
  char letter = 0;         // 'q' for -q; 0 when there is none
  std::string_view value;  // what the help calls the value; empty for a flag
  std::string_view help;
  Completion completion = Completion::nothing;
  bool repeatable = false;
  bool before_tool = false;  // in a call it is ours only before the tool
  bool of_http = false;      // means nothing without --http
};

struct Example {
  constexpr Example(std::string_view typed, std::string_view effect) : line(typed), what(effect) {}
  std::string_view line;
  std::string_view what;
};

// How help groups commands.
enum class Group : std::uint8_t { use, serve, configure, program, shell, hidden };

// NOLINTBEGIN(readability-redundant-member-init, clang-analyzer-optin.performance.Padding): in the
// order of the table, which leaves out what a command does not have
struct Command {
  CommandId id;
  Group group;
  std::string_view name;
  std::string_view words = {};  // "TOOL [ARGUMENT...]"; empty when it takes none
  std::string_view summary;     // one line, no full stop
  std::string_view text = {};   // more, in lines of at most 80 columns
  std::initializer_list<Option> options = {};
  std::initializer_list<Example> examples;
  std::size_t words_min = 0;
  std::size_t words_max = 0;
  Completion first_word = Completion::nothing;
  Completion other_words = Completion::nothing;
  std::initializer_list<std::string_view> aliases = {};
};
// NOLINTEND(readability-redundant-member-init, clang-analyzer-optin.performance.Padding)

constexpr std::size_t words_unlimited = SIZE_MAX;

std::span<const Command> commands();
// Accepted by every command, also before its name.
std::span<const Option> global_options();

// By its name or an alias of it.
const Command* find_command(std::string_view name);
const Command& command(CommandId id);
// The option of this command, or the global one, that is written `name` ("--limit" or "-q").
const Option* find_option(const Command* command, std::string_view name);

// The command that somebody who typed `wrong` may have meant; empty when nothing is near.
std::string_view nearest_command(std::string_view wrong);
// The option that somebody may have meant, likewise; `command` may be null.
std::string_view nearest_option(const Command* command, std::string_view wrong);

}  // namespace pi_mcp::cli
