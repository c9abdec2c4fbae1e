// What `pi-mcp doctor` may find: one table of codes, each with how grave it is, its sentence, the
// command that mends it and whether --fix runs that. docs/doctor.md explains each code. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::doctor {

enum class Code : std::uint8_t {
  file_unreadable,
  file_warning,
  name_hidden,
  trust_needed,
  entry_invalid,
  command_spaces,
  command_missing,
  command_shell_only,
  variable_unset,
  folder_missing,
  login_needed,
  login_expired,
  login_ends,
  start_failed,
  tools_changed,
  started_twice,
  host_broken,
  version_other,
  secret_missing,
  token_plain,
  file_open,
  run_failed,
  import_stale,
  process_left,
  runs_alone,
};

// note: nothing has to be mended; it does not count for the exit status.
enum class Severity : std::uint8_t { error, warning, note };
std::string_view severity_name(Severity severity);

// What a finding is about; a code uses some of it. No secret is in what is shown.
struct About {
  std::string server;
  std::string path;  // absolute: the file or folder that is wrong or decides
  std::string what;  // program, variable or the like, as its code says
  std::string why;
  // The words of a command, where a file of ours has them and they can be told apart. Not shown.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::vector<std::string> words = {};
  bool no_keyring = false;  // of a secret: there is none that can be used
};

struct Finding {
  Code code = Code::file_warning;
  About about;
};

struct CodeRow {
  Code code;
  std::string_view name;  // PM-...: stable, for scripts and for the page
  Severity severity;
  std::string (*sentence)(const About& about);
  std::string (*command)(const About& about);  // for a shell, quoted as it has to be
};

// Whether --fix mends it.
[[nodiscard]] bool is_fixable(const Finding& finding);

// A row for each code, in their order.
std::span<const CodeRow> codes();
const CodeRow& row_of(Code code);

}  // namespace pi_mcp::doctor
