#include "tool/modes/manage.h"

#include "base/count_text.h"
#include "json/writer.h"
#include "runs/run_folder.h"
#include "tool/failures.h"
#include "tool/modes/status.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

constexpr std::string_view definition =
    R"({"name":"mcp_manage","title":"Manage MCP servers","description":"For the user interface )"
    R"(of the host: changes the configuration of a server, or shows what it said last.",)"
    R"("inputSchema":{"type":"object","properties":{)"
    R"("action":{"enum":["status","enable","disable","direct-tools","logs","register","trust"]},)"
    R"("server":{"type":"string"},"servers":{"type":"object"},"trusted":{"type":"boolean"},)"
    R"("directTools":{"anyOf":[{"type":"boolean"},{"type":"array","items":{"type":"string"}}]}},)"
    R"("required":["action"]},"_meta":{"ui":{"visibility":["app"]}}})";

Answer said(std::string text) {
  return Reply(std::nullopt, std::move(text)).take();
}

Answer refused(Failure failure, std::string_view code, std::string text) {
  return Reply(std::nullopt, failure, code, std::move(text)).take();
}

// What the server said last, in this session or in the one before.
Answer logs_of(const registry::ServerRegistry& registry, const std::string& server) {
  const servers::ServerStatus status = registry.status(server);
  std::string error = status.reason.empty() ? status.last_error : status.reason;
  std::string words = registry.stderr_text(server);
  if (words.empty() && error.empty()) {
    const config::Server* configured = registry.find(server);
    const std::optional<runs::LastRun> last =
        configured == nullptr
            ? std::nullopt
            : runs::RunFolder(registry.settings().agent_dir).last_run(*configured);
    if (last) {
      error = last->error;
      words = last->stderr_tail;
    }
  }
  std::string text = server + ": " + std::string(servers::state_name(status.state));
  text += error.empty() ? "" : "\nLast error: " + error;
  text += words.empty() ? "\nIt has written nothing to its stderr." : "\nstderr:\n" + words;
  return said(std::move(text));
}

bool is_selection(json::Value value) {
  if (!value.is_array()) {
    return value.as_bool().has_value();
  }
  for (const json::Value element : value.elements()) {
    if (!element.is_string()) {
      return false;
    }
  }
  return true;
}

struct Change {
  std::string server;
  std::string_view key;
  std::string value_json;
  std::string_view done;  // "disabled": what the server then is
  std::string_view note;  // behind the sentence that says so
};

Answer apply(const ConfigAccess& access, const Change& change) {
  const Result<std::string> file =
      access.edit ? access.edit(change.server, change.key, change.value_json)
                  : fail(ErrorCode::invalid_argument, "the configuration cannot be changed here");
  if (!file) {
    return refused(Failure::usage, "config_not_changed", file.error().message());
  }
  const std::string what = change.server + " " + std::string(change.done);
  return said(what + (file->empty() ? " already" : " now, in " + *file) + std::string(change.note));
}

Answer register_servers(const ConfigAccess& access, json::Value servers) {
  if (!servers.is_object() || !access.register_servers) {
    return refused(
        Failure::usage, "invalid_parameter", "register needs servers, an object like mcpServers");
  }
  access.register_servers(json::compact(servers));
  return said(text::count_text(servers.size(), "server") + (servers.size() == 1 ? " is" : " are") +
              " registered");
}

Answer take_trust(const ConfigAccess& access, json::Value trusted) {
  if (!trusted.as_bool() || !access.host_trusts) {
    return refused(Failure::usage, "invalid_parameter", "trust needs trusted: true or false");
  }
  access.host_trusts(trusted.bool_or(false));
  return said(trusted.bool_or(false) ? "the host trusts this folder"
                                     : "the host does not trust this folder");
}

}  // namespace

std::string_view manage_tool_name() {
  return "mcp_manage";
}

std::string_view manage_tool_definition() {
  return definition;
}

Answer manage(const registry::ServerRegistry& registry,
              const ConfigAccess& access,
              json::Value arguments) {
  const std::string action = arguments.find("action").string_or("");
  if (action == "register") {
    return register_servers(access, arguments.find("servers"));
  }
  if (action == "trust") {
    return take_trust(access, arguments.find("trusted"));
  }
  if (action == "status") {
    return said(status_facts(registry.statuses(), registry.settings(), TrustStep::tell).lines());
  }
  const std::string server = arguments.find("server").string_or("");
  if (registry.find(server) == nullptr) {
    return refused(Failure::not_found,
                   "server_not_found",
                   "Server " + quoted(server) + " not found in config");
  }
  if (action == "logs") {
    return logs_of(registry, server);
  }
  if (action == "enable" || action == "disable") {
    const bool disabled = action == "disable";
    return apply(access,
                 {.server = server,
                  .key = "disabled",
                  .value_json = disabled ? "true" : "false",
                  .done = disabled ? "is disabled" : "is enabled",
                  .note = ""});
  }
  const json::Value chosen = arguments.find("directTools");
  if (action == "direct-tools" && is_selection(chosen)) {
    const bool is_forced =
        !registry.environment().variable("MCP_DIRECT_TOOLS").value_or("").empty();
    return apply(
        access,
        {.server = server,
         .key = "directTools",
         .value_json = json::compact(chosen),
         .done = "has these direct tools",
         .note = is_forced ? ". This session does not use them: MCP_DIRECT_TOOLS is set" : ""});
  }
  return refused(
      Failure::usage,
      "invalid_parameter",
      action == "direct-tools"
          ? "direct-tools needs directTools: true, false or a list of names"
          : "action must be status, enable, disable, direct-tools, logs, register or trust");
}

}  // namespace pi_mcp::tool
