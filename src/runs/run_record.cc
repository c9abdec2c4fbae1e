#include "runs/run_record.h"

#include <array>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "config/identity.h"
#include "json/document.h"
#include "json/writer.h"
#include "secrets/message.h"

namespace pi_mcp::runs {
namespace {

constexpr std::int64_t record_version = 1;
constexpr std::int64_t milliseconds_per_second = 1000;

using State = servers::ServerStatus::State;

constexpr std::array states = {State::connected,
                               State::connecting,
                               State::cached,
                               State::not_connected,
                               State::failed,
                               State::needs_auth,
                               State::disabled,
                               State::needs_trust};

std::optional<State> parse_state(std::string_view name) {
  for (const State state : states) {
    if (servers::state_name(state) == name) {
      return state;
    }
  }
  return std::nullopt;
}

void write_age(json::Writer& out,
               std::string_view name,
               std::optional<std::int64_t> seconds,
               EpochMs now) {
  if (seconds) {
    out.member(name, now.value - *seconds * milliseconds_per_second);
  }
}

std::optional<std::int64_t> read_age(json::Value object, std::string_view name, EpochMs now) {
  const std::optional<std::int64_t> when = object.find(name).as_int();
  // Ages are never negative, also when the clock was set back, nor are times before 1970.
  return when && *when >= 0
             ? std::optional(std::max<std::int64_t>(now.value - *when, 0) / milliseconds_per_second)
             : std::nullopt;
}

template <class Number>
Number number_of(json::Value object, std::string_view name) {
  return static_cast<Number>(object.find(name).as_int().value_or(0));
}

void write_server(json::Writer& out, const RunServer& server, EpochMs now) {
  const servers::ServerStatus& status = server.status;
  out.begin_object()
      .member("name", status.name)
      .member("status", servers::state_name(status.state))
      .member("toolCount", status.tools)
      .member("processId", status.process_id)
      .member("restarts", status.restarts)
      .member("identity", server.identity)
      .member("log", server.log);
  write_age(out, "connectedAt", status.connected_seconds, now);
  write_age(out, "failedAt", status.failed_seconds_ago, now);
  if (!status.reason.empty()) {
    out.member("reason", status.reason);
  }
  if (!status.last_error.empty()) {
    out.member("lastError", status.last_error);
    write_age(out, "lastErrorAt", status.last_error_seconds_ago, now);
    out.member("recovered", status.recovered).member("wantsLogin", status.wants_login);
  }
  if (!server.words.empty()) {
    out.member("stderr", server.words);
  }
  out.end_object();
}

std::optional<RunServer> read_server(json::Value value, EpochMs now) {
  const std::optional<State> state = parse_state(value.find("status").string_or(""));
  if (!state) {
    return std::nullopt;
  }
  RunServer server;
  servers::ServerStatus& status = server.status;
  status.name = value.find("name").string_or("");
  status.state = *state;
  status.tools = number_of<std::size_t>(value, "toolCount");
  status.process_id = number_of<int>(value, "processId");
  status.restarts = number_of<std::uint64_t>(value, "restarts");
  status.connected_seconds = read_age(value, "connectedAt", now);
  status.failed_seconds_ago = read_age(value, "failedAt", now);
  status.reason = value.find("reason").string_or("");
  status.last_error = value.find("lastError").string_or("");
  status.last_error_seconds_ago = read_age(value, "lastErrorAt", now);
  status.recovered = value.find("recovered").bool_or(false);
  status.wants_login = value.find("wantsLogin").bool_or(false);
  server.identity = value.find("identity").string_or("");
  server.log = number_of<std::size_t>(value, "log");
  server.words = value.find("stderr").string_or("");
  return server;
}

std::string_view last_lines(std::string_view text) {
  if (text.size() <= stderr_kept_max) {
    return text;
  }
  text.remove_prefix(text.size() - stderr_kept_max);
  const std::size_t line_end = text.find('\n');
  return line_end + 1 < text.size() ? text.substr(line_end + 1) : text;
}

}  // namespace

bool is_configured(const config::Settings& settings,
                   std::string_view name,
                   std::string_view identity) {
  const config::Server* server = settings.find(name);
  return server != nullptr && (identity.empty() || config::entry_identity(*server) == identity);
}

std::string run_record_json(const RunRecord& record, EpochMs now) {
  json::Writer out;
  out.begin_object()
      .member("version", record_version)
      .member("processId", record.process_id)
      .member("client", record.client)
      .member("cwd", record.cwd)
      .member("startedAt", record.started_at.value)
      .key("servers")
      .begin_array();
  for (const RunServer& server : record.servers) {
    write_server(out, server, now);
  }
  return out.end_array().end_object().take();
}

std::optional<RunRecord> parse_run_record(std::string_view json, EpochMs now) {
  const Result<json::Document> document = json::Document::parse_view(json);
  if (!document || document->root().find("version").as_int() != record_version) {
    return std::nullopt;
  }
  const json::Value root = document->root();
  RunRecord record{.process_id = number_of<int>(root, "processId"),
                   .client = root.find("client").string_or(""),
                   .cwd = root.find("cwd").string_or(""),
                   .started_at = {root.find("startedAt").as_int().value_or(0)},
                   .servers = {}};
  for (const json::Value value : root.find("servers").elements()) {
    if (std::optional<RunServer> server = read_server(value, now)) {
      record.servers.push_back(*std::move(server));
    }
  }
  return record;
}

std::string last_run_json(const LastRun& run) {
  json::Writer out;
  out.begin_object()
      .member("version", record_version)
      .member("server", run.server)
      .member("identity", run.identity)
      .member("client", run.client)
      .member("cwd", run.cwd)
      .member("endedAt", run.ended_at.value)
      .member("error", run.error)
      .member("wantsLogin", run.wants_login)
      .member("stderr", run.stderr_tail)
      .end_object();
  return out.take();
}

std::optional<LastRun> parse_last_run(std::string_view json) {
  const Result<json::Document> document = json::Document::parse_view(json);
  if (!document || document->root().find("version").as_int() != record_version) {
    return std::nullopt;
  }
  const json::Value root = document->root();
  return LastRun{.server = root.find("server").string_or(""),
                 .identity = root.find("identity").string_or(""),
                 .client = root.find("client").string_or(""),
                 .cwd = root.find("cwd").string_or(""),
                 .error = root.find("error").string_or(""),
                 .wants_login = root.find("wantsLogin").bool_or(false),
                 .stderr_tail = root.find("stderr").string_or(""),
                 .ended_at = {root.find("endedAt").as_int().value_or(0)}};
}

std::string kept_stderr(std::string_view text, const secrets::Secrets& secrets) {
  const std::string known = secrets.hidden_in(std::string(last_lines(text)));
  return std::string(last_lines(secrets::mask_prose(known)));
}

}  // namespace pi_mcp::runs
