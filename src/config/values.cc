#include "config/values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace pi_mcp::config {
namespace {

// Longer times mean the same to a person, and stay far from the limits of a clock.
constexpr double milliseconds_max = 30.0 * 24 * 3600 * 1000;
constexpr double minutes_max = 1'000'000;

// Numbers and booleans count as their text, as they do for the processes they go to.
std::string text_of(json::Value value) {
  return value.is_string() ? value.string_or("") : std::string(value.raw());
}

constexpr std::array<std::pair<std::string_view, Grant>, 3> grant_types = {{
    {"authorization_code", Grant::authorization_code},
    {"client_credentials", Grant::client_credentials},
    {"cross_app_access", Grant::cross_app_access},
}};

// 0 means the default.
std::optional<Milliseconds> time_of(double milliseconds) {
  const double number = std::ceil(std::min(milliseconds, milliseconds_max));
  return number > 0 ? std::optional(Milliseconds(static_cast<Milliseconds::rep>(number)))
                    : std::nullopt;
}

}  // namespace

bool is_true(json::Value value) {
  return value.bool_or(false);
}

std::optional<std::string> optional_text(json::Value value) {
  return value.as_string();
}

std::vector<std::string> text_list_of(json::Value value) {
  std::vector<std::string> list;
  for (const json::Value element : value.elements()) {
    list.push_back(text_of(element));
  }
  return list;
}

std::map<std::string, std::string> text_map_of(json::Value value) {
  std::map<std::string, std::string> map;
  for (const json::Member member : value.members()) {
    map[member.name()] = text_of(member.value);
  }
  return map;
}

std::map<std::string, std::vector<std::string>> word_lists_of(json::Value value) {
  std::map<std::string, std::vector<std::string>> map;
  for (const json::Member member : value.members()) {
    map[member.name()] = text_list_of(member.value);
  }
  return map;
}

std::optional<double> minutes_of(json::Value value) {
  const std::optional<double> number = value.as_double();
  return number ? std::optional(std::min(*number, minutes_max)) : std::nullopt;
}

std::optional<Milliseconds> milliseconds_of(json::Value value) {
  return time_of(value.as_double().value_or(0));
}

std::optional<Milliseconds> seconds_of(json::Value value) {
  return time_of(value.as_double().value_or(0) * 1000);
}

std::optional<Exposure> exposure_of(json::Value value) {
  constexpr std::array<std::pair<std::string_view, Exposure>, 5> choices = {{
      {"codemode", Exposure::codemode},
      {"codemode-deferred", Exposure::codemode},
      {"deferred", Exposure::deferred},
      {"direct", Exposure::direct},
      {"hidden", Exposure::hidden},
  }};
  return choice_of(value, choices);
}

std::vector<std::pair<std::string, Exposure>> exposures_of(json::Value value) {
  std::vector<std::pair<std::string, Exposure>> exposures;
  for (const json::Member member : value.members()) {
    if (const std::optional<Exposure> exposure = exposure_of(member.value)) {
      exposures.emplace_back(member.name(), *exposure);
    }
  }
  return exposures;
}

std::optional<Selection> selection_of(json::Value value) {
  if (!value) {
    return std::nullopt;
  }
  Selection selection{.all = value.bool_or(false),
                      .names = text_list_of(value),
                      .by_search = value.equals("search")};
  if (value.equals("destructive") || value.equals("marked")) {
    selection.names.push_back(value.string_or(""));
  }
  return selection;
}

std::optional<ToolPrefix> tool_prefix_of(json::Value value) {
  constexpr std::array<std::pair<std::string_view, ToolPrefix>, 4> choices = {{
      {"server", ToolPrefix::server},
      {"short", ToolPrefix::short_},
      {"none", ToolPrefix::none},
      {"mcp", ToolPrefix::mcp},
  }};
  return choice_of(value, choices);
}

LifecycleMode lifecycle_of(json::Value value) {
  constexpr std::array<std::pair<std::string_view, LifecycleMode>, 4> choices = {{
      {"lazy", LifecycleMode::lazy},
      {"eager", LifecycleMode::eager},
      {"keep-alive", LifecycleMode::keep_alive},
      {"lazy-keep-alive", LifecycleMode::lazy_keep_alive},
  }};
  return choice_of(value, choices).value_or(LifecycleMode::lazy);
}

std::optional<Share> share_of(json::Value value) {
  constexpr std::array<std::pair<std::string_view, Share>, 3> choices = {
      {{"session", Share::session}, {"folder", Share::folder}, {"user", Share::user}}};
  return value.raw() == "false" ? Share::session : choice_of(value, choices);
}

Auth auth_of(json::Value value) {
  if (value.raw() == "false") {
    return Auth::none;
  }
  return value.equals("bearer") ? Auth::bearer
                                : (value.equals("oauth") ? Auth::oauth : Auth::automatic);
}

HttpTransport http_transport_of(json::Value value) {
  constexpr std::array<std::pair<std::string_view, HttpTransport>, 2> choices = {{
      {"streamable-http", HttpTransport::streamable_http},
      {"sse", HttpTransport::sse},
  }};
  return choice_of(value, choices).value_or(HttpTransport::automatic);
}

mcp::Protocol protocol_of(json::Value value) {
  return mcp::parse_protocol(value.string_or(""));
}

std::optional<RequestHeadersCommand> headers_command_of(json::Value value) {
  if (!value.is_object()) {
    return std::nullopt;
  }
  constexpr Milliseconds timeout_max{60'000};
  RequestHeadersCommand command;
  command.command = value.find("command").string_or("");
  command.args = text_list_of(value.find("args"));
  command.env = text_map_of(value.find("env"));
  command.timeout =
      std::min(timeout_max, milliseconds_of(value.find("timeoutMs")).value_or(command.timeout));
  return command;
}

std::optional<OAuth> oauth_of(json::Value value) {
  if (!value.is_object()) {
    return std::nullopt;
  }
  OAuth settings;
  settings.grant = choice_of(value.find("grantType"), grant_types).value_or(settings.grant);
  settings.any_issuer = value.find("skipIssuerMetadataValidation").bool_or(false);
  settings.assume_pkce = value.find("assumePkce").bool_or(false);
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
  settings.authorization_params = text_map_of(value.find("authorizationParams"));
  return settings;
}

std::vector<std::string> grant_names() {
  std::vector<std::string> names;
  names.reserve(grant_types.size());
  for (const auto& [name, grant] : grant_types) {
    names.emplace_back(name);
  }
  return names;
}

std::optional<Grant> grant_of(json::Value value) {
  return choice_of(value, grant_types);
}

}  // namespace pi_mcp::config
