#include "servers/launch_remote.h"

#include <array>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/url.h"
#include "config/interpolate.h"
#include "io/http_message.h"
#include "servers/launch_text.h"
#include "servers/oauth_access.h"

namespace pi_mcp::servers {
namespace {

// What io::HttpClient looks at.
constexpr std::array<std::string_view, 7> network_variables = {"http_proxy",
                                                               "https_proxy",
                                                               "all_proxy",
                                                               "no_proxy",
                                                               "ssl_cert_file",
                                                               "ssl_cert_dir",
                                                               "node_extra_ca_certs"};

std::map<std::string, std::string> network_environment(const config::Environment& environment) {
  std::map<std::string, std::string> found;
  for (const auto& [name, value] : environment.variables) {
    for (const std::string_view wanted : network_variables) {
      if (text::lower(name) == wanted) {
        found.emplace(name, value);
      }
    }
  }
  return found;
}

std::string absolute_path(std::string_view text, const config::Environment& environment) {
  const std::string path = config::expand_home(text, environment);
  return path.starts_with('/') ? path : environment.cwd + "/" + path;
}

// "" when no token is configured.
io::Task<Result<std::string>> bearer_token(config::Server server, config::Environment environment) {
  if (server.bearer_token) {
    const std::string configured = *server.bearer_token;
    co_return co_await launch_value(
        std::move(server),
        std::move(environment),
        {.name = "bearerToken", .configured = configured, .kind = TextKind::secret});
  }
  if (!server.bearer_token_env) {
    co_return std::string();
  }
  const std::optional<std::string> value = environment.variable(*server.bearer_token_env);
  if (!value || value->empty()) {
    co_return fail(ErrorCode::invalid_argument,
                   "bearerTokenEnv names the variable " +
                       text::printable(*server.bearer_token_env) + ", which is not set; set it");
  }
  co_return *value;
}

void set_authorization(std::map<std::string, std::string>& headers, const std::string& token) {
  std::erase_if(headers,
                [](const auto& header) { return text::lower(header.first) == "authorization"; });
  headers["Authorization"] = "Bearer " + token;
}

io::Task<Result<std::map<std::string, std::string>>> resolve_headers(
    config::Server server, config::Environment environment) {
  std::map<std::string, std::string> headers;
  for (const auto& [name, configured] : server.headers) {
    const std::string field = "header " + text::printable(name);
    Result<std::string> value = co_await launch_value(
        server, environment, {.name = field, .configured = configured, .kind = TextKind::secret});
    if (!value) {
      co_return fail(std::move(value).error());
    }
    headers[name] = std::string(text::trim(*value));
  }
  Result<std::string> token = co_await bearer_token(std::move(server), std::move(environment));
  if (!token) {
    co_return fail(std::move(token).error());
  }
  if (!token->empty()) {
    set_authorization(headers, *token);
  }
  for (const auto& [name, value] : headers) {
    if (!io::is_valid({.name = name, .value = value})) {
      co_return fail(ErrorCode::invalid_argument,
                     "the header " + text::printable(name) +
                         " cannot be sent: its name is no token or its value has a line break");
    }
  }
  co_return headers;
}

}  // namespace

io::Task<Result<RemoteLaunch>> resolve_remote(config::Server server,
                                              config::Environment environment,
                                              config::Settings settings) {
  if (server.request_headers_command) {
    co_return fail(
        ErrorCode::unavailable,
        "it has a requestHeadersCommand, which this version of pi-mcp does not run; give "
        "\"headers\" a `!command` value instead");
  }
  RemoteLaunch remote;
  const LaunchText fields(server, environment);
  Result<std::string> url = fields.secret("url", server.url.value_or(""));
  if (!url) {
    co_return fail(std::move(url).error());
  }
  const Result<Url> parsed = parse_url(*url);
  if (!parsed) {
    co_return fail(parsed.error().code(), parsed.error().message() + "; correct \"url\"");
  }
  remote.url = *std::move(url);
  remote.kind = server.http_transport;
  remote.environment = network_environment(environment);
  if (server.ca_file) {
    const Result<std::string> file = fields.text("caFile", *server.ca_file);
    if (!file) {
      co_return fail(file.error());
    }
    if (!parsed->is_secure()) {
      co_return fail(ErrorCode::invalid_argument,
                     "caFile is for https:// addresses; correct \"url\" or remove \"caFile\"");
    }
    remote.ca_file = absolute_path(*file, environment);
  }
  if (may_use_oauth(server)) {
    Result<auth::Access> access = co_await resolve_access(server, environment, std::move(settings));
    if (!access) {
      co_return fail(std::move(access).error());
    }
    remote.access = *std::move(access);
  }
  auto headers = co_await resolve_headers(std::move(server), std::move(environment));
  if (!headers) {
    co_return fail(std::move(headers).error());
  }
  remote.headers = *std::move(headers);
  co_return remote;
}

Result<std::string> resolve_socket(const config::Server& server,
                                   const config::Environment& environment) {
  Result<std::string> path =
      LaunchText(server, environment).secret("socket", server.socket.value_or(""));
  if (!path) {
    return path;
  }
  return absolute_path(*path, environment);
}

}  // namespace pi_mcp::servers
