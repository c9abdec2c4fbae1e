#include "tool/lookup.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "base/text.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "registry/search_index.h"
#include "tool/answer.h"
#include "tool/failures.h"
#include "tool/first_use.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

constexpr std::size_t suggestions_max = 5;
// Names of a server's tools in an error: enough to recognise the right one.
constexpr std::size_t names_max = 20;
// Beside a suggestion.
constexpr std::size_t few_names = 5;

tl::unexpected<Answer> refuse(Reply reply, const ToolRequest& request) {
  return tl::unexpected(reply.with("requestedTool", echoed(request.subject)).take());
}

// nullopt: nobody has a tool of this name.
std::optional<FoundTarget> look_up(const LookupParts& parts, const std::string& server) {
  const catalog::Lookup lookup = parts.mode->registry->catalog().find(
      parts.request->subject, server, parts.mode->registry->enabled_filter());
  switch (lookup.kind) {
    case catalog::Lookup::Kind::found:
      return Target(*lookup.tool);
    case catalog::Lookup::Kind::ambiguous:
      return tl::unexpected(
          ambiguous_tool(Mode::call, parts.request->subject, lookup.candidates).take());
    case catalog::Lookup::Kind::none:
      break;
  }
  return std::nullopt;
}

std::vector<std::string> names_of(const registry::ServerRegistry& registry,
                                  const std::string& server) {
  std::vector<std::string> names;
  for (const catalog::CatalogTool& tool : registry.catalog().tools(server)) {
    names.push_back(tool.name);
  }
  return names;
}

// Connects the server, or waits for lists that may be newer.
io::Task<tl::expected<void, Answer>> ask_server(LookupParts parts, std::string server) {
  if (!parts.mode->registry->connected(server)) {
    co_return co_await start_for_call(parts, server);
  }
  co_await wait_for_lists(
      parts.mode->registry,
      {server},
      [&] { return look_up(parts, server).has_value(); },
      io::now() + parts.mode->first_wait);
  co_return tl::expected<void, Answer>();
}

// The request names a server, and another one is known to have just this tool; nullptr: none, or
// several.
const catalog::CatalogTool* of_another_server(const LookupParts& parts) {
  const ToolRequest& request = *parts.request;
  if (request.server.empty()) {
    return nullptr;
  }
  const registry::ServerRegistry& registry = *parts.mode->registry;
  const catalog::Lookup anywhere =
      registry.catalog().find(request.subject, "", registry.enabled_filter());
  return anywhere.kind == catalog::Lookup::Kind::found && anywhere.tool->server != request.server
             ? anywhere.tool
             : nullptr;
}

// Lists that somebody waits for.
struct AwaitedLists {
  explicit AwaitedLists(const io::Executor& executor) : read(executor) {}
  io::Condition read;
  std::size_t servers = 0;
};

}  // namespace

Target::Target(const catalog::CatalogTool& found)
    : server(found.server),
      tool(found.original),
      name(found.name),
      schema(found.input_schema),
      annotations(found.annotations),
      resource_uri(found.resource_uri) {}

Target::Target(std::string server, const std::string& uri)
    : server(std::move(server)), tool(uri), name(uri), resource_uri(uri) {}

Target resource_target(const registry::ServerRegistry& registry,
                       const std::string& server,
                       const std::string& uri) {
  const std::vector<catalog::CatalogTool>& tools = registry.catalog().tools(server);
  const auto tool = std::ranges::find(tools, uri, &catalog::CatalogTool::resource_uri);
  return tool == tools.end() || uri.empty() ? Target(server, uri) : Target(*tool);
}

std::string disabled_home(const registry::ServerRegistry& registry, const std::string& name) {
  const catalog::Lookup any = registry.catalog().find(name, "", {});
  std::string server = registry.find(name) != nullptr             ? name
                       : any.kind == catalog::Lookup::Kind::found ? any.tool->server
                                                                  : "";
  if (server.empty()) {
    const std::vector<std::string> homes = registry.catalog().servers_by_prefix(name);
    server = homes.empty() ? "" : homes.front();
  }
  return registry.find(server) != nullptr && !registry.is_enabled(server) ? server : "";
}

std::optional<FoundTarget> find_known(const LookupParts& parts) {
  const ToolRequest& request = *parts.request;
  const bool named = !request.server.empty();
  if (named && parts.mode->registry->find(request.server) == nullptr) {
    return refuse(unknown_server(Mode::call, *parts.mode->registry, request.server), request);
  }
  if (named && !parts.mode->registry->is_enabled(request.server)) {
    return refuse(disabled_server(Mode::call, *parts.mode->registry, request.server), request);
  }
  if (std::optional<FoundTarget> found = look_up(parts, request.server)) {
    return found;
  }
  const std::string disabled = named ? "" : disabled_home(*parts.mode->registry, request.subject);
  if (!disabled.empty()) {
    return refuse(disabled_server(Mode::call, *parts.mode->registry, disabled), request);
  }
  return std::nullopt;
}

std::vector<std::string> likely_servers(const registry::ServerRegistry& registry,
                                        const ToolRequest& request) {
  if (!request.server.empty()) {
    return {request.server};
  }
  std::vector<std::string> servers = registry.catalog().servers_by_prefix(request.subject);
  std::erase_if(servers,
                [&registry](const std::string& name) { return !registry.is_enabled(name); });
  return servers;
}

io::Task<void> wait_for_lists(const registry::ServerRegistry* registry,
                              std::vector<std::string> servers,
                              std::function<bool()> found,
                              TimePoint deadline) {
  const auto awaited = std::make_shared<AwaitedLists>(co_await boost::asio::this_coro::executor);
  const auto on_read = [awaited] {
    --awaited->servers;
    awaited->read.notify_all();
  };
  for (const std::string& server : servers.empty() ? registry->enabled_servers() : servers) {
    const std::shared_ptr<servers::Connection> connection = registry->connected(server);
    ++awaited->servers;
    if (!connection || !connection->look_for_unknown(on_read)) {
      --awaited->servers;
    }
  }
  while (awaited->servers > 0 && !found()) {
    if (co_await awaited->read.wait_until(deadline) != io::Wake::notified) {
      break;
    }
  }
}

Answer not_found(const LookupParts& parts, const std::string& server) {
  const ToolRequest& request = *parts.request;
  if (const catalog::CatalogTool* other = of_another_server(parts)) {
    const NextStep right{.mode = Mode::call, .subject = other->name, .server = other->server};
    Reply reply(Mode::call,
                Failure::not_found,
                "tool_not_found",
                quoted(request.subject) + " is a tool of server " + quoted(other->server) +
                    ", not of " + quoted(request.server) + ": " + Message(right));
    reply.with("hintServer", other->server);
    reply.with_json("suggestions", names_json({other->name}));
    return refuse(std::move(reply), request).value();
  }
  if (is_server_name(*parts.mode->registry, request)) {
    return server_for_tool(Mode::call, request.subject).take();
  }
  Message text = "Tool " + quoted(request.subject) + " not found." +
                 offered_text(*parts.mode->registry, request.subject, server);
  const std::vector<std::string> near =
      parts.mode->index->suggest(request.subject, server, suggestions_max);
  if (server.empty()) {
    text += " Use " + Message(NextStep{.mode = Mode::search}) + " to search.";
  } else {
    const std::vector<std::string> names = names_of(*parts.mode->registry, server);
    text += " Server " + quoted(server) +
            (names.empty() ? " has no tools."
                           : " has: " + name_list(names, near.empty() ? names_max : few_names));
    text += near.empty() || names.empty() ? "" : ".";
  }
  text += near.empty() ? "" : " Did you mean: " + text::join(near, ", ");
  if (server.empty()) {
    const Message unknown = unknown_text(unknown_servers(*parts.mode->registry, request.server));
    text += unknown.empty() ? "" : "\n" + unknown;
    text += parts.mode->registry->catalog().servers().empty()
                ? no_server(parts.mode->registry->settings(), "\n")
                : "";
  }
  Reply reply(Mode::call, Failure::not_found, "tool_not_found", std::move(text));
  if (!server.empty()) {
    reply.with("hintServer", server);
  }
  if (!near.empty()) {
    reply.with_json("suggestions", names_json(near));
  }
  return refuse(std::move(reply), request).value();
}

io::Task<FoundTarget> find_by_starting(LookupParts parts) {
  std::optional<Answer> first_failure;
  std::string hint_server;
  const std::vector<std::string> servers = likely_servers(*parts.mode->registry, *parts.request);
  for (const std::string& server : servers) {
    tl::expected<void, Answer> asked = co_await ask_server(parts, server);
    if (!asked && asked.error().failure == Failure::cancelled) {
      co_return tl::unexpected(std::move(asked.error()));
    }
    if (!asked) {
      first_failure = first_failure ? std::move(first_failure) : std::move(asked.error());
      continue;
    }
    if (std::optional<FoundTarget> found = look_up(parts, server)) {
      co_return *std::move(found);
    }
    hint_server = hint_server.empty() ? server : hint_server;
  }
  if (hint_server.empty() && first_failure) {
    co_return tl::unexpected(*std::move(first_failure));
  }
  co_return tl::unexpected(not_found(parts, hint_server));
}

FoundTarget find_again(const registry::ServerRegistry& registry,
                       const ToolRequest& request,
                       const Target& target) {
  if (request.mode == Mode::read) {
    return target;  // its server says whether it still has it
  }
  const std::vector<catalog::CatalogTool>& tools = registry.catalog().tools(target.server);
  for (const catalog::CatalogTool& tool : tools) {
    if (tool.original == target.tool && tool.is_resource() == target.is_resource()) {
      return Target(tool);
    }
  }
  const std::vector<std::string> names = names_of(registry, target.server);
  std::string text = "Tool " + quoted(request.subject) + " not found on " + quoted(target.server) +
                     " after reconnect." + offered_text(registry, target.tool, target.server) + " ";
  text += names.empty()
              ? "Server " + quoted(target.server) + " has no tools."
              : "Available tools on " + quoted(target.server) + ": " + name_list(names, names_max);
  Reply reply(Mode::call, Failure::not_found, "tool_not_found_after_reconnect", std::move(text));
  return refuse(reply.with("server", target.server), request);
}

io::Task<tl::expected<void, Answer>> start_for_call(LookupParts parts, std::string server) {
  const ToolRequest& request = *parts.request;
  if (const std::optional<registry::Backoff> backoff = parts.mode->registry->backoff(server);
      backoff && backoff->refuses_use) {
    const registry::ServerRegistry& registry = *parts.mode->registry;
    const Error error = Error(backoff->code, backoff->reason).with(backoff->remedy);
    // What only a login or other credentials can mend is said again as it was said first.
    co_return refuse(backoff->code == ErrorCode::unauthorized
                         ? failed_connect(request.mode, registry, server, error)
                         : server_in_backoff(request.mode, server, *backoff),
                     request);
  }
  parts.context->phase("starting " + server);
  const Result<std::shared_ptr<servers::Connection>> connection =
      co_await parts.mode->registry->open(server, servers::Use::implicit, parts.context->on_phase);
  if (!connection) {
    co_return refuse(
        failed_connect(request.mode, *parts.mode->registry, server, connection.error()), request);
  }
  co_return tl::expected<void, Answer>();
}

}  // namespace pi_mcp::tool
