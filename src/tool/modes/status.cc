#include "tool/modes/status.h"

#include <algorithm>
#include <utility>

#include "base/count_text.h"
#include "base/text.h"
#include "config/describe.h"
#include "io/loop/clock.h"
#include "servers/launch/launch.h"
#include "servers/launch/oauth_access.h"
#include "tool/call_context.h"
#include "tool/consent/trust_gate.h"
#include "tool/failures.h"
#include "tool/mode_parts.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

// A reason is one line of this many UTF-16 units; `details` has the whole of it.
constexpr std::size_t reason_units_max = 160;
constexpr std::size_t warnings_max = 5;

using State = servers::ServerStatus::State;

std::string short_line(std::string_view text) {
  return text::cut(one_line(text), reason_units_max);
}

std::string with_reason(const std::string& line, const servers::ServerStatus& server) {
  return server.reason.empty() ? line : line + " \u2014 " + short_line(server.reason);
}

std::string untrusted_line(const servers::ServerStatus& server, bool to_people) {
  const bool is_told = to_people || is_told_before_trust(server.name);
  return "\u26a0 " + (is_told ? one_line(server.name) : "one whose name is told after that") +
         " (project) (needs trust)";
}

std::string server_line(const servers::ServerStatus& server, bool to_people) {
  const std::string name = one_line(server.name) + (server.is_projects ? " (project)" : "");
  const std::string count = text::count_text(server.tools, "tool");
  switch (server.state) {
    case State::connected:
      return "\u2713 " + name + " (" + count + ")";
    case State::connecting:
      return "\u25cb " + name + " (connecting)";
    case State::cached:
      return "\u25cb " + name + " (" + count + ", cached)";
    case State::failed:
      return with_reason("\u2717 " + name + " (failed " +
                             std::to_string(server.failed_seconds_ago.value_or(0)) + "s ago)",
                         server);
    case State::needs_auth:
      return "\u26a0 " + name + " (needs auth)";
    case State::disabled:
      return with_reason("\u2298 " + name + " (disabled)", server);
    case State::needs_trust:
      return untrusted_line(server, to_people);
    case State::not_connected:
      break;
  }
  return with_reason("\u25cb " + name + " (not connected)", server);
}

struct Totals {
  std::size_t enabled = 0;
  std::size_t connected = 0;
  std::size_t disabled = 0;
  std::size_t untrusted = 0;
  std::size_t tools = 0;
};

Totals totals_of(const std::vector<servers::ServerStatus>& servers) {
  Totals totals;
  for (const servers::ServerStatus& server : servers) {
    if (server.state == State::disabled) {
      ++totals.disabled;
      continue;
    }
    if (server.state == State::needs_trust) {
      ++totals.untrusted;
      continue;
    }
    ++totals.enabled;
    totals.connected += server.state == State::connected ? 1U : 0U;
    totals.tools += server.tools;
  }
  return totals;
}

std::string warning_lines(const std::vector<config::Warning>& warnings) {
  std::string lines;
  for (std::size_t i = 0; i < std::min(warnings.size(), warnings_max); ++i) {
    lines += "\n! " + short_line(warnings[i].message);
  }
  if (warnings.size() > warnings_max) {
    lines += "\n! " + std::to_string(warnings.size() - warnings_max) + " more warnings";
  }
  return lines.empty() ? lines : "\n\nConfiguration:" + lines;
}

void write_server(const servers::ServerStatus& server, json::Writer& out) {
  out.begin_object()
      .member("name", server.name)
      .member("status", servers::state_name(server.state))
      .member("toolCount", server.tools);
  if (server.is_projects) {
    out.member("project", true);
  }
  if (server.failed_seconds_ago) {
    out.member("failedAgo", *server.failed_seconds_ago);
  }
  if (!server.reason.empty()) {
    out.member("reason", server.reason);
  }
  if (!server.notes.empty() || !server.login_ends.empty()) {
    out.key("notes").begin_array();
    for (const std::string& note : server.notes) {
      out.string(note);
    }
    if (!server.login_ends.empty()) {
      out.string(server.login_ends);
    }
    out.end_array();
  }
  if (server.process_id != 0) {
    out.member("processId", server.process_id);
  }
  if (server.connected_seconds) {
    out.member("connectedSeconds", *server.connected_seconds);
  }
  out.end_object();
}

}  // namespace

Message StatusFacts::lines() const {
  return lines_for(Audience::people);
}

Message StatusFacts::lines_for(Audience audience) const {
  const Totals totals = totals_of(servers);
  Message text = "MCP: " + std::to_string(totals.connected) + "/" + std::to_string(totals.enabled) +
                 " servers, " + text::count_text(totals.tools, "tool");
  std::vector<std::string> others;
  for (const auto& [count, what] :
       {std::pair(totals.disabled, " disabled"),
        std::pair(totals.untrusted, totals.untrusted == 1 ? " needs trust" : " need trust")}) {
    if (count > 0) {
      others.push_back(std::to_string(count) + what);
    }
  }
  text += others.empty() ? "" : " (" + text::join(others, ", ") + ")";
  if (!servers.empty()) {
    text += "\n";
  }
  for (const servers::ServerStatus& server : servers) {
    text += "\n";
    text += server_line(server, audience == Audience::people);
    for (const std::string& note : server.notes) {
      text += "\n  ! " + short_line(note);
    }
    if (!server.login_ends.empty()) {
      text += "\n  ! " + server.login_ends + "; to renew it, run: " + login_of(server.name, whose);
    }
  }
  text += warning_lines(warnings);
  return servers.empty() && !no_servers.empty() ? text + "\n\n" + no_servers : text;
}

Message StatusFacts::text() const {
  Message text = lines_for(Audience::anybody);
  if (!servers.empty()) {
    text += "\n\n" + Message(NextStep{.mode = Mode::list}) + " to list tools, " +
            NextStep{.mode = Mode::search} + " to search";
  }
  return text + trust.text();
}

void StatusFacts::write_details(json::Writer& out) const {
  const Totals totals = totals_of(servers);
  out.key("servers").begin_array();
  for (const servers::ServerStatus& server : servers) {
    write_server(server, out);
  }
  out.end_array()
      .member_raw("warnings", config::warnings_json(warnings))
      .member("totalTools", totals.tools)
      .member("connectedCount", totals.connected)
      .member("disabledCount", totals.disabled);
  if (totals.untrusted > 0) {
    out.member("needTrustCount", totals.untrusted);
  }
}

StatusFacts status_facts(std::vector<servers::ServerStatus> servers,
                         const config::Settings& settings,
                         TrustNote trust) {
  StatusFacts facts;
  facts.servers = std::move(servers);
  facts.warnings = settings.warnings;
  facts.no_servers = has_unreadable_file(settings) ? Message() : no_server(settings);
  facts.whose = settings.principal_name;
  facts.trust = std::move(trust);
  return facts;
}

void note_unknown_tools(std::vector<servers::ServerStatus>& servers,
                        const config::Settings& settings,
                        const catalog::Catalog& catalog) {
  for (servers::ServerStatus& server : servers) {
    const config::Server* configured = settings.find(server.name);
    if (configured == nullptr || !configured->direct_tools ||
        catalog.knowledge(server.name) == catalog::Knowledge::unknown) {
      continue;
    }
    for (const std::string& name : configured->direct_tools->names) {
      const auto is_meant = [&name](const catalog::CatalogTool& tool) {
        return text::glob_match(name, tool.original) || text::glob_match(name, tool.name);
      };
      if (std::ranges::none_of(catalog.tools(server.name), is_meant)) {
        server.notes.push_back("no tool is called \"" + name + "\", as directTools has it");
      }
    }
  }
}

void note_ending_logins(std::vector<servers::ServerStatus>& servers,
                        const config::Settings& settings,
                        const config::Environment& environment,
                        EpochMs now) {
  constexpr std::int64_t ms_per_s = 1000;
  constexpr std::int64_t soon_s = std::int64_t{24} * 3600;
  for (servers::ServerStatus& server : servers) {
    const config::Server* configured = settings.find(server.name);
    const bool is_off = server.state == State::disabled || server.state == State::needs_trust ||
                        server.state == State::needs_auth;
    const std::optional<servers::StoredLogin> login =
        configured == nullptr || is_off ? std::nullopt
                                        : servers::stored_login(*configured, environment, settings);
    if (!login || !login->ends_at) {
      continue;
    }
    const std::int64_t left_s = (login->ends_at->value - now.value) / ms_per_s;
    if (left_s < soon_s) {
      server.login_ends =
          left_s > 0 ? "its login ends in " + text::age_text(left_s) : "its login has ended";
    }
  }
}

void note_missing_programs(std::vector<servers::ServerStatus>& servers,
                           const config::Settings& settings,
                           const config::Environment& environment) {
  for (servers::ServerStatus& server : servers) {
    const config::Server* configured = settings.find(server.name);
    const bool stopped = server.state == State::cached || server.state == State::not_connected;
    if (!stopped || !server.reason.empty() || configured == nullptr) {
      continue;
    }
    if (std::optional<std::string> why = servers::missing_program(*configured, environment)) {
      server.state = State::not_connected;
      server.reason = *std::move(why);
    }
  }
}

io::Task<Answer> run_status(ModeParts* parts, ToolRequest /*request*/, CallContext /*context*/) {
  registry::ServerRegistry& registry = *parts->registry;
  registry.learn_from_others("");
  std::vector<servers::ServerStatus> servers = registry.statuses();
  note_missing_programs(servers, registry.settings(), registry.environment());
  note_unknown_tools(servers, registry.settings(), registry.catalog());
  note_ending_logins(servers, registry.settings(), registry.environment(), io::epoch_now());
  co_return answer_of(Mode::status,
                      status_facts(std::move(servers), registry.settings(), parts->trust->note()));
}

}  // namespace pi_mcp::tool
