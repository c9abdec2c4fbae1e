#include "tool/failures.h"

#include <algorithm>

#include "base/shell_word.h"
#include "base/text.h"
#include "config/load.h"
#include "config/server.h"
#include "json/writer.h"
#include "mcp/client_session.h"
#include "mcp/wrong_era.h"
#include "secrets/mask.h"
#include "servers/launch/oauth_access.h"

namespace pi_mcp::tool {
namespace {

// More candidates than a model needs to choose.
constexpr std::size_t candidates_max = 10;

// Of what a server says beside the message of its error.
constexpr std::size_t data_characters_max = 300;

std::string candidate_list(const std::vector<const catalog::CatalogTool*>& candidates,
                           bool with_server) {
  std::vector<std::string> names;
  names.reserve(candidates.size());
  for (const catalog::CatalogTool* tool : candidates) {
    names.push_back(with_server ? tool->name + " (server " + quoted(tool->server) + ")"
                                : tool->name);
  }
  const std::size_t more = names.size() - std::min(names.size(), candidates_max);
  names.resize(names.size() - more);
  return text::join(names, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

// `pi-mcp doctor` names the command that edits each of them; /mcp edit has the user's own.
Message unreadable_files(const config::Settings& settings) {
  std::vector<std::string> files;
  bool is_own = false;
  for (const config::Warning& warning : settings.warnings) {
    if (warning.unreadable) {
      files.push_back(warning.message);
      is_own = is_own || warning.path == settings.agent_dir + "/mcp.json";
    }
  }
  const Message text = "No server is known: " + text::join(files, "; ");
  return is_own
             ? text + ". For the user to run: " + PersonStep{.shell = "doctor", .pi = "/mcp edit"}
             : text;
}

}  // namespace

bool has_unreadable_file(const config::Settings& settings) {
  return std::ranges::any_of(settings.warnings, &config::Warning::unreadable);
}

Message no_server(const config::Settings& settings, std::string_view before) {
  if (settings.given) {
    return Message(before) +
           "The program that runs this session brings its servers, and has brought none";
  }
  if (has_unreadable_file(settings)) {
    return {Reader::model, before + unreadable_files(settings)};
  }
  const PersonStep setup{.shell = "setup", .pi = "/mcp setup"};
  const PersonStep add{.shell = "add NAME -- COMMAND", .pi = "/mcp add NAME COMMAND"};
  return before + Message("No server is configured. ") +
         Message(Reader::model, "For the user to run: ") + setup +
         " takes over those of other programs, " + add + " adds one";
}

std::string_view unchangeable(const config::Settings& settings) {
  return settings.given ? "Nothing was changed: the configuration of this session was given by the "
                          "program that runs it, and is changed there"
                        : "";
}

Failure failure_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::timed_out:
      return Failure::timed_out;
    case ErrorCode::cancelled:
      return Failure::cancelled;
    case ErrorCode::unauthorized:
      return Failure::unauthorized;
    case ErrorCode::invalid_argument:  // of the entry in the configuration, not of the request
    case ErrorCode::not_found:
    case ErrorCode::unavailable:
    case ErrorCode::protocol:
    case ErrorCode::io:
      break;
  }
  return Failure::unavailable;
}

HasNamesake namesakes(const registry::ServerRegistry& registry) {
  return [&registry](const catalog::CatalogTool& tool) {
    return registry.catalog().has_namesake(tool, registry.enabled_filter());
  };
}

std::string nearest_server(const config::Settings& settings, std::string_view wrong) {
  std::string nearest;
  std::size_t distance_max = std::max<std::size_t>(2, wrong.size() / 3);
  for (const config::Server& server : settings.servers) {
    const std::size_t distance = text::edit_distance(text::lower(server.name), text::lower(wrong));
    if (distance <= distance_max && distance < std::max(wrong.size(), server.name.size())) {
      distance_max = distance;
      nearest = server.name;
    }
  }
  return nearest;
}

bool is_server_name(const registry::ServerRegistry& registry, const ToolRequest& request) {
  return request.server.empty() && registry.find(request.subject) != nullptr;
}

Reply server_for_tool(Mode mode, std::string_view server) {
  return Reply(mode,
               Failure::not_found,
               "is_server",
               quoted(server) + " is a server, not a tool. Its tools: " +
                   Message(NextStep{.mode = Mode::list, .subject = std::string(server)}))
      .with("requestedTool", echoed(server))
      .with("hintServer", echoed(server));
}

Reply unknown_server(Mode mode, const registry::ServerRegistry& registry, std::string_view server) {
  const bool by_tool =
      mode == Mode::call || mode == Mode::describe || mode == Mode::read || mode == Mode::search;
  const catalog::Lookup tool = registry.catalog().find(server, "", registry.enabled_filter());
  if (!by_tool && tool.kind == catalog::Lookup::Kind::found) {
    const catalog::CatalogTool& found = *tool.tool;
    return Reply(mode,
                 Failure::not_found,
                 "is_tool",
                 quoted(server) + " is a tool of server " + quoted(found.server) +
                     ", not a server. The tool: " +
                     Message(NextStep{.mode = Mode::describe, .subject = found.name}) +
                     "; its server: " + NextStep{.mode = mode, .subject = found.server})
        .with("server", echoed(server))
        .with("hintServer", found.server);
  }
  const std::string nearest = nearest_server(registry.settings(), echoed(server));
  Message text = "Server " + quoted(server) + " not found. Use " + Message(NextStep{}) +
                 " to see available servers.";
  text += nearest.empty() ? "" : " Did you mean: " + nearest;
  return Reply(
             mode, Failure::not_found, by_tool ? "server_not_found" : "not_found", std::move(text))
      .with("server", echoed(server));
}

Reply disabled_server(Mode mode,
                      const registry::ServerRegistry& registry,
                      std::string_view server) {
  const config::Server* configured = registry.find(server);
  if (configured != nullptr && configured->hidden) {
    return Reply(
               mode,
               Failure::unavailable,
               "server_hidden",
               "Server " + quoted(server) + " is not for models: " + config::hidden_by(*configured))
        .with("server", echoed(server));
  }
  return Reply(mode,
               Failure::unavailable,
               "server_disabled",
               "Server " + quoted(server) + " is disabled. To use it again, run: " +
                   Message(PersonStep{.shell = "enable " + text::shell_word(echoed(server)),
                                      .pi = "/mcp enable " + echoed(server)}))
      .with("server", echoed(server));
}

Reply server_in_backoff(Mode mode, std::string_view server, const registry::Backoff& backoff) {
  Message text = "Server " + quoted(server) + " not available (last failed " +
                 std::to_string(backoff.seconds_ago) + "s ago)";
  const std::string reason = short_error(backoff.reason);
  text += reason.empty() ? Message() : ": " + reason + remedy_step(backoff.remedy.get());
  text += !backoff.remedy && (reason.ends_with('?') || reason.ends_with('.')) ? "" : ".";
  text += " Use " + Message(NextStep{.mode = Mode::connect, .subject = std::string(server)}) +
          " to try again now.";
  return Reply(mode, Failure::unavailable, "server_backoff", std::move(text))
      .with("server", echoed(server));
}

std::optional<std::string> users_auth_message(const registry::ServerRegistry& registry,
                                              std::string_view server,
                                              const Error& error) {
  const std::string& text = registry.settings().auth_required_message;
  if (error.code() != ErrorCode::unauthorized || text.empty()) {
    return std::nullopt;
  }
  return text::replace_all(text, "${server}", echoed(server));
}

Message login_of(std::string_view server, std::string_view whose) {
  const std::string for_whom = whose.empty() ? "" : " --for " + text::shell_word(whose);
  return PersonStep{.shell = "auth " + text::shell_word(echoed(server)) + for_whom,
                    .pi = "/mcp-auth " + echoed(server)};
}

Message remedy_step(const Remedy* remedy) {
  if (remedy == nullptr) {
    return {};
  }
  const std::string word = text::shell_word(echoed(remedy->subject));
  switch (remedy->kind) {
    case Remedy::Kind::log_in:
      return "; to log in, run: " + login_of(remedy->subject, "");
    case Remedy::Kind::store_secret:
      return "; to store it, run: " +
             Message(PersonStep{.shell = "secret set " + word, .pi = "/mcp secret " + word});
    case Remedy::Kind::store_secret_in_file:
      return "; to store it there, run: " +
             Message(PersonStep{.shell = "secret set " + word + " --file",
                                .pi = "/mcp secret " + word});
    case Remedy::Kind::trust_folder:
      return "; to trust it, run: " + Message(PersonStep{.shell = "trust", .pi = "/mcp trust"});
    case Remedy::Kind::bypass_proxy:
      return {};  // no command of ours, and the error says it
  }
  return {};
}

Message told(const Error& error) {
  return short_error(error.message()) + remedy_step(error.remedy().get());
}

Message keeping_step(const config::Server& server) {
  if (server.origin.import_kind != config::registered_kind || !server.url) {
    return {};
  }
  const bool is_shown = secrets::mask_url(*server.url) == *server.url;
  const PersonStep add{.shell = "add " + text::shell_word(echoed(server.name)) + " " +
                                (is_shown ? text::shell_word(echoed(*server.url)) : "URL"),
                       .pi = ""};
  return {Reader::shell, Message(add) + ", then: "};
}

Message login_step(const registry::ServerRegistry& registry,
                   std::string_view server,
                   const Error& error) {
  const config::Server* configured = registry.find(server);
  if (error.code() != ErrorCode::unauthorized || configured == nullptr ||
      !servers::may_use_oauth(*configured)) {
    return {};
  }
  const NextStep start{.mode = Mode::auth_start, .subject = std::string(server)};
  if (registry.settings().principal_name.empty() && !registry.settings().principal.empty()) {
    // Who signs in at an organisation has no token that a command could name.
    return "; to log in, call at /mcp: " + Message(Message(start).said_to(Reader::model));
  }
  const Message login = login_of(server, registry.settings().principal_name);
  return "; to log in, run: " + keeping_step(*configured) + login +
         Message(Reader::model, " (" + Message(start) + " starts that here)");
}

Reply failed_connect(Mode mode,
                     const registry::ServerRegistry& registry,
                     std::string_view server,
                     const Error& error) {
  const auto build = [&](std::string_view code, Message text) {
    return Reply(mode, failure_of(error.code()), code, std::move(text))
        .with("server", echoed(server));
  };
  if (error.code() == ErrorCode::cancelled) {
    return build("aborted", "Connecting to " + quoted(server) + " was cancelled.");
  }
  if (const auto said = users_auth_message(registry, server, error)) {
    return build("auth_required", *said);
  }
  if (error.code() == ErrorCode::unauthorized) {
    return build("auth_required",
                 "Server " + quoted(server) + " requires authorization: " +
                     short_error(error.message()) + login_step(registry, server, error));
  }
  return build("connect_failed", "Failed to connect to " + quoted(server) + ": " + told(error));
}

Reply host_tool(std::string_view name) {
  return Reply(Mode::call,
               Failure::not_found,
               "native_tool",
               quoted(name) + " is a tool of Pi, not one of a server. Call " + echoed(name) +
                   " itself, without mcp.")
      .with("requestedTool", echoed(name));
}

Reply ambiguous_tool(Mode mode,
                     std::string_view tool,
                     const std::vector<const catalog::CatalogTool*>& candidates) {
  const std::string& server = candidates.front()->server;
  const bool one_server = std::all_of(
      candidates.begin(), candidates.end(), [&server](const catalog::CatalogTool* other) {
        return other->server == server;
      });
  Message text = "Tool " + quoted(tool);
  text += one_server ? " matches multiple tools on server " + quoted(server) + ". Use one of: "
                     : " matches multiple servers. Specify a server: ";
  text += candidate_list(candidates, !one_server) + ".";
  if (!one_server) {
    text += Message(Reader::shell, "\nChoose one with --server SERVER.");
  }
  Reply reply(mode, Failure::usage, "ambiguous_tool", std::move(text));
  reply.with("requestedTool", echoed(tool)).with_json("candidates", candidates_json(candidates));
  if (one_server) {
    reply.with("server", echoed(server));
  }
  return reply;
}

std::string candidates_json(const std::vector<const catalog::CatalogTool*>& candidates) {
  json::Writer out;
  out.begin_array();
  for (const catalog::CatalogTool* tool : candidates) {
    out.begin_object().member("server", tool->server).member("tool", tool->name).end_object();
  }
  return out.end_array().take();
}

std::string names_json(const std::vector<std::string>& names) {
  json::Writer out;
  out.begin_array();
  for (const std::string& name : names) {
    out.string(name);
  }
  return out.end_array().take();
}

std::string server_error_text(json::Value error) {
  const json::Value data = error.find("data");
  std::string shown;
  if (data.is_string()) {
    shown = text::shortened(one_line(secrets::mask_text(data.string_or(""))), data_characters_max);
  } else if (data && !data.is(json::Kind::null) && data.raw().size() <= data_characters_max) {
    shown = one_line(data.is_object() ? secrets::mask_entry(data) : secrets::mask_text(data.raw()));
  }
  return mcp::error_text(error) + (shown.empty() ? "" : "; data: " + shown);
}

std::string era_line(registry::ServerRegistry& registry,
                     const std::string& server,
                     std::string_view error) {
  const std::shared_ptr<servers::Connection> connection = registry.connected(server);
  const auto spoken =
      connection ? mcp::parse_revision(connection->protocol_version()) : std::nullopt;
  const auto wanted =
      spoken ? mcp::wanted_protocol(error, *spoken, registry.can_ask()) : std::nullopt;
  if (!wanted) {
    return {};
  }
  const std::string spoke = "[pi-mcp spoke revision " + std::string(mcp::name(*spoken)) +
                            " with server " + quoted(server);
  const bool older = *wanted == mcp::Protocol::handshake;
  if (older && registry.try_handshake(server)) {
    return spoke + " and tries an older one with the next call]";
  }
  return spoke + R"(; to change that, set "protocolVersion": ")" +
         (older ? "legacy" : std::string(mcp::name(mcp::newest_by_discovery))) + "\" in its entry]";
}

std::string offered_text(const registry::ServerRegistry& registry,
                         std::string_view tool,
                         std::string_view server) {
  const std::string needed = registry.known().needed_for(tool, server);
  return needed.empty() ? "" : " It was offered only to hosts with " + needed + ".";
}

Answer refused_request(const RequestError& error) {
  return Reply(std::nullopt, Failure::usage, error.code, error.message).take();
}

}  // namespace pi_mcp::tool
