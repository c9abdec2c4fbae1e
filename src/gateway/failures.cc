#include "gateway/failures.h"

#include <algorithm>

#include "base/text.h"
#include "json/writer.h"

namespace pi_mcp::gateway {
namespace {

using Failure = ToolResult::Failure;

// More candidates than a model needs to choose.
constexpr std::size_t candidates_max = 10;

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

// A server's name in a command: in quotation marks only where a shell would divide or change it.
std::string shell_name(std::string_view server) {
  const bool plain = std::ranges::all_of(server, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:@").find(c) != std::string_view::npos;
  });
  return plain && !server.empty() ? std::string(server) : quoted(server);
}

}  // namespace

Failure failure_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return Failure::usage;
    case ErrorCode::not_found:
      return Failure::not_found;
    case ErrorCode::timed_out:
      return Failure::timed_out;
    case ErrorCode::cancelled:
      return Failure::cancelled;
    case ErrorCode::unauthorized:
      return Failure::unauthorized;
    case ErrorCode::unavailable:
    case ErrorCode::protocol:
    case ErrorCode::io:
      break;
  }
  return Failure::unavailable;
}

HasNamesake namesakes(const Roster& roster) {
  return [&roster](const catalog::CatalogTool& tool) {
    return roster.catalog().has_namesake(tool, roster.enabled_filter());
  };
}

Answer unknown_server(Mode mode, std::string_view server) {
  const bool by_tool = mode == Mode::call || mode == Mode::describe || mode == Mode::search;
  Answer answer(mode,
                Failure::not_found,
                by_tool ? "server_not_found" : "not_found",
                "Server " + quoted(server) + " not found. Use mcp({}) to see available servers.");
  answer.with("server", echoed(server));
  return answer;
}

Answer disabled_server(Mode mode, std::string_view server) {
  Answer answer(mode,
                Failure::unavailable,
                "server_disabled",
                "Server " + quoted(server) + " is disabled. To use it again, run: pi-mcp enable " +
                    shell_name(server));
  answer.with("server", echoed(server));
  return answer;
}

Answer server_in_backoff(Mode mode, std::string_view server, const Backoff& backoff) {
  std::string text = "Server " + quoted(server) + " not available (last failed " +
                     std::to_string(backoff.seconds_ago) + "s ago)";
  text += backoff.reason.empty() ? "" : ": " + short_error(backoff.reason);
  text += ". Use mcp({ connect: " + quoted(server) + " }) to try again now.";
  Answer answer(mode, Failure::unavailable, "server_backoff", std::move(text));
  answer.with("server", echoed(server));
  return answer;
}

Answer failed_connect(Mode mode, std::string_view server, const Error& error) {
  const auto build = [&](std::string_view code, std::string text) {
    Answer answer(mode, failure_of(error.code()), code, std::move(text));
    answer.with("server", echoed(server));
    return answer;
  };
  if (error.code() == ErrorCode::cancelled) {
    return build("aborted", "Connecting to " + quoted(server) + " was cancelled.");
  }
  if (error.code() == ErrorCode::unauthorized) {
    return build(
        "auth_required",
        "Server " + quoted(server) + " requires authorization: " + short_error(error.message()));
  }
  return build("connect_failed",
               "Failed to connect to " + quoted(server) + ": " + short_error(error.message()));
}

Answer ambiguous_tool(Mode mode,
                      std::string_view tool,
                      const std::vector<const catalog::CatalogTool*>& candidates) {
  const std::string& server = candidates.front()->server;
  const bool one_server = std::all_of(
      candidates.begin(), candidates.end(), [&server](const catalog::CatalogTool* other) {
        return other->server == server;
      });
  std::string text = "Tool " + quoted(tool);
  text += one_server ? " matches multiple tools on server " + quoted(server) + ". Use one of: "
                     : " matches multiple servers. Specify a server: ";
  text += candidate_list(candidates, !one_server) + ".";
  Answer answer(mode, Failure::usage, "ambiguous_tool", std::move(text));
  answer.with("requestedTool", echoed(tool)).with_json("candidates", candidates_json(candidates));
  if (one_server) {
    answer.with("server", echoed(server));
  }
  return answer;
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

ToolResult refused_request(const RequestError& error) {
  ToolResult result;
  result.text = error.message;
  result.is_error = true;
  result.failure = ToolResult::Failure::usage;
  json::Writer details;
  details.begin_object().member("error", error.code).member("message", error.message).end_object();
  result.details = details.take();
  return result;
}

}  // namespace pi_mcp::gateway
