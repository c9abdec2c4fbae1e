#include "servers/launch/remote.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "auth/adapter_secrets.h"
#include "base/text.h"
#include "config/interpolate.h"
#include "http/message.h"
#include "http/url.h"
#include "io/process/kernel.h"
#include "servers/launch/oauth_access.h"
#include "servers/launch/text.h"

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

std::string absolute_path(std::string_view text, const config::Environment& environment) {
  const std::string path = config::expand_home(text, environment);
  return path.starts_with('/') ? path : environment.cwd + "/" + path;
}

// "" when no fixed token is configured.
Result<std::string> bearer_token(const config::Server& server,
                                 const LaunchEnvironment& environment) {
  if (server.bearer_token) {
    const config::SecretCommand configured = config::secret_command(*server.bearer_token);
    return configured.is_command
               ? std::string()
               : LaunchText(server, environment).secret("bearerToken", configured.text);
  }
  if (!server.bearer_token_env) {
    return std::string();
  }
  const std::optional<std::string> value = environment.variable(*server.bearer_token_env);
  if (!value || value->empty()) {
    return fail(ErrorCode::invalid_argument,
                "bearerTokenEnv names the variable " + text::printable(*server.bearer_token_env) +
                    ", which is not set; set it");
  }
  return *value;
}

// How long a token that a command printed is used. The variable is that of the Pi MCP Adapter.
Milliseconds token_ttl(const config::Environment& environment) {
  constexpr Milliseconds usual{300'000};
  const std::string text =
      environment.variable("PI_MCP_ADAPTER_BEARER_COMMAND_TTL_MS").value_or("");
  std::int64_t wanted = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, wanted);
  constexpr std::int64_t ttl_max = std::int64_t{30} * 24 * 3600 * 1000;
  const bool is_number = !text.empty() && read.ec == std::errc() && read.ptr == end && wanted >= 0;
  return is_number ? Milliseconds(std::min(wanted, ttl_max)) : usual;
}

void remove_authorization(std::map<std::string, std::string>& headers) {
  std::erase_if(headers,
                [](const auto& header) { return text::lower(header.first) == "authorization"; });
}

io::Task<Result<std::map<std::string, std::string>>> resolve_headers(
    config::Server server, LaunchEnvironment environment) {
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
  for (const auto& [name, value] : headers) {
    if (!http::is_valid({.name = name, .value = value})) {
      co_return fail(ErrorCode::invalid_argument,
                     "the header " + text::printable(name) +
                         " cannot be sent: its name is not a token or its value has a line break");
    }
  }
  co_return headers;
}

// What `pi-mcp-adapter token set` has kept for this server and this url.
io::Task<Result<std::string>> stored_bearer(std::string server,
                                            std::string url,
                                            std::map<std::string, std::string> variables) {
  const auth::Keyring keyring(variables, io::own_program());
  const Result<std::optional<std::string>> entry =
      co_await auth::find_adapter_secret(keyring, std::string(auth::adapter_bearers), server);
  if (!entry) {
    co_return fail(
        ErrorCode::unavailable,
        "bearerTokenStore: the keyring does not give its token: " + entry.error().message() +
            "; unlock the keyring, or use bearerToken or bearerTokenEnv");
  }
  std::optional<std::string> token =
      *entry ? auth::parse_adapter_bearer(**entry, url) : std::nullopt;
  if (!token) {
    co_return fail(ErrorCode::invalid_argument,
                   "bearerTokenStore: the keyring has no token for this server and this url; keep "
                   "one there with the Pi MCP Adapter (token set), or use bearerToken or "
                   "bearerTokenEnv");
  }
  co_return *std::move(token);
}

Result<CredentialCommand> resolve_headers_command(const config::Server& server,
                                                  const LaunchEnvironment& environment) {
  const config::RequestHeadersCommand& configured = *server.request_headers_command;
  const LaunchText fields(server, environment);
  CredentialCommand command{.program = {},
                            .args = {},
                            .env = {environment.variables.begin(), environment.variables.end()},
                            .cwd = environment.cwd,
                            .time_max = configured.timeout,
                            .process = environment.process};
  Result<std::string> program = fields.secret("requestHeadersCommand.command", configured.command);
  if (!program) {
    return fail(std::move(program).error());
  }
  command.program = config::expand_home(text::trim(*program), environment);
  if (command.program.empty()) {
    return fail(ErrorCode::invalid_argument,
                R"(its requestHeadersCommand names no program; give it a "command")");
  }
  if (command.program.find('/') != std::string::npos) {
    command.program = absolute_path(command.program, environment);
  }
  for (std::size_t i = 0; i < configured.args.size(); ++i) {
    Result<std::string> arg =
        fields.secret("requestHeadersCommand.args[" + std::to_string(i) + "]", configured.args[i]);
    if (!arg) {
      return fail(std::move(arg).error());
    }
    command.args.push_back(*std::move(arg));
  }
  for (const auto& [name, text] : configured.env) {
    Result<std::string> value = fields.secret("requestHeadersCommand.env " + name, text);
    if (!value) {
      return fail(std::move(value).error());
    }
    command.env[name] = *std::move(value);
  }
  return command;
}

// Everything that shows who we are, but for OAuth.
io::Task<Result<void>> resolve_credentials(config::Server server,
                                           LaunchEnvironment environment,
                                           RemoteLaunch* remote) {
  if (server.request_headers_command) {
    Result<CredentialCommand> command = resolve_headers_command(server, environment);
    if (!command) {
      co_return fail(std::move(command).error());
    }
    remote->headers_command = *std::move(command);
  }
  auto headers = co_await resolve_headers(server, environment);
  if (!headers) {
    co_return fail(std::move(headers).error());
  }
  remote->headers = *std::move(headers);
  Result<std::string> token = bearer_token(server, environment);
  if (server.bearer_token_store && !server.bearer_token && !server.bearer_token_env) {
    token = co_await stored_bearer(
        server.name, remote->url, {environment.variables.begin(), environment.variables.end()});
  }
  if (!token) {
    co_return fail(token.error());
  }
  const config::SecretCommand command = config::secret_command(server.bearer_token.value_or(""));
  if (command.is_command) {
    remove_authorization(remote->headers);
    remote->token_command = shell_credential(command.text, environment);
    remote->token_ttl = token_ttl(environment);
  } else if (!token->empty()) {
    if (!http::is_valid({.name = "Authorization", .value = *token})) {
      co_return fail(ErrorCode::invalid_argument,
                     "the header Authorization cannot be sent: its value has a line break");
    }
    remove_authorization(remote->headers);
    remote->headers["Authorization"] = "Bearer " + *token;
  }
  co_return Result<void>();
}

}  // namespace

bool is_network_variable(std::string_view name) {
  return std::ranges::find(network_variables, text::lower(name)) != network_variables.end();
}

std::map<std::string, std::string> network_environment(const config::Environment& environment) {
  std::map<std::string, std::string> found;
  for (const auto& [name, value] : environment.variables) {
    if (is_network_variable(name)) {
      found.emplace(name, value);
    }
  }
  return found;
}

io::Task<Result<RemoteLaunch>> resolve_remote(config::Server server,
                                              LaunchEnvironment environment,
                                              config::Settings settings) {
  RemoteLaunch remote;
  const LaunchText fields(server, environment);
  Result<std::string> url = fields.secret("url", server.url.value_or(""));
  if (!url) {
    co_return fail(std::move(url).error());
  }
  const Result<http::Url> parsed = http::parse_url(*url);
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
  const Result<void> resolved =
      co_await resolve_credentials(std::move(server), std::move(environment), &remote);
  if (!resolved) {
    co_return fail(resolved.error());
  }
  co_return remote;
}

Result<std::string> resolve_socket(const config::Server& server,
                                   const LaunchEnvironment& environment) {
  Result<std::string> path =
      LaunchText(server, environment).secret("socket", server.socket.value_or(""));
  if (!path) {
    return path;
  }
  return absolute_path(*path, environment);
}

}  // namespace pi_mcp::servers
