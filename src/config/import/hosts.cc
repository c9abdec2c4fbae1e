#include "config/import/hosts.h"

#include <algorithm>

#include "config/import/reader.h"
#include "config/paths.h"

namespace pi_mcp::config {

// Each host's two functions are in the file called like it; called by the table below alone.
// NOLINTBEGIN(readability-redundant-declaration): they are not when files are checked one by one
using HostFiles = std::vector<HostFile>;
void import_cursor(ImportReader& reader);
HostFiles cursor_files(const Environment& environment, const FileSource& files);
void import_claude_code(ImportReader& reader);
HostFiles claude_code_files(const Environment& environment, const FileSource& files);
void import_claude_desktop(ImportReader& reader);
HostFiles claude_desktop_files(const Environment& environment, const FileSource& files);
void import_vscode(ImportReader& reader);
HostFiles vscode_files(const Environment& environment, const FileSource& files);
void import_windsurf(ImportReader& reader);
HostFiles windsurf_files(const Environment& environment, const FileSource& files);
void import_codex(ImportReader& reader);
HostFiles codex_files(const Environment& environment, const FileSource& files);
void import_gemini(ImportReader& reader);
HostFiles gemini_files(const Environment& environment, const FileSource& files);
void import_qwen(ImportReader& reader);
HostFiles qwen_files(const Environment& environment, const FileSource& files);
void import_copilot(ImportReader& reader);
HostFiles copilot_files(const Environment& environment, const FileSource& files);
void import_factory(ImportReader& reader);
HostFiles factory_files(const Environment& environment, const FileSource& files);
void import_amp(ImportReader& reader);
HostFiles amp_files(const Environment& environment, const FileSource& files);
void import_crush(ImportReader& reader);
HostFiles crush_files(const Environment& environment, const FileSource& files);
void import_zed(ImportReader& reader);
HostFiles zed_files(const Environment& environment, const FileSource& files);
void import_goose(ImportReader& reader);
HostFiles goose_files(const Environment& environment, const FileSource& files);
void import_continue(ImportReader& reader);
HostFiles continue_files(const Environment& environment, const FileSource& files);
void import_opencode(ImportReader& reader);
HostFiles opencode_files(const Environment& environment, const FileSource& files);
void import_cline(ImportReader& reader);
HostFiles cline_files(const Environment& environment, const FileSource& files);
void import_roo_code(ImportReader& reader);
HostFiles roo_code_files(const Environment& environment, const FileSource& files);
void import_kiro(ImportReader& reader);
HostFiles kiro_files(const Environment& environment, const FileSource& files);
void import_amazon_q(ImportReader& reader);
HostFiles amazon_q_files(const Environment& environment, const FileSource& files);
void import_lm_studio(ImportReader& reader);
HostFiles lm_studio_files(const Environment& environment, const FileSource& files);
void import_junie(ImportReader& reader);
HostFiles junie_files(const Environment& environment, const FileSource& files);
// NOLINTEND(readability-redundant-declaration): see above

namespace {

// What most hosts take.
constexpr std::string_view plain_entry = R"({"command": "pi-mcp", "args": ["serve"]})";
constexpr std::string_view stdio_entry =
    R"({"type": "stdio", "command": "pi-mcp", "args": ["serve"]})";

// Pi reads our own file, so nothing has to move; its folder shows that it is there.
HostFiles pi_files(const Environment& environment, const FileSource& /*files*/) {
  const std::string folder = join_path(environment, environment.home, ".pi");
  return {{.path = join_path(environment, folder, "agent/settings.json"),
           .members = {},
           .ours = false,
           .seen_by = folder}};
}

constexpr std::array table = {
    Host{.kind = "cursor",
         .name = "Cursor",
         .read = import_cursor,
         .user_files = cursor_files,
         .entry = plain_entry},
    // docs/hosts.md: without alwaysLoad our names may come two requests later.
    Host{.kind = "claude-code",
         .name = "Claude Code",
         .read = import_claude_code,
         .user_files = claude_code_files,
         .entry =
             R"({"type": "stdio", "command": "pi-mcp", "args": ["serve"], "alwaysLoad": true})"},
    Host{.kind = "claude-desktop",
         .name = "Claude Desktop",
         .read = import_claude_desktop,
         .user_files = claude_desktop_files,
         .entry = plain_entry},
    Host{.kind = "vscode",
         .name = "VS Code",
         .read = import_vscode,
         .user_files = vscode_files,
         .entry = stdio_entry},
    Host{.kind = "windsurf",
         .name = "Windsurf",
         .read = import_windsurf,
         .user_files = windsurf_files,
         .entry = plain_entry},
    Host{.kind = "codex",
         .name = "Codex",
         .read = import_codex,
         .user_files = codex_files,
         .entry = plain_entry,
         .hands_on = HandsOn::list},
    Host{.kind = "opencode",
         .name = "opencode",
         .read = import_opencode,
         .user_files = opencode_files,
         .entry = R"({"type": "local", "command": ["pi-mcp", "serve"], "enabled": true})"},
    Host{.kind = "gemini-cli",
         .name = "Gemini CLI",
         .read = import_gemini,
         .user_files = gemini_files,
         .entry = plain_entry,
         .hands_on = HandsOn::env},
    Host{.kind = "qwen-code",
         .name = "Qwen Code",
         .read = import_qwen,
         .user_files = qwen_files,
         .entry = plain_entry},
    Host{.kind = "copilot-cli",
         .name = "Copilot CLI",
         .read = import_copilot,
         .user_files = copilot_files,
         .entry = R"({"type": "local", "command": "pi-mcp", "args": ["serve"], "tools": ["*"]})"},
    Host{.kind = "factory",
         .name = "Factory",
         .read = import_factory,
         .user_files = factory_files,
         .entry = stdio_entry},
    Host{.kind = "amp",
         .name = "Amp",
         .read = import_amp,
         .user_files = amp_files,
         .entry = plain_entry},
    Host{.kind = "crush",
         .name = "Crush",
         .read = import_crush,
         .user_files = crush_files,
         .entry = stdio_entry},
    Host{.kind = "zed",
         .name = "Zed",
         .read = import_zed,
         .user_files = zed_files,
         .entry = R"({"command": "pi-mcp", "args": ["serve"], "env": {}})"},
    Host{.kind = "cline",
         .name = "Cline",
         .read = import_cline,
         .user_files = cline_files,
         .entry = R"({"command": "pi-mcp", "args": ["serve"], "disabled": false})"},
    // docs/hosts.md: its 60 seconds are too short for a server that has to be installed first.
    Host{.kind = "roo-code",
         .name = "Roo Code",
         .read = import_roo_code,
         .user_files = roo_code_files,
         .entry = R"({"command": "pi-mcp", "args": ["serve"], "timeout": 300})"},
    Host{.kind = "kiro",
         .name = "Kiro",
         .read = import_kiro,
         .user_files = kiro_files,
         .entry = plain_entry},
    Host{.kind = "amazon-q",
         .name = "Amazon Q",
         .read = import_amazon_q,
         .user_files = amazon_q_files,
         .entry = plain_entry},
    Host{.kind = "lm-studio",
         .name = "LM Studio",
         .read = import_lm_studio,
         .user_files = lm_studio_files,
         .entry = plain_entry},
    Host{.kind = "junie",
         .name = "Junie",
         .read = import_junie,
         .user_files = junie_files,
         .entry = plain_entry},
    // The title is not the program's path, for which "pi-mcp" stands.
    Host{.kind = "goose",
         .name = "goose",
         .read = import_goose,
         .user_files = goose_files,
         .entry = R"({"enabled": true, "type": "stdio", "name": "Pi-MCP", "cmd": "pi-mcp", )"
                  R"("args": ["serve"], "description": "All MCP servers", "timeout": 300})"},
    Host{.kind = "continue",
         .name = "Continue",
         .read = import_continue,
         .user_files = continue_files,
         .entry = plain_entry},
    Host{.kind = "pi",
         .name = "Pi",
         .user_files = pi_files,
         .instead = "pi-mcp is an extension there: pi install FOLDER-OF-PI-MCP (docs/pi.md)"},
};

}  // namespace

std::span<const Host> hosts() {
  return table;
}

const Host* find_host(std::string_view kind) {
  const auto* const host = std::find_if(
      table.begin(), table.end(), [kind](const Host& one) { return one.kind == kind; });
  return host == table.end() ? nullptr : host;
}

}  // namespace pi_mcp::config
