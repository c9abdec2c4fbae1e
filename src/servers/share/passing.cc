#include "servers/share/passing.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"

namespace pi_mcp::servers {
namespace {

// Reasons that several rows have.
constexpr std::string_view a_shell = "of one interactive shell";
constexpr std::string_view a_terminal = "which terminal shows the session, and its window";
constexpr std::string_view a_multiplexer = "which pane of a multiplexer shows the session";
constexpr std::string_view an_editor = "which window of an editor it was started from";
constexpr std::string_view an_agent = "which agent, and which run of it, has started us";
constexpr std::string_view a_unit = "which unit of the service manager has started us";
constexpr std::string_view a_login = "by which login, seat or launcher it was started";
constexpr std::string_view a_prompt = "what a prompt or a hook of the shell keeps for itself";
constexpr std::string_view a_pager = "with what a person on a terminal reads and writes";
constexpr std::string_view a_version_manager = "a switch of one shell; PATH says what it chose";

constexpr std::array table = {
    PassingVariable("PWD", "the folder is part of the launch itself"),
    PassingVariable("OLDPWD", "the folder before the last cd"),
    PassingVariable("SHLVL", "how many shells are nested"),
    PassingVariable("_", "the last command of the shell"),
    PassingVariable("PS1", a_shell),
    PassingVariable("PS2", a_shell),
    PassingVariable("PS4", a_shell),
    PassingVariable("PROMPT_COMMAND", a_shell),
    PassingVariable("HISTFILE", a_shell),
    PassingVariable("HISTSIZE", a_shell),
    PassingVariable("HISTFILESIZE", a_shell),
    PassingVariable("HISTCONTROL", a_shell),
    PassingVariable("HISTIGNORE", a_shell),
    PassingVariable("SAVEHIST", a_shell),
    PassingVariable("BASH_EXECUTION_STRING", a_shell),
    PassingVariable("fish_*", a_shell),

    PassingVariable("TERM", "a server's streams are pipes, never a terminal"),
    PassingVariable("TERM_*", a_terminal),
    PassingVariable("TERMINFO", a_terminal),
    PassingVariable("TERMINFO_DIRS", a_terminal),
    PassingVariable("TERMINAL_EMULATOR", a_terminal),
    PassingVariable("COLORTERM", a_terminal),
    PassingVariable("COLORFGBG", a_terminal),
    PassingVariable("COLUMNS", a_terminal),
    PassingVariable("LINES", a_terminal),
    PassingVariable("LS_COLORS", "how a terminal colours lists of files"),
    PassingVariable("LESSOPEN", "how a pager shows files on a terminal"),
    PassingVariable("LESSCLOSE", "how a pager shows files on a terminal"),
    PassingVariable("WINDOWID", a_terminal),
    PassingVariable("WINDOWPATH", a_terminal),
    PassingVariable("VTE_VERSION", a_terminal),
    PassingVariable("GNOME_TERMINAL_*", a_terminal),
    PassingVariable("KONSOLE_*", a_terminal),
    PassingVariable("KITTY_*", a_terminal),
    PassingVariable("WEZTERM_*", a_terminal),
    PassingVariable("ALACRITTY_*", a_terminal),
    PassingVariable("GHOSTTY_*", a_terminal),
    PassingVariable("FOOT_*", a_terminal),
    PassingVariable("ITERM_*", a_terminal),
    PassingVariable("LC_TERMINAL", a_terminal),
    PassingVariable("LC_TERMINAL_VERSION", a_terminal),
    PassingVariable("TILIX_ID", a_terminal),
    PassingVariable("TERMINATOR_*", a_terminal),
    PassingVariable("WARP_*", a_terminal),
    PassingVariable("WT_SESSION", a_terminal),
    PassingVariable("WT_PROFILE_ID", a_terminal),
    PassingVariable("XTERM_*", a_terminal),
    PassingVariable("TMUX", a_multiplexer),
    PassingVariable("TMUX_*", a_multiplexer),
    PassingVariable("STY", a_multiplexer),
    PassingVariable("WINDOW", a_multiplexer, "STY"),
    PassingVariable("TERMCAP", a_multiplexer),
    PassingVariable("ZELLIJ", a_multiplexer),
    PassingVariable("ZELLIJ_*", a_multiplexer),
    PassingVariable("GPG_TTY", "the terminal for pinentry, which a server has none of"),

    PassingVariable("VSCODE_*", an_editor),
    PassingVariable("CURSOR_TRACE_ID", an_editor),
    PassingVariable("CURSOR_AGENT", an_agent),
    PassingVariable("ELECTRON_*", "what an editor's own process is told"),
    PassingVariable("CHROME_DESKTOP", "what an editor's own process is told"),
    PassingVariable("ORIGINAL_XDG_CURRENT_DESKTOP", "what an editor's own process is told"),
    PassingVariable("GDK_BACKEND", "what an editor's own process is told", "CHROME_DESKTOP"),
    PassingVariable("NO_AT_BRIDGE", "what an editor's own process is told", "CHROME_DESKTOP"),
    PassingVariable("GIT_ASKPASS", "a helper that asks in a window", "VSCODE_GIT_ASKPASS_MAIN"),
    PassingVariable("BROWSER", "a helper that asks a window", "VSCODE_IPC_HOOK_CLI"),
    PassingVariable("NODE_OPTIONS", "a debugger of a window", "VSCODE_INSPECTOR_OPTIONS"),
    PassingVariable("PYTHONSTARTUP", "for Python on a terminal", "VSCODE_INJECTION"),
    PassingVariable("PYTHON_BASIC_REPL", "for Python on a terminal"),
    PassingVariable("ZDOTDIR", "how an editor starts its shell", "VSCODE_INJECTION"),
    PassingVariable("USER_ZDOTDIR", "how an editor starts its shell"),
    PassingVariable("REMOTE_CONTAINERS", "which window has opened the container"),
    PassingVariable("REMOTE_CONTAINERS_*", "which window has opened the container"),
    PassingVariable("NVIM", an_editor),
    PassingVariable("NVIM_*", an_editor),
    PassingVariable("VIMRUNTIME", an_editor),
    PassingVariable("VIM", an_editor),
    PassingVariable("MYVIMRC", an_editor),
    PassingVariable("INSIDE_EMACS", an_editor),
    PassingVariable("ZED_*", an_editor),
    PassingVariable("IDEA_INITIAL_DIRECTORY", an_editor),
    PassingVariable("TERM_SESSION_ID", a_terminal),

    PassingVariable("CLAUDECODE", an_agent),
    PassingVariable("CLAUDE_CODE_*", an_agent),
    PassingVariable("CLAUDE_PROJECT_DIR", "the folder is part of the launch itself"),
    PassingVariable("AI_AGENT", an_agent),
    PassingVariable("CODEX_*", an_agent),
    PassingVariable("GEMINI_CLI", an_agent),
    PassingVariable("QWEN_CODE", an_agent),
    PassingVariable("OPENCODE", an_agent),
    PassingVariable("COREPACK_ENABLE_AUTO_PIN", an_agent, "CLAUDECODE"),
    PassingVariable("GIT_EDITOR", "an agent has no editor to show", "CLAUDECODE"),
    PassingVariable("NoDefaultCurrentDirectoryInExePath", an_agent, "CLAUDECODE"),
    PassingVariable("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", an_agent, "CLAUDECODE"),
    PassingVariable("PI_CODING_AGENT", an_agent),
    PassingVariable("PI_CODING_AGENT_SESSION_*", an_agent),

    PassingVariable("INVOCATION_ID", a_unit),
    PassingVariable("JOURNAL_STREAM", a_unit),
    PassingVariable("SYSTEMD_EXEC_PID", a_unit),
    PassingVariable("MANAGERPID", a_unit),
    PassingVariable("MANAGERPIDFDID", a_unit),
    PassingVariable("NOTIFY_SOCKET", a_unit),
    PassingVariable("LISTEN_FDS", a_unit),
    PassingVariable("LISTEN_PID", a_unit),
    PassingVariable("LISTEN_FDNAMES", a_unit),
    PassingVariable("WATCHDOG_PID", a_unit),
    PassingVariable("WATCHDOG_USEC", a_unit),
    PassingVariable("MEMORY_PRESSURE_WATCH", a_unit),
    PassingVariable("MEMORY_PRESSURE_WRITE", a_unit),
    PassingVariable("RUNTIME_DIRECTORY", a_unit, "INVOCATION_ID"),
    PassingVariable("SSH_TTY", a_login),
    PassingVariable("SSH_CONNECTION", a_login),
    PassingVariable("SSH_CLIENT", a_login),
    PassingVariable("MAIL", "of a login shell"),
    PassingVariable("MOTD_SHOWN", "of a login shell"),
    PassingVariable("XDG_SESSION_*", a_login),
    PassingVariable("DBUS_STARTER_*", a_login),
    PassingVariable("XDG_SEAT", a_login),
    PassingVariable("XDG_SEAT_PATH", a_login),
    PassingVariable("XDG_VTNR", a_login),
    PassingVariable("XDG_GREETER_DATA_DIR", a_login),
    PassingVariable("XDG_ACTIVATION_TOKEN", a_login),
    PassingVariable("XDG_MENU_PREFIX", a_login),
    PassingVariable("DESKTOP_STARTUP_ID", a_login),
    PassingVariable("DESKTOP_SESSION", a_login),
    PassingVariable("GDMSESSION", a_login),
    PassingVariable("GDM_LANG", a_login),
    PassingVariable("SESSION_MANAGER", a_login),
    PassingVariable("GNOME_SETUP_DISPLAY", a_login),
    PassingVariable("GNOME_SHELL_SESSION_MODE", a_login),
    PassingVariable("GIO_LAUNCHED_DESKTOP_FILE", a_login),
    PassingVariable("GIO_LAUNCHED_DESKTOP_FILE_PID", a_login),
    PassingVariable("BAMF_DESKTOP_FILE_HINT", a_login),
    PassingVariable("IM_CONFIG_PHASE", a_login),
    PassingVariable("GTK_MODULES", "for windows of the desktop"),

    PassingVariable("STARSHIP_*", a_prompt),
    PassingVariable("ATUIN_*", a_prompt),
    PassingVariable("DIRENV_*", "what direnv has changed here; the variables themselves count"),
    PassingVariable("POSH_*", a_prompt),
    PassingVariable("P9K_*", a_prompt),
    PassingVariable("_P9K_*", a_prompt),
    PassingVariable("__MISE_*", a_prompt),
    PassingVariable("MISE_SHELL", a_prompt),
    PassingVariable("VIRTUAL_ENV_PROMPT", a_prompt),
    PassingVariable("CONDA_PROMPT_MODIFIER", a_prompt),
    PassingVariable("CONDA_SHLVL", a_prompt),
    PassingVariable("ZOXIDE_*", a_prompt),
    PassingVariable("__ETC_*", a_prompt),
    PassingVariable("__fish_*", a_prompt),
    PassingVariable("FNM_MULTISHELL_PATH", a_version_manager),
    PassingVariable("NVM_CD_FLAGS", a_version_manager),
    PassingVariable("npm_*", "what npm tells a script of its package", "npm_execpath"),
    PassingVariable("INIT_CWD", "what npm tells a script of its package", "npm_execpath"),
    PassingVariable("NODE", "what npm tells a script of its package", "npm_execpath"),
    PassingVariable("EDITOR", a_pager),
    PassingVariable("VISUAL", a_pager),
    PassingVariable("PAGER", a_pager),
    PassingVariable("MANPAGER", a_pager),
    PassingVariable("GIT_PAGER", a_pager),
    PassingVariable("LESS", a_pager),
    PassingVariable("COLOR", "what npm tells a script of its package", "npm_execpath"),
};

// npm hands these on only where a person has set them, and a server's packages come from there.
constexpr std::array<std::string_view, 5> of_the_user = {"npm_config_registry",
                                                         "npm_config_cafile",
                                                         "npm_config_proxy",
                                                         "npm_config_https_proxy",
                                                         "npm_config_strict_ssl"};

bool matches(std::string_view pattern, std::string_view name) {
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1))
                                : name == pattern;
}

bool is_set(std::string_view name, const Variables& all) {
  return name.empty() || all.contains(std::string(name));
}

// What every list has that hosts pass on in place of an environment, and what they add where it is
// set: the SDKs' and Codex'. What says the language is apart.
constexpr std::array<std::string_view, 8> short_list = {
    "HOME", "LOGNAME", "PATH", "SHELL", "USER", "TMPDIR", "TZ", "__CF_USER_TEXT_ENCODING"};

bool is_ours(std::string_view name) {
  return name.starts_with("PI_MCP_") || name == "PI_CODING_AGENT_DIR";
}

// Codex: <CODEX_HOME>/tmp/arg0…, with programs of this process.
bool is_of_codex(std::string_view folder) {
  return folder.find("/tmp/arg0/") != std::string_view::npos ||
         folder.substr(folder.rfind('/') + 1).starts_with("arg0");
}

bool is_of_npm(std::string_view folder) {
  return folder.ends_with("/node_modules/.bin") || folder.ends_with("/node-gyp-bin");
}

}  // namespace

std::span<const PassingVariable> passing_variables() {
  return table;
}

const PassingVariable* find_passing(std::string_view name, const Variables& all) {
  if (std::ranges::find(of_the_user, name) != of_the_user.end()) {
    return nullptr;
  }
  const auto found = std::ranges::find_if(table, [&](const PassingVariable& row) {
    return matches(row.name, name) && is_set(row.with, all);
  });
  return found == table.end() ? nullptr : &*found;
}

std::string lasting_path(std::string_view path, const Variables& all, const RealPath& real_path) {
  const bool by_npm = all.contains("npm_execpath");
  std::vector<std::string> folders;
  for (const std::string_view folder : text::split(path, ':')) {
    if (is_of_codex(folder) || (by_npm && is_of_npm(folder))) {
      continue;
    }
    std::string lasting(folder);
    if (folder.find("/fnm_multishells/") != std::string_view::npos) {
      lasting = real_path(lasting);
    }
    // Every shell in a shell puts its folders in front once more.
    if (std::ranges::find(folders, lasting) == folders.end()) {
      folders.push_back(std::move(lasting));
    }
  }
  return text::join(folders, ":");
}

Variables without_passing(const Variables& all, const RealPath& real_path) {
  Variables lasting;
  for (const auto& [name, value] : all) {
    if (find_passing(name, all) == nullptr) {
      lasting.emplace(name, name == "PATH" ? lasting_path(value, all, real_path) : value);
    }
  }
  // Electron tells its children of another desktop than there is.
  if (const auto desktop = all.find("ORIGINAL_XDG_CURRENT_DESKTOP"); desktop != all.end()) {
    lasting["XDG_CURRENT_DESKTOP"] = desktop->second;
  }
  return lasting;
}

bool says_language(std::string_view name) {
  return name == "LANG" || name == "LANGUAGE" || name.starts_with("LC_");
}

bool is_short_list(const Variables& lasting) {
  return std::ranges::all_of(lasting, [](const auto& variable) {
    const std::string& name = variable.first;
    return std::ranges::find(short_list, name) != short_list.end() || says_language(name) ||
           is_ours(name);
  });
}

}  // namespace pi_mcp::servers
