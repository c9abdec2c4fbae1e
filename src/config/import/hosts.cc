#include "config/import/hosts.h"

#include <algorithm>

#include "base/text.h"
#include "config/import/reader.h"
#include "config/load.h"
#include "config/paths.h"
#include "config/plugins/pi_packages.h"

namespace pi_mcp::config {

// Each host's two functions are in the file called like it; called by the table below alone.
// NOLINTBEGIN(readability-redundant-declaration): they are not when files are checked one by one
using HostFiles = std::vector<HostFile>;
using ReadHost = void(ImportReader& reader);
using FindFiles = HostFiles(const Environment& environment, const FileSource& files);
ReadHost import_cursor, import_claude_code, import_claude_desktop, import_vscode, import_windsurf,
    import_codex, import_gemini, import_qwen, import_copilot, import_factory, import_amp,
    import_crush, import_zed, import_goose, import_continue, import_opencode, import_cline,
    import_roo_code, import_kiro, import_amazon_q, import_lm_studio, import_junie;
FindFiles cursor_files, claude_code_files, claude_desktop_files, vscode_files, windsurf_files,
    codex_files, gemini_files, qwen_files, copilot_files, factory_files, amp_files, crush_files,
    zed_files, goose_files, continue_files, opencode_files, cline_files, roo_code_files, kiro_files,
    amazon_q_files, lm_studio_files, junie_files;
// NOLINTEND(readability-redundant-declaration): see above

namespace {

// What most hosts take.
constexpr std::string_view plain_entry = R"({"command": "pi-mcp", "args": ["serve"]})";
constexpr std::string_view stdio_entry =
    R"({"type": "stdio", "command": "pi-mcp", "args": ["serve"]})";

// Pi reads our own file, so nothing has to move.
HostFiles pi_files(const Environment& environment, const FileSource& /*files*/) {
  return {{.path = join_path(environment, agent_dir(environment), "settings.json"),
           .members = {},
           .ours = false}};
}

// We keep our files in the same folder as Pi, so that the folder alone does not show Pi.
bool is_pi_here(const Environment& environment, const FileSource& files) {
  const auto in_folder = [&environment](std::string_view name) {
    return join_path(environment, agent_dir(environment), name);
  };
  for (const std::string_view file : {"settings.json", "auth.json", "models.json"}) {
    if (files.is_file(in_folder(file))) {
      return true;
    }
  }
  for (const std::string_view folder : {"sessions", "extensions"}) {
    if (files.is_directory(in_folder(folder))) {
      return true;
    }
  }
  const std::string path = environment.variable("PATH").value_or("");
  const std::vector<std::string_view> folders = text::split(path, ':');
  return std::ranges::any_of(folders, [&](std::string_view folder) {
    return folder.starts_with('/') && files.is_file(std::string(folder) + "/pi");
  });
}

bool has_pi_us(const Environment& environment, const FileSource& files) {
  return pi_has_package(environment, files, "pi-mcp");
}

constexpr Host row(std::string_view kind,
                   std::string_view name,
                   ReadHost* read,
                   FindFiles* files,
                   std::string_view entry) {
  return {.kind = kind,
          .name = name,
          .read = read,
          .user_files = files,
          .entry = entry,
          .instead = {},
          .hands_on = HandsOn::all};
}

constexpr Host handing_on(HandsOn how, Host host) {
  host.hands_on = how;
  return host;
}

constexpr std::array table = {
    row("cursor", "Cursor", import_cursor, cursor_files, plain_entry),
    // docs/hosts.md: without alwaysLoad our names may come two requests later.
    row("claude-code",
        "Claude Code",
        import_claude_code,
        claude_code_files,
        R"({"type": "stdio", "command": "pi-mcp", "args": ["serve"], "alwaysLoad": true})"),
    row("claude-desktop",
        "Claude Desktop",
        import_claude_desktop,
        claude_desktop_files,
        plain_entry),
    row("vscode", "VS Code", import_vscode, vscode_files, stdio_entry),
    row("windsurf", "Windsurf", import_windsurf, windsurf_files, plain_entry),
    handing_on(HandsOn::list, row("codex", "Codex", import_codex, codex_files, plain_entry)),
    row("opencode",
        "opencode",
        import_opencode,
        opencode_files,
        R"({"type": "local", "command": ["pi-mcp", "serve"], "enabled": true})"),
    handing_on(HandsOn::env,
               row("gemini-cli", "Gemini CLI", import_gemini, gemini_files, plain_entry)),
    row("qwen-code", "Qwen Code", import_qwen, qwen_files, plain_entry),
    row("copilot-cli",
        "Copilot CLI",
        import_copilot,
        copilot_files,
        R"({"type": "local", "command": "pi-mcp", "args": ["serve"], "tools": ["*"]})"),
    row("factory", "Factory", import_factory, factory_files, stdio_entry),
    row("amp", "Amp", import_amp, amp_files, plain_entry),
    row("crush", "Crush", import_crush, crush_files, stdio_entry),
    row("zed",
        "Zed",
        import_zed,
        zed_files,
        R"({"command": "pi-mcp", "args": ["serve"], "env": {}})"),
    row("cline",
        "Cline",
        import_cline,
        cline_files,
        R"({"command": "pi-mcp", "args": ["serve"], "disabled": false})"),
    // docs/hosts.md: its 60 seconds are too short for a server that has to be installed first.
    row("roo-code",
        "Roo Code",
        import_roo_code,
        roo_code_files,
        R"({"command": "pi-mcp", "args": ["serve"], "timeout": 300})"),
    row("kiro", "Kiro", import_kiro, kiro_files, plain_entry),
    row("amazon-q", "Amazon Q", import_amazon_q, amazon_q_files, plain_entry),
    row("lm-studio", "LM Studio", import_lm_studio, lm_studio_files, plain_entry),
    row("junie", "Junie", import_junie, junie_files, plain_entry),
    // The title is not the program's path, for which "pi-mcp" stands.
    row("goose",
        "goose",
        import_goose,
        goose_files,
        R"({"enabled": true, "type": "stdio", "name": "Pi-MCP", "cmd": "pi-mcp", )"
        R"("args": ["serve"], "description": "All MCP servers", "timeout": 300})"),
    row("continue", "Continue", import_continue, continue_files, plain_entry),
    Host{.kind = "pi",
         .name = "Pi",
         .user_files = pi_files,
         .instead = "pi-mcp is an extension there: pi install npm:pi-mcp (docs/pi.md)",
         .is_here = is_pi_here,
         .has_us = has_pi_us},
};

}  // namespace

std::string_view instead_of_entry(const Host& host,
                                  const Environment& environment,
                                  const FileSource& files) {
  return host.has_us != nullptr && host.has_us(environment, files)
             ? "pi-mcp is there already, as an extension"
             : host.instead;
}

std::span<const Host> hosts() {
  return table;
}

const Host* find_host(std::string_view kind) {
  const auto* const host = std::find_if(
      table.begin(), table.end(), [kind](const Host& one) { return one.kind == kind; });
  return host == table.end() ? nullptr : host;
}

}  // namespace pi_mcp::config
