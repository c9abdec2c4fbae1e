// What `pi-mcp doctor` may find: one table of codes, each with how grave it is, its sentence, the
// command that mends it and whether --fix runs that. docs/doctor.md explains each code. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

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
  start_failed,
  tools_changed,
  started_twice,
  version_other,
  secret_missing,
  token_plain,
};

// note: nothing has to be mended; it does not count for the exit status.
enum class Severity : std::uint8_t { error, warning, note };
std::string_view severity_name(Severity severity);

// What a finding is about; a code uses some of it. No secret is in it.
struct About {
  std::string server;
  std::string path;  // absolute: the file or folder that is wrong or decides
  std::string what;  // program, variable or the like, as its code says
  std::string why;
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

// A row for each code, in their order.
std::span<const CodeRow> codes();
const CodeRow& row_of(Code code);

}  // namespace pi_mcp::doctor
