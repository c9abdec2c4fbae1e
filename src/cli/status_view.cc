#include "cli/status_view.h"

#include <algorithm>

#include "base/text.h"
#include "cli/shell_words.h"

namespace pi_mcp::cli {
namespace {

using State = gateway::ServerStatus::State;

std::string glyph(State state, const Style& style) {
  switch (state) {
    case State::connected:
      return style.green("✓");
    case State::connecting:
      return style.yellow("○");
    case State::cached:
      return style.green("○");
    case State::not_connected:
      return style.dim("○");
    case State::failed:
      return style.red("✗");
    case State::needs_auth:
      return style.yellow("⚠");
    case State::disabled:
      return style.dim("⊘");
  }
  return "";
}

std::string ago(std::int64_t seconds) {
  return seconds < 60 ? std::to_string(seconds) + " s" : std::to_string(seconds / 60) + " min";
}

std::string state_text(const gateway::ServerStatus& server) {
  switch (server.state) {
    case State::connected:
      return server.process_id == 0 ? "connected"
                                    : "connected, process " + std::to_string(server.process_id);
    case State::connecting:
      return "connecting";
    case State::cached:
      return "ready, starts when needed";
    case State::not_connected:
      return server.reason.empty() ? "never connected" : "";
    case State::failed:
      return "failed " + ago(server.failed_seconds_ago.value_or(0)) + " ago";
    case State::needs_auth:
      return "needs authorization";
    case State::disabled:
      return "disabled";
  }
  return "";
}

std::string with_reason(std::string text, const gateway::ServerStatus& server) {
  if (server.reason.empty() || server.state == State::disabled) {
    return text;
  }
  std::string reason = text::printable(server.reason);
  std::ranges::replace(reason, '\n', ' ');
  return text.empty() ? reason : text + ": " + reason;
}

bool counts(State state) {
  return state != State::disabled;
}

std::string heading(const std::vector<gateway::ServerStatus>& servers, const Style& style) {
  std::size_t enabled = 0;
  std::size_t tools = 0;
  for (const gateway::ServerStatus& server : servers) {
    enabled += counts(server.state) ? 1U : 0U;
    tools += counts(server.state) ? server.tools : 0U;
  }
  const std::string line =
      style.bold(count_text(enabled, "server") + ", " + count_text(tools, "tool"));
  const std::size_t disabled = servers.size() - enabled;
  return line + (disabled == 0 ? "" : style.dim(" (" + std::to_string(disabled) + " disabled)"));
}

std::string next_step(const std::vector<gateway::ServerStatus>& servers) {
  const auto unknown = [](const gateway::ServerStatus& server) {
    return server.state == State::not_connected && server.reason.empty();
  };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(servers, unknown));
  if (count == 1) {
    return "pi-mcp connect " + shell_word(std::ranges::find_if(servers, unknown)->name) +
           " learns its tools";
  }
  if (count > 1) {
    return "pi-mcp connect --all learns the tools of " + count_text(count, "server");
  }
  return "pi-mcp search WORDS finds a tool";
}

constexpr std::string_view no_servers =
    "No servers are configured.\n"
    "\n"
    "  pi-mcp import --all            use those of Cursor, Claude Code and others\n"
    "  pi-mcp add NAME -- COMMAND     add one\n";

}  // namespace

std::string count_text(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string status_view(const std::vector<gateway::ServerStatus>& servers,
                        const Style& style,
                        std::size_t columns) {
  if (servers.empty()) {
    return std::string(no_servers);
  }
  // The last column gets what the others leave.
  std::size_t name_columns = 0;
  std::size_t count_columns = 0;
  for (const gateway::ServerStatus& server : servers) {
    name_columns = std::max(name_columns, columns_of(text::printable(server.name)));
    count_columns = std::max(count_columns, count_text(server.tools, "tool").size());
  }
  const std::size_t before = 2 + 1 + 2 + name_columns + 2 + count_columns + 2;
  const std::size_t left = columns > before + 20 ? columns - before : 20;
  TextTable table;
  for (const gateway::ServerStatus& server : servers) {
    const std::string name = text::printable(server.name);
    const bool known =
        server.state == State::cached || server.state == State::connected || server.tools > 0;
    const std::string tools = known ? count_text(server.tools, "tool") : "";
    const std::string state = cut_to_columns(with_reason(state_text(server), server), left);
    const bool bad = server.state == State::failed || !server.reason.empty();
    table.add({glyph(server.state, style),
               server.state == State::disabled ? style.dim(name) : name,
               tools,
               bad && counts(server.state) ? style.red(state) : style.dim(state)});
  }
  return heading(servers, style) + "\n\n" + table.text("  ") + "\n" +
         style.dim(next_step(servers)) + "\n";
}

}  // namespace pi_mcp::cli
