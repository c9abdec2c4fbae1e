#include "doctor/finding.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/shell_word.h"

namespace pi_mcp::doctor {
namespace {

std::string of_server(const About& about) {
  return "server \"" + about.server + "\"";
}

std::string as_said(const About& about) {
  return about.why;
}

std::string edit(const About& about) {
  return about.path.empty() ? "pi-mcp config" : "${EDITOR:-vi} " + text::shell_word(about.path);
}

std::string command_for(std::string_view command, const About& about) {
  return "pi-mcp " + std::string(command) +
         (about.server.empty() ? "" : " " + text::shell_word(about.server));
}

// Out of the host's own file, with its own command where it has one.
std::string take_out(const About& about) {
  using Host = std::pair<std::string_view, std::string_view>;
  for (const auto& [kind, command] : {Host{"claude-code", "claude mcp remove "},
                                      Host{"codex", "codex mcp remove "},
                                      Host{"gemini-cli", "gemini mcp remove "},
                                      Host{"qwen-code", "qwen mcp remove "}}) {
    if (about.what == kind) {
      return std::string(command) + text::shell_word(about.server);
    }
  }
  return edit(about);
}

// Programs that servers are started with, and how Debian and their makers install them.
std::string install(const About& about) {
  using Program = std::pair<std::string_view, std::string_view>;
  for (const auto& [program, command] :
       {Program{"npx", "sudo apt install npm"},
        Program{"npm", "sudo apt install npm"},
        Program{"node", "sudo apt install nodejs"},
        Program{"uvx", "curl -LsSf https://astral.sh/uv/install.sh | sh"},
        Program{"uv", "curl -LsSf https://astral.sh/uv/install.sh | sh"},
        Program{"pipx", "sudo apt install pipx"},
        Program{"python", "sudo apt install python-is-python3"},
        Program{"python3", "sudo apt install python3"},
        Program{"docker", "sudo apt install docker.io"},
        Program{"bunx", "curl -fsSL https://bun.sh/install | bash"},
        Program{"deno", "curl -fsSL https://deno.land/install.sh | sh"}}) {
    if (about.what == program) {
      return std::string(command);
    }
  }
  return command_for("disable", about);
}

// `path` is the program that was found, `what` an interpreter beside it, or empty.
std::string link_program(const About& about) {
  const std::string folder = about.path.substr(0, about.path.rfind('/') + 1);
  return "ln -s " + text::shell_word(about.path) +
         (about.what.empty() ? "" : " " + text::shell_word(folder + about.what)) + " ~/.local/bin/";
}

// `what` is the host that a proxy does not lead to; empty: its entry is at fault.
std::string mend_start(const About& about) {
  return about.what.empty() ? edit(about) : "export NO_PROXY=\"$NO_PROXY," + about.what + "\"";
}

// `what` is the name to store it under.
std::string store_secret(const About& about) {
  return "pi-mcp secret set " + text::shell_word(about.what) + (about.no_keyring ? " --file" : "");
}

constexpr std::array table = {
    CodeRow{.code = Code::file_unreadable,
            .name = "PM-FILE-UNREADABLE",
            .severity = Severity::error,
            .sentence = as_said,
            .command = edit},
    CodeRow{.code = Code::file_warning,
            .name = "PM-FILE-WARNING",
            .severity = Severity::warning,
            .sentence = as_said,
            .command = edit},
    CodeRow{.code = Code::name_hidden,
            .name = "PM-NAME-HIDDEN",
            .severity = Severity::note,
            .sentence =
                [](const About& about) {
                  return of_server(about) + " of " + about.path +
                         " does not count: there is one of the same name in " + about.what;
                },
            .command =
                [](const About& about) {
                  return command_for("config", about);
                }},
    CodeRow{.code = Code::trust_needed,
            .name = "PM-TRUST-NEEDED",
            .severity = Severity::warning,
            .sentence =
                [](const About& about) {
                  return (about.server.empty() ? "what it says beside its servers"
                                               : of_server(about)) +
                         " in " + about.path + " of the project does nothing until you trust it";
                },
            .command =
                [](const About& about) {
                  return command_for("trust", about);
                }},
    CodeRow{.code = Code::entry_invalid,
            .name = "PM-ENTRY-INVALID",
            .severity = Severity::error,
            .sentence = as_said,
            .command = edit},
    CodeRow{.code = Code::command_spaces,
            .name = "PM-COMMAND-SPACES",
            .severity = Severity::error,
            .sentence =
                [](const About& about) {
                  return of_server(about) +
                         ": its \"command\" holds spaces, and no program is called like that; " +
                         about.why;
                },
            .command =
                [](const About& about) {
                  return about.words.empty() ? edit(about) : command_for("doctor --fix", about);
                }},
    CodeRow{.code = Code::command_missing,
            .name = "PM-COMMAND-MISSING",
            .severity = Severity::error,
            .sentence = [](const About& about) { return of_server(about) + ": " + about.why; },
            .command = install},
    CodeRow{.code = Code::command_shell_only,
            .name = "PM-COMMAND-SHELL-ONLY",
            .severity = Severity::warning,
            .sentence =
                [](const About& about) {
                  return of_server(about) + ": its program is " + about.path + ", and " + about.why;
                },
            .command = link_program},
    CodeRow{.code = Code::variable_unset,
            .name = "PM-VARIABLE-UNSET",
            .severity = Severity::warning,
            .sentence =
                [](const About& about) {
                  return of_server(about) + " uses the variable " + about.what + " in " + about.why;
                },
            .command =
                [](const About& about) {
                  return "export " + about.what + "=...";
                }},
    CodeRow{.code = Code::folder_missing,
            .name = "PM-FOLDER-MISSING",
            .severity = Severity::error,
            .sentence =
                [](const About& about) {
                  return of_server(about) + ": its cwd " + about.path + " is not a folder";
                },
            .command =
                [](const About& about) {
                  return "mkdir -p " + text::shell_word(about.path);
                }},
    CodeRow{.code = Code::login_needed,
            .name = "PM-LOGIN-NEEDED",
            .severity = Severity::warning,
            .sentence =
                [](const About& about) {
                  return of_server(about) + " wants a login, and there is none";
                },
            .command =
                [](const About& about) {
                  return command_for("auth", about);
                }},
    CodeRow{.code = Code::login_expired,
            .name = "PM-LOGIN-EXPIRED",
            .severity = Severity::warning,
            .sentence =
                [](const About& about) {
                  return of_server(about) + ": its login has expired and cannot be renewed";
                },
            .command =
                [](const About& about) {
                  return command_for("auth", about);
                }},
    CodeRow{.code = Code::login_ends,
            .name = "PM-LOGIN-ENDS",
            .severity = Severity::warning,
            .sentence =
                [](const About& about) {
                  return of_server(about) + ": its login ends in " + about.why;
                },
            .command =
                [](const About& about) {
                  return command_for("auth", about);
                }},
    CodeRow{
        .code = Code::start_failed,
        .name = "PM-START-FAILED",
        .severity = Severity::error,
        .sentence =
            [](const About& about) { return of_server(about) + " does not work: " + about.why; },
        .command = mend_start},
    CodeRow{.code = Code::tools_changed,
            .name = "PM-TOOLS-CHANGED",
            .severity = Severity::note,
            .sentence =
                [](const About& about) {
                  return of_server(about) +
                         " lists other tools than when it was last used: " + about.why;
                },
            .command =
                [](const About& about) {
                  return command_for("list", about);
                }},
    CodeRow{.code = Code::started_twice,
            .name = "PM-STARTED-TWICE",
            .severity = Severity::warning,
            .sentence =
                [](const About& about) {
                  return of_server(about) + " is started twice for " + about.what +
                         ": by pi-mcp, and by itself as " + about.path + " says";
                },
            .command = take_out},
    CodeRow{.code = Code::host_broken,
            .name = "PM-HOST-BROKEN",
            .severity = Severity::error,
            .sentence =
                [](const About& about) {
                  return about.what + " cannot start pi-mcp: " + about.path + " names " +
                         about.why + ", which is not there any more";
                },
            .command =
                [](const About& about) {
                  return "pi-mcp setup --hosts " + text::shell_word(about.what);
                }},
    CodeRow{.code = Code::version_other,
            .name = "PM-VERSION-OTHER",
            .severity = Severity::warning,
            .sentence =
                [](const About& about) { return about.path + " is another pi-mcp: " + about.why; },
            .command =
                [](const About& about) {
                  return "ln -sf " + text::shell_word(about.what) + " " +
                         text::shell_word(about.path);
                }},
    CodeRow{.code = Code::secret_missing,
            .name = "PM-SECRET-MISSING",
            .severity = Severity::error,
            .sentence =
                [](const About& about) {
                  return of_server(about) + " uses the secret " + about.what + " in " + about.why;
                },
            .command = store_secret},
    CodeRow{.code = Code::token_plain,
            .name = "PM-TOKEN-PLAIN",
            .severity = Severity::warning,
            .sentence =
                [](const About& about) {
                  return of_server(about) + " has a token in plain text in " + about.why;
                },
            .command = store_secret},
    CodeRow{.code = Code::file_open,
            .name = "PM-FILE-OPEN",
            .severity = Severity::warning,
            .sentence =
                [](const About& about) {
                  return about.path + " has secrets, and other users of this machine can read it";
                },
            .command =
                [](const About& about) {
                  return "chmod 600 " + text::shell_word(about.path);
                }},
    CodeRow{.code = Code::run_failed,
            .name = "PM-RUN-FAILED",
            .severity = Severity::warning,
            .sentence =
                [](const About& about) {
                  return of_server(about) + " failed when it last ran: " + about.why;
                },
            .command =
                [](const About& about) {
                  return command_for("logs", about);
                }},
    CodeRow{.code = Code::import_stale,
            .name = "PM-IMPORT-STALE",
            .severity = Severity::note,
            .sentence =
                [](const About& about) {
                  return about.path + " imports the servers of " + about.why +
                         ", and there are none";
                },
            .command =
                [](const About& about) {
                  return "pi-mcp import --remove " + text::shell_word(about.what);
                }},
    CodeRow{.code = Code::process_left,
            .name = "PM-PROCESS-LEFT",
            .severity = Severity::warning,
            .sentence =
                [](const About& about) {
                  return "process " + about.what + " still keeps " + about.why +
                         ", and the pi-mcp that started it has ended";
                },
            .command =
                [](const About& /*about*/) {
                  return std::string("pi-mcp doctor --fix");
                }},
    CodeRow{.code = Code::runs_alone,
            .name = "PM-RUNS-ALONE",
            .severity = Severity::note,
            .sentence =
                [](const About& about) {
                  return "sessions that are started like this command share no process, each has "
                         "servers of its own: " +
                         about.why;
                },
            .command =
                [](const About& about) {
                  return !about.what.empty()  ? "rm " + text::shell_word(about.what)
                         : about.path.empty() ? std::string("grep NoNewPrivs /proc/self/status")
                                              : "chmod 700 " + text::shell_word(about.path);
                }},
};

}  // namespace

bool is_fixable(const Finding& finding) {
  return finding.code == Code::file_open || finding.code == Code::import_stale ||
         finding.code == Code::process_left ||
         (finding.code == Code::command_spaces && !finding.about.words.empty());
}

std::string_view severity_name(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

std::span<const CodeRow> codes() {
  return table;
}

const CodeRow& row_of(Code code) {
  return *std::ranges::find(table, code, &CodeRow::code);
}

}  // namespace pi_mcp::doctor
