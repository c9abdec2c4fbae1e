// The modes of the `mcp` tool, in one table: what selects each of them, what it does, and how its
// use is written for a model and for a shell. A new one is a value of Mode and a function here, its
// row in modes.cc, and a mode_x.cc that has the function.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "io/loop/task.h"

namespace pi_mcp::tool {

struct Answer;
struct CallContext;
struct ModeParts;
struct ToolRequest;

enum class Mode : std::uint8_t {
  status,
  list,
  search,
  instructions,
  read,
  describe,
  connect,
  call,
  auth_start,
  auth_complete,
  reconnect,
  install,
  keywords,
};

// What the subject of a request is.
enum class Subject : std::uint8_t { nothing, server, tool, uri, words };

struct ModeRow {
  Mode mode = Mode::status;
  std::string_view name;   // `mode` of the details, and the value of `action`
  std::string_view key;    // the parameter that selects it and gives the subject; empty: none does
  bool is_action = false;  // selected by `action`; the subject is `server`
  Subject subject = Subject::nothing;
  bool changes = false;  // does more than look something up, so `mcp` beside mcp_write refuses it
  bool asks_trust = false;   // the user may be asked to trust a project because of it
  std::string_view taught;   // its line in the tool's description, JSON text; empty: none
  std::string_view command;  // of the shell; "{}" is the subject
  // `parts` outlives the task. A failure is an answer, too; ends early when cancelled.
  io::Task<Answer> (*run)(ModeParts* parts, ToolRequest request, CallContext context) = nullptr;
};

// The first that fits a request is its mode; the last fits every request.
std::span<const ModeRow> modes();
const ModeRow& row_of(Mode mode);
// The mode that `action` names.
std::optional<Mode> mode_of_action(std::string_view action);

io::Task<Answer> run_status(ModeParts* parts, ToolRequest request, CallContext context);
io::Task<Answer> run_list(ModeParts* parts, ToolRequest request, CallContext context);
io::Task<Answer> run_search(ModeParts* parts, ToolRequest request, CallContext context);
io::Task<Answer> run_instructions(ModeParts* parts, ToolRequest request, CallContext context);
io::Task<Answer> run_read(ModeParts* parts, ToolRequest request, CallContext context);
io::Task<Answer> run_describe(ModeParts* parts, ToolRequest request, CallContext context);
io::Task<Answer> run_connect(ModeParts* parts, ToolRequest request, CallContext context);
io::Task<Answer> run_call(ModeParts* parts, ToolRequest request, CallContext context);
io::Task<Answer> run_auth_start(ModeParts* parts, ToolRequest request, CallContext context);
io::Task<Answer> run_auth_complete(ModeParts* parts, ToolRequest request, CallContext context);
io::Task<Answer> run_reconnect(ModeParts* parts, ToolRequest request, CallContext context);
io::Task<Answer> run_keywords(ModeParts* parts, ToolRequest request, CallContext context);
io::Task<Answer> run_install(ModeParts* parts, ToolRequest request, CallContext context);

}  // namespace pi_mcp::tool
