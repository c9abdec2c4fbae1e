#include "config/server.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "config/keys.h"
#include "config/paths.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

// Longer times mean the same to a person, and stay far from the limits of a clock.
constexpr double milliseconds_max = 30.0 * 24 * 3600 * 1000;
constexpr double minutes_max = 1'000'000;

// Numbers and booleans count as their text, as they do for the processes they go to.
std::string text_of(json::Value value) {
  return value.is_string() ? value.string_or("") : std::string(value.raw());
}

std::optional<std::string> optional_text(json::Value value) {
  return value.as_string();
}

std::vector<std::string> text_list(json::Value value) {
  std::vector<std::string> list;
  for (const json::Value element : value.elements()) {
    list.push_back(text_of(element));
  }
  return list;
}

std::map<std::string, std::string> text_map(json::Value value) {
  std::map<std::string, std::string> map;
  for (const json::Member member : value.members()) {
    map[member.name()] = text_of(member.value);
  }
  return map;
}

std::map<std::string, std::vector<std::string>> word_lists(json::Value value) {
  std::map<std::string, std::vector<std::string>> map;
  for (const json::Member member : value.members()) {
    map[member.name()] = text_list(member.value);
  }
  return map;
}

std::optional<double> minutes(json::Value value) {
  const std::optional<double> number = value.as_double();
  return number ? std::optional(std::min(*number, minutes_max)) : std::nullopt;
}

// 0 means the default.
std::optional<Milliseconds> milliseconds(json::Value value) {
  const double number = std::ceil(std::min(value.as_double().value_or(0), milliseconds_max));
  return number > 0 ? std::optional(Milliseconds(static_cast<Milliseconds::rep>(number)))
                    : std::nullopt;
}

std::optional<Selection> selection(json::Value value) {
  if (!value) {
    return std::nullopt;
  }
  Selection selection{
      .all = value.bool_or(false), .names = text_list(value), .by_search = value.equals("search")};
  if (value.equals("destructive") || value.equals("marked")) {
    selection.names.push_back(value.string_or(""));
  }
  return selection;
}

// The value paired with the text that `value` equals.
template <class T, std::size_t N>
std::optional<T> choice(json::Value value,
                        const std::array<std::pair<std::string_view, T>, N>& choices) {
  for (const auto& [text, result] : choices) {
    if (value.equals(text)) {
      return result;
    }
  }
  return std::nullopt;
}

std::optional<ToolPrefix> tool_prefix(json::Value value) {
  constexpr std::array<std::pair<std::string_view, ToolPrefix>, 4> choices = {{
      {"server", ToolPrefix::server},
      {"short", ToolPrefix::short_},
      {"none", ToolPrefix::none},
      {"mcp", ToolPrefix::mcp},
  }};
  return choice(value, choices);
}

LifecycleMode lifecycle(json::Value value) {
  constexpr std::array<std::pair<std::string_view, LifecycleMode>, 4> choices = {{
      {"lazy", LifecycleMode::lazy},
      {"eager", LifecycleMode::eager},
      {"keep-alive", LifecycleMode::keep_alive},
      {"lazy-keep-alive", LifecycleMode::lazy_keep_alive},
  }};
  return choice(value, choices).value_or(LifecycleMode::lazy);
}

Auth auth(json::Value value) {
  if (value.raw() == "false") {
    return Auth::none;
  }
  return value.equals("bearer") ? Auth::bearer
                                : (value.equals("oauth") ? Auth::oauth : Auth::automatic);
}

// `type` is how other hosts say it; "http" allows the fallback to SSE there, so it pins nothing.
HttpTransport http_transport(json::Value entry) {
  constexpr std::array<std::pair<std::string_view, HttpTransport>, 2> choices = {{
      {"streamable-http", HttpTransport::streamable_http},
      {"sse", HttpTransport::sse},
  }};
  const HttpTransport fallback =
      entry.find("type").equals("sse") ? HttpTransport::sse : HttpTransport::automatic;
  return choice(entry.find("httpTransport"), choices).value_or(fallback);
}

Protocol protocol(json::Value entry) {
  constexpr std::array<std::pair<std::string_view, Protocol>, 3> choices = {{
      {"auto", Protocol::automatic},
      {"legacy", Protocol::legacy},
      {"2026-07-28", Protocol::modern},
  }};
  return choice(entry.find("protocolVersion"), choices).value_or(Protocol::automatic);
}

std::optional<RequestHeadersCommand> request_headers_command(json::Value value) {
  if (!value.is_object()) {
    return std::nullopt;
  }
  constexpr Milliseconds timeout_max{60'000};
  RequestHeadersCommand command;
  command.command = value.find("command").string_or("");
  command.args = text_list(value.find("args"));
  command.env = text_map(value.find("env"));
  command.timeout =
      std::min(timeout_max, milliseconds(value.find("timeoutMs")).value_or(command.timeout));
  return command;
}

constexpr std::array<std::pair<std::string_view, Grant>, 3> grant_types = {{
    {"authorization_code", Grant::authorization_code},
    {"client_credentials", Grant::client_credentials},
    {"cross_app_access", Grant::cross_app_access},
}};

std::optional<OAuth> oauth(json::Value value) {
  if (!value.is_object()) {
    return std::nullopt;
  }
  OAuth settings;
  settings.grant = choice(value.find("grantType"), grant_types).value_or(settings.grant);
  settings.any_issuer = value.find("skipIssuerMetadataValidation").bool_or(false);
  constexpr std::int64_t port_max = 65'535;
  const std::optional<std::int64_t> port = value.find("callbackPort").as_int();
  if (port && *port > 0 && *port <= port_max) {
    settings.callback_port = static_cast<std::uint16_t>(*port);
  }
  for (const std::string_view name : {"clientId",
                                      "clientSecret",
                                      "privateKey",
                                      "privateKeyFile",
                                      "clientMetadataUrl",
                                      "scope",
                                      "redirectUri",
                                      "clientName",
                                      "clientUri",
                                      "logoUri",
                                      "authServerMetadataUrl"}) {
    if (std::optional<std::string> text = optional_text(value.find(name))) {
      settings.texts.emplace(name, *std::move(text));
    }
  }
  const json::Value idp = value.find("idp");
  for (const std::string_view name :
       {"issuer", "tokenEndpoint", "clientId", "clientSecret", "idToken"}) {
    if (std::optional<std::string> text = optional_text(idp.find(name))) {
      settings.texts.emplace("idp." + std::string(name), *std::move(text));
    }
  }
  settings.authorization_params = text_map(value.find("authorizationParams"));
  return settings;
}

void set_launch(Server& server, json::Value entry) {
  server.command = optional_text(entry.find("command"));
  server.args = text_list(entry.find("args"));
  server.env = text_map(entry.find("env"));
  server.cwd = optional_text(entry.find("cwd"));
  server.inherit_env = entry.find("inheritEnv").bool_or(true);
  server.literal_env = entry.find("literalEnv").bool_or(false);
  server.socket = optional_text(entry.find("socket"));
}

void set_http(Server& server, json::Value entry) {
  server.url = optional_text(entry.find("url"));
  server.headers = text_map(entry.find("headers"));
  server.auth = auth(entry.find("auth"));
  server.oauth = oauth(entry.find("oauth"));
  server.oauth_off = entry.find("oauth").raw() == "false";
  server.bearer_token = optional_text(entry.find("bearerToken"));
  server.bearer_token_env = optional_text(entry.find("bearerTokenEnv"));
  server.ca_file = optional_text(entry.find("caFile"));
  server.request_headers_command = request_headers_command(entry.find("requestHeadersCommand"));
  server.http_transport = http_transport(entry);
  server.protocol = protocol(entry);
}

void set_use(Server& server, json::Value entry) {
  server.lifecycle = lifecycle(entry.find("lifecycle"));
  server.idle_timeout_minutes = minutes(entry.find("idleTimeout"));
  server.request_timeout = milliseconds(entry.find("requestTimeoutMs"));
  server.request_total_timeout = milliseconds(entry.find("requestTotalTimeoutMs"));
  server.startup_timeout = milliseconds(entry.find("startupTimeoutMs"));
  server.install_timeout = milliseconds(entry.find("installTimeoutMs"));
  server.expose_resources = entry.find("exposeResources").bool_or(true);
  server.debug = entry.find("debug").bool_or(false);
  server.disabled = entry.find("disabled").bool_or(false);
  server.tool_prefix = tool_prefix(entry.find("toolPrefix"));
  server.include_tools = text_list(entry.find("includeTools"));
  server.exclude_tools = text_list(entry.find("excludeTools"));
  server.search_keywords = word_lists(entry.find("searchKeywords"));
  server.direct_tools = selection(entry.find("directTools"));
  server.approve_tools = selection(entry.find("approveTools"));
}

// Why a value that decides what is started cannot be used.
std::optional<std::string> value_problem(const Server& server, json::Value entry) {
  for (const std::string_view name : {"command", "args", "url", "socket"}) {
    const json::Value value = entry.find(name);
    const Key* key = find_key(KeyScope::server, name);
    const std::string where = server.origins.contains(std::string(name))
                                  ? server.origins.at(std::string(name)).path
                                  : server.origin.path;
    if (value && key != nullptr && !accepts(*key, value)) {
      return "server \"" + server.name + "\": \"" + std::string(name) + "\" must be " +
             expected(*key) + ", found " + found_text(value) + "; correct it in " + where;
    }
    if (value.is_string() && text::trim(value.string_or("")).empty()) {
      return "server \"" + server.name + "\": \"" + std::string(name) +
             "\" is empty; correct it in " + where;
    }
  }
  return std::nullopt;
}

// Another word would count as the default, and a person would be asked where nobody is.
std::optional<std::string> grant_problem(const Server& server, json::Value entry) {
  const json::Value grant = entry.find("oauth").find("grantType");
  if (!grant || choice(grant, grant_types)) {
    return std::nullopt;
  }
  std::vector<std::string> known;
  known.reserve(grant_types.size());
  for (const auto& [name, value] : grant_types) {
    known.emplace_back(name);
  }
  const auto origin = server.origins.find("oauth");
  return "server \"" + server.name + "\": \"oauth.grantType\" must be one of " +
         text::join(known, ", ") + "; correct it in " +
         (origin == server.origins.end() ? server.origin.path : origin->second.path);
}

std::optional<std::string> transport_problem(const Server& server) {
  std::vector<std::string> given;
  for (const auto& [name, value] : {std::pair("command", &server.command),
                                    std::pair("url", &server.url),
                                    std::pair("socket", &server.socket)}) {
    if (*value) {
      given.emplace_back(name);
    }
  }
  if (given.size() == 1) {
    return std::nullopt;
  }
  return "server \"" + server.name +
         "\" must configure exactly one of command, url, or socket; it " +
         (given.empty() ? "has none" : "has " + text::join(given, " and ")) + "; correct it in " +
         server.origin.path;
}

std::string entry_text(const MergedServer& merged) {
  json::Writer writer;
  writer.begin_object();
  for (const MergedField& field : merged.fields) {
    writer.member_raw(field.key, field.json);
  }
  writer.end_object();
  return writer.take();
}

void set_output_guard(json::Value value, OutputGuard& guard) {
  const auto limit = [value](std::string_view key, std::size_t fallback) {
    const std::int64_t number = value.find(key).as_int().value_or(0);
    return number > 0 ? static_cast<std::size_t>(number) : fallback;
  };
  guard.enabled = value.bool_or(true);
  guard.bytes_max = limit("maxBytes", guard.bytes_max);
  guard.lines_max = limit("maxLines", guard.lines_max);
  guard.details_bytes_max = limit("detailsMaxBytes", guard.details_bytes_max);
  guard.search_tokens_max = limit("searchMaxTokens", guard.search_tokens_max);
}

// "pi-mcp" of "/usr/bin/pi-mcp", "pi-mcp.exe" and "pi-mcp@1.2.3".
std::string_view program_name(std::string_view word) {
  word = base_name(word);
  word = word.substr(0, word.find('@', 1));
  return word.ends_with(".exe") ? word.substr(0, word.size() - 4) : word;
}

}  // namespace

Server make_server(const MergedServer& merged) {
  Server server;
  server.name = merged.name;
  server.origin = merged.origin;
  for (const MergedField& field : merged.fields) {
    server.origins[field.key] = field.origin;
  }
  server.entry_json = entry_text(merged);
  const json::Document document = parse_trusted(server.entry_json);
  const json::Value entry = document.root();
  set_launch(server, entry);
  set_http(server, entry);
  set_use(server, entry);
  server.problem = value_problem(server, entry);
  if (!server.problem) {
    server.problem = transport_problem(server);
  }
  if (!server.problem) {
    server.problem = grant_problem(server, entry);
  }
  return server;
}

void apply_settings(const MergedServer& merged, Settings& settings) {
  settings.settings_json = entry_text(merged);
  for (const MergedField& field : merged.fields) {
    settings.origins[field.key] = field.origin;
  }
  const json::Document document = parse_trusted(settings.settings_json);
  const json::Value root = document.root();
  settings.tool_prefix = tool_prefix(root.find("toolPrefix")).value_or(ToolPrefix::server);
  settings.idle_timeout_minutes =
      minutes(root.find("idleTimeout")).value_or(settings.idle_timeout_minutes);
  settings.request_timeout = milliseconds(root.find("requestTimeoutMs"));
  settings.request_total_timeout = milliseconds(root.find("requestTotalTimeoutMs"));
  settings.startup_timeout = milliseconds(root.find("startupTimeoutMs"));
  settings.install_timeout = milliseconds(root.find("installTimeoutMs"));
  settings.direct_tools = selection(root.find("directTools"));
  settings.approve_tools = selection(root.find("approveTools"));
  settings.split_tool = root.find("splitTool").bool_or(false);
  settings.freeze_direct_tools = root.find("freezeDirectTools").bool_or(false);
  settings.elicitation = root.find("elicitation").bool_or(true);
  settings.sampling = root.find("sampling").bool_or(true);
  settings.auto_auth = root.find("autoAuth").bool_or(false);
  // "encrypted-file" is the adapter's word for "not the keyring".
  const json::Value store = root.find("oauthCredentialStore");
  settings.keyring = !store.equals("file") && !store.equals("encrypted-file");
  set_output_guard(root.find("outputGuard"), settings.output_guard);
}

bool starts_this_program(const Server& server) {
  std::vector<std::string> words = server.args;
  words.insert(words.begin(), server.command.value_or(""));
  const auto program = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return program_name(word) == "pi-mcp";
  });
  return std::find(program, words.end(), "serve") != words.end();
}

bool is_only_choices(const Server& server) {
  const Result<json::Document> entry = json::Document::parse_view(server.entry_json);
  if (!entry || entry->root().size() == 0) {
    return false;
  }
  for (const json::Member member : entry->root().members()) {
    if (!member.key.equals("disabled") && !member.key.equals("directTools")) {
      return false;
    }
  }
  return true;
}

}  // namespace pi_mcp::config
