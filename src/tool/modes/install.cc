#include "tool/modes/install.h"

#include <utility>

#include "base/count_text.h"
#include "base/shell_word.h"
#include "json/document.h"
#include "registry/server_registry.h"
#include "servers/launch/oauth_access.h"
#include "tool/consent/user_question.h"
#include "tool/failures.h"
#include "tool/modes/manage.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

constexpr Mode mode = Mode::install;

Reply refused_install(Failure failure, std::string_view code, Message text) {
  return Reply(mode, failure, code, std::move(text));
}

std::string address_of(std::string_view entry_json) {
  const Result<json::Document> entry = json::Document::parse_view(entry_json);
  return entry ? entry->root().find("url").string_or("") : "";
}

// `url` beside the other parameters is pi-mcp-adapter's; the schema of `mcp` has only args.
std::string url_of(const ToolRequest& request) {
  if (!request.url.empty()) {
    return request.url;
  }
  const Result<json::Document> args = json::Document::parse_view(request.args.view());
  return args ? args->root().find("url").string_or("") : "";
}

// The name of an argument that install has no use for; empty: there is none.
std::string foreign_argument(const ToolRequest& request) {
  const Result<json::Document> args = json::Document::parse_view(request.args.view());
  for (const json::Member member : args ? args->root().members() : json::Value().members()) {
    if (!member.key.equals("url")) {
      return member.name();
    }
  }
  return {};
}

// What the user decides about.
std::string install_question(const Installation& wanted, const std::string& file) {
  const bool is_remote = !address_of(wanted.server.entry_json).empty();
  std::string text =
      wanted.by_person ? "Add the MCP server " : "The model wants to add the MCP server ";
  text += wanted.server.name + " to " + file + "?\n" + wanted.server.entry_json;
  text += is_remote ? "\nWhat the model writes into its tools' arguments goes to that address."
                    : "\nIt is a program, and runs with all your rights.";
  return text;
}

// How it went with a server that was just written.
Answer installed(ModeParts* parts,
                 const Installation& wanted,
                 const std::string& file,
                 const Result<std::shared_ptr<servers::Connection>>& connection) {
  const std::string& name = wanted.server.name;
  const std::string address = address_of(wanted.server.entry_json);
  const bool awaits_login = !connection && connection.error().code() == ErrorCode::unauthorized;
  Message text;
  if (connection) {
    const std::size_t tools = parts->registry->catalog().tools(name).size();
    text = "Installed and connected MCP server " + quoted(name) + ", in " + file + ": " +
           text::count_text(tools, "tool") + ". ";
    text += wanted.by_person
                ? Message("/mcp tools " + name + " shows them.")
                : Message(NextStep{.mode = Mode::list, .subject = name}) + " lists them.";
  } else if (awaits_login) {
    text = "MCP server " + quoted(name) + " is in " + file + " and wants a login first: ";
    text += wanted.by_person ? Message("/mcp-auth " + name)
                             : Message(NextStep{.mode = Mode::auth_start, .subject = name});
  } else {
    text = "MCP server " + quoted(name) + " is in " + file +
           ", but did not start: " + told(connection.error());
  }
  return Reply(mode, std::move(text))
      .with("status",
            connection     ? "connected"
            : awaits_login ? "awaiting_auth"
                           : "not_connected")
      .with("server", name)
      .with("url", address)
      .with("path", file)
      .take();
}

// A server of this name is there; nullopt: there is none.
io::Task<std::optional<Answer>> already_there(ModeParts* parts,
                                              Installation wanted,
                                              CallContext context) {
  const std::string& name = wanted.server.name;
  const config::Server* const known = parts->registry->find(name);
  if (known == nullptr) {
    co_return std::nullopt;
  }
  const std::string address = address_of(wanted.server.entry_json);
  if (address.empty() || known->url != address) {
    co_return refused_install(Failure::usage,
                              "name_conflict",
                              "MCP server name " + quoted(name) +
                                  " is already configured with something else, in " +
                                  known->origin.path + "; choose another name.")
        .with("server", name)
        .take();
  }
  ToolRequest connect;
  connect.mode = Mode::connect;
  connect.subject = name;
  co_return co_await run_connect(parts, std::move(connect), std::move(context));
}

Answer nobody_to_ask(const NewServer& server) {
  const std::string address = address_of(server.entry_json);
  const bool is_url = !address.empty();
  const PersonStep step{
      .shell = "add " + server.name + " " + (is_url ? text::shell_word(address) : "-- COMMAND"),
      .pi = is_url ? "/mcp install " + address + " " + server.name
                   : "/mcp add " + server.name + " COMMAND"};
  return refused_install(Failure::unauthorized,
                         "cannot_ask",
                         "A server is added only when the user says yes, and nobody can be asked "
                         "here. The user can run: " +
                             Message(step))
      .with("server", server.name)
      .take();
}

}  // namespace

io::Task<Answer> install_server(ModeParts* parts, Installation wanted, CallContext context) {
  if (std::optional<Answer> there = co_await already_there(parts, wanted, context)) {
    co_return *std::move(there);
  }
  if (const std::string_view why = unchangeable(parts->registry->settings()); !why.empty()) {
    co_return refused_install(Failure::usage, "config_not_changed", std::string(why))
        .with("server", wanted.server.name)
        .take();
  }
  const ConfigAccess& access = *parts->access;
  const NewServer& server = wanted.server;
  if (!can_ask_user(context) || !access.add || !access.try_out) {
    co_return nobody_to_ask(server);
  }
  const std::string file = access.user_file();
  const Result<std::string> agreed = co_await ask_choice(
      context,
      install_question(wanted, file),
      {{.value = "add", .title = "Try it, then add it"}, {.value = "no", .title = "No"}});
  if (!agreed || *agreed != "add") {
    co_return refused_install(
        Failure::cancelled,
        "not_agreed",
        "Nothing was written: " + (agreed || agreed.error().code() == ErrorCode::cancelled
                                       ? "the user did not agree."
                                       : agreed.error().message()))
        .with("server", server.name)
        .take();
  }
  context.phase("trying " + server.name);
  parts->tried.insert(server.name);
  access.try_out(server.name, server.entry_json);
  const Result<std::shared_ptr<servers::Connection>> connection =
      co_await parts->registry->open(server.name, servers::Use::on_demand, context.on_phase);
  bool keep = connection || connection.error().code() == ErrorCode::unauthorized;
  if (!keep && wanted.by_person && connection.error().code() != ErrorCode::cancelled) {
    const Result<std::string> anyway = co_await ask_choice(
        context,
        server.name + " did not start: " + short_error(connection.error().message()) +
            "\nAdd it anyway?",
        {{.value = "no", .title = "No"}, {.value = "add", .title = "Add it"}});
    keep = anyway && *anyway == "add";
  }
  parts->tried.erase(server.name);
  Result<std::string> written = std::string();
  if (keep) {
    written = access.add(server);
  }
  access.try_out(server.name, "");
  if (!keep) {
    co_return refused_install(failure_of(connection.error().code()),
                              "validation_failed",
                              "Nothing was written: " + quoted(server.name) +
                                  " could not be used: " + told(connection.error()))
        .with("server", server.name)
        .take();
  }
  if (!written) {
    co_return refused_install(Failure::tool_error, "persistence_failed", written.error().message())
        .with("server", server.name)
        .take();
  }
  co_return installed(parts, wanted, *written, connection);
}

io::Task<Answer> run_install(ModeParts* parts, ToolRequest request, CallContext context) {
  const std::string url = url_of(request);
  if (url.empty()) {
    const NextStep step{
        .mode = mode, .subject = echoed(request.subject), .args = R"({ url: "https://..." })"};
    co_return refused_install(
        Failure::usage, "invalid_request", "install requires args with `url`: " + Message(step))
        .take();
  }
  if (const std::string foreign = foreign_argument(request); !foreign.empty()) {
    const NextStep named{.mode = mode, .subject = "NAME", .args = R"({ url: "https://..." })"};
    co_return refused_install(
        Failure::usage,
        "invalid_request",
        "install takes url alone in args, not " + quoted(foreign) +
            (foreign == "name" ? "; the server's name goes into server: " + Message(named)
                               : Message("; what else the server needs the user has to write")))
        .take();
  }
  Result<NewServer> server = server_at(url, request.subject);
  if (!server) {
    co_return refused_install(Failure::usage,
                              "invalid_request",
                              "Failed to install MCP server: " + server.error().message())
        .take();
  }
  co_return co_await install_server(
      parts, {.server = *std::move(server), .by_person = false}, std::move(context));
}

}  // namespace pi_mcp::tool
