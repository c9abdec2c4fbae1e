#include "config/import/imports.h"

#include <algorithm>
#include <array>

#include "config/import/reader.h"

namespace pi_mcp::config {

// One function per host, each in a file called like it; called by the table below alone.
// NOLINTBEGIN(readability-redundant-declaration): they are not when files are checked one by one
void import_cursor(ImportReader& reader);
void import_claude_code(ImportReader& reader);
void import_claude_desktop(ImportReader& reader);
void import_vscode(ImportReader& reader);
void import_windsurf(ImportReader& reader);
void import_codex(ImportReader& reader);
void import_opencode(ImportReader& reader);
// NOLINTEND(readability-redundant-declaration): see above

namespace {

struct Host {
  std::string_view kind;
  void (*read)(ImportReader& reader);
};

constexpr std::array hosts = {
    Host{.kind = "cursor", .read = import_cursor},
    Host{.kind = "claude-code", .read = import_claude_code},
    Host{.kind = "claude-desktop", .read = import_claude_desktop},
    Host{.kind = "vscode", .read = import_vscode},
    Host{.kind = "windsurf", .read = import_windsurf},
    Host{.kind = "codex", .read = import_codex},
    Host{.kind = "opencode", .read = import_opencode},
};

}  // namespace

std::vector<std::string> import_kinds() {
  std::vector<std::string> kinds;
  kinds.reserve(hosts.size());
  for (const Host& host : hosts) {
    kinds.emplace_back(host.kind);
  }
  return kinds;
}

Imported read_import(std::string_view kind, const ImportSources& sources) {
  const auto* const host = std::find_if(
      hosts.begin(), hosts.end(), [kind](const Host& one) { return one.kind == kind; });
  if (host == hosts.end()) {
    return {};
  }
  ImportReader reader(host->kind, sources);
  host->read(reader);
  return reader.take();
}

}  // namespace pi_mcp::config
