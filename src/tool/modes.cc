#include "tool/modes.h"

#include <algorithm>
#include <array>

#include "tool/answer.h"
#include "tool/call_context.h"
#include "tool/mode_parts.h"
#include "tool/request.h"

namespace pi_mcp::tool {
namespace {

// In order of precedence. The description of the tool has the lines in the opposite order, from
// what needs nothing to what needs most.
constexpr std::array table = {
    ModeRow{.mode = Mode::auth_start,
            .name = "auth-start",
            .key = "",
            .is_action = true,
            .subject = Subject::server,
            .changes = true,
            .taught = "",
            .command = "auth {}",
            .run = run_auth_start},
    ModeRow{.mode = Mode::auth_complete,
            .name = "auth-complete",
            .key = "",
            .is_action = true,
            .subject = Subject::server,
            .changes = true,
            .taught = "",
            .command = "auth {}",
            .run = run_auth_complete},
    ModeRow{.mode = Mode::reconnect,
            .name = "reconnect",
            .key = "",
            .is_action = true,
            .subject = Subject::server,
            .changes = true,
            .taught = "",
            .command = "connect {}",
            .run = run_reconnect},
    ModeRow{.mode = Mode::install,
            .name = "install",
            .key = "",
            .is_action = true,
            .subject = Subject::nothing,
            .changes = true,
            .taught = "",
            .command = "add NAME URL",
            .run = run_install},
    ModeRow{.mode = Mode::keywords,
            .name = "keywords",
            .key = "",
            .is_action = true,
            .subject = Subject::server,
            .changes = true,
            .taught = "",
            .command = "keywords",
            .run = run_keywords},
    ModeRow{.mode = Mode::call,
            .name = "call",
            .key = "tool",
            .subject = Subject::tool,
            .asks_trust = true,
            .taught = R"({tool:\"name\",args:{...}} call)",
            .command = "call {} key=value",
            .run = run_call},
    ModeRow{.mode = Mode::connect,
            .name = "connect",
            .key = "connect",
            .subject = Subject::server,
            .asks_trust = true,
            .taught = R"({connect:\"server\"} start or refresh)",
            .command = "connect {}",
            .run = run_connect},
    ModeRow{.mode = Mode::describe,
            .name = "describe",
            .key = "describe",
            .subject = Subject::tool,
            .asks_trust = true,
            .taught = R"({describe:\"tool\"} one tool)",
            .command = "describe {}",
            .run = run_describe},
    ModeRow{.mode = Mode::read,
            .name = "read",
            .key = "read",
            .subject = Subject::uri,
            .asks_trust = true,
            .taught = R"({read:\"uri\"} a resource)",
            .command = "read {}",
            .run = run_read},
    ModeRow{.mode = Mode::instructions,
            .name = "instructions",
            .key = "instructions",
            .subject = Subject::server,
            .taught = R"({instructions:\"server\"} usage notes)",
            .command = "list {} --instructions",
            .run = run_instructions},
    ModeRow{.mode = Mode::search,
            .name = "search",
            .key = "search",
            .subject = Subject::words,
            .taught = R"({search:\"words\"} find tools and their parameters)",
            .command = "search {}",
            .run = run_search},
    ModeRow{.mode = Mode::list,
            .name = "list",
            .key = "server",
            .subject = Subject::server,
            .taught = R"({server} list its tools)",
            .command = "list {}",
            .run = run_list},
    ModeRow{.mode = Mode::status,
            .name = "status",
            .key = "",
            .taught = R"({} server status)",
            .command = "status",
            .run = run_status},
};

}  // namespace

std::span<const ModeRow> modes() {
  return table;
}

const ModeRow& row_of(Mode mode) {
  return *std::ranges::find(table, mode, &ModeRow::mode);
}

std::optional<Mode> mode_of_action(std::string_view action) {
  const auto row = std::ranges::find_if(
      table, [action](const ModeRow& each) { return each.is_action && each.name == action; });
  return row == table.end() ? std::nullopt : std::optional(row->mode);
}

}  // namespace pi_mcp::tool
