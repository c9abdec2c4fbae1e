#include "servers/launch/oauth_access.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "auth/token_store.h"
#include "base/text.h"
#include "config/interpolate.h"
#include "io/files/file.h"
#include "servers/launch/text.h"

namespace pi_mcp::servers {
namespace {

// Where clients that were registered for the Pi MCP Adapter have their redirect address.
constexpr std::string_view adapter_callback_port = "19876";

bool is_authorization(std::string_view header) {
  return text::lower(header) == "authorization";
}

std::string* member_of(auth::ClientSettings& settings, std::string_view name) {
  using Member = std::pair<std::string_view, std::string*>;
  for (const auto& [key, member] :
       {Member{"clientId", &settings.client_id},
        Member{"clientSecret", &settings.client_secret},
        Member{"privateKey", &settings.private_key},
        Member{"clientMetadataUrl", &settings.client_metadata_url},
        Member{"scope", &settings.scope},
        Member{"redirectUri", &settings.redirect_uri},
        Member{"clientName", &settings.client_name},
        Member{"clientUri", &settings.client_uri},
        Member{"logoUri", &settings.logo_uri},
        Member{"authServerMetadataUrl", &settings.server_metadata_url},
        Member{"idp.issuer", &settings.identity_provider.issuer},
        Member{"idp.tokenEndpoint", &settings.identity_provider.token_endpoint},
        Member{"idp.clientId", &settings.identity_provider.client_id},
        Member{"idp.clientSecret", &settings.identity_provider.client_secret}}) {
    if (key == name) {
      return member;
    }
  }
  return nullptr;
}

// The address for a client that was registered beforehand, unless one is configured.
std::string default_redirect(const config::OAuth& oauth, const config::Environment& environment) {
  if (oauth.callback_port) {
    return "http://localhost:" + std::to_string(*oauth.callback_port) + "/callback";
  }
  if (!oauth.texts.contains("clientId") || oauth.grant != config::Grant::authorization_code) {
    return "";
  }
  const std::string port = environment.variable("MCP_OAUTH_CALLBACK_PORT").value_or("");
  return "http://localhost:" + (port.empty() ? std::string(adapter_callback_port) : port) +
         "/callback";
}

auth::Grant grant_of(const config::OAuth& oauth) {
  switch (oauth.grant) {
    case config::Grant::client_credentials:
      return auth::Grant::client_credentials;
    case config::Grant::cross_app_access:
      return auth::Grant::cross_app_access;
    case config::Grant::authorization_code:
      break;
  }
  return auth::Grant::authorization_code;
}

// Read when a login needs it: the token of this moment may have ended by then.
std::function<io::Task<Result<std::string>>()> identity_token(
    const config::Server& server, const LaunchEnvironment& environment) {
  constexpr std::string_view name = "idp.idToken";
  if (!server.oauth || !server.oauth->texts.contains(std::string(name))) {
    return {};
  }
  const LaunchField field{.name = "oauth." + std::string(name),
                          .configured = server.oauth->texts.at(std::string(name)),
                          .kind = TextKind::secret};
  return [server, environment, field] {
    return launch_value(server, environment, field);
  };
}

Result<void> read_private_key(const config::OAuth& oauth,
                              const LaunchEnvironment& environment,
                              auth::ClientSettings& settings) {
  const auto file = oauth.texts.find("privateKeyFile");
  if (file == oauth.texts.end()) {
    return {};
  }
  std::string path = config::expand_home(environment.filled(file->second).text, environment);
  if (!path.starts_with('/')) {
    path.insert(0, environment.cwd + "/");
  }
  constexpr std::size_t key_bytes_max = std::size_t{64} << 10U;
  Result<std::optional<std::string>> key = io::read_file(path, key_bytes_max);
  if (!key || !*key) {
    return fail(
        ErrorCode::invalid_argument,
        "oauth.privateKeyFile: " + (key ? path + " does not exist" : key.error().message()));
  }
  settings.private_key = **std::move(key);
  return {};
}

io::Task<Result<auth::ClientSettings>> resolve_settings(config::Server server,
                                                        LaunchEnvironment environment) {
  auth::ClientSettings settings;
  if (!server.oauth) {
    co_return settings;
  }
  const config::OAuth& oauth = *server.oauth;
  for (const auto& [name, configured] : oauth.texts) {
    std::string* member = member_of(settings, name);
    if (member == nullptr) {
      continue;  // privateKeyFile, idp.idToken
    }
    Result<std::string> value = co_await launch_value(
        server,
        environment,
        {.name = "oauth." + name, .configured = configured, .kind = TextKind::secret});
    if (!value) {
      co_return fail(std::move(value).error());
    }
    *member = *std::move(value);
  }
  for (const auto& [name, configured] : oauth.authorization_params) {
    settings.authorization_params[name] = environment.filled(configured).text;
  }
  if (auto read = read_private_key(oauth, environment, settings); !read) {
    co_return fail(std::move(read).error());
  }
  if (settings.redirect_uri.empty()) {
    settings.redirect_uri = default_redirect(oauth, environment);
  }
  settings.grant = grant_of(oauth);
  settings.any_issuer = oauth.any_issuer;
  settings.assume_pkce = oauth.assume_pkce;
  co_return settings;
}

auth::LoginStore login_store(const config::Settings& settings,
                             const config::Environment& environment) {
  const std::string wanted = environment.variable("PI_MCP_CREDENTIAL_STORE").value_or("");
  const bool by_settings = wanted.empty();
  const config::CredentialStore set = settings.credential_store;
  if (by_settings ? set == config::CredentialStore::automatic : wanted == "auto") {
    return auth::LoginStore::keyring;
  }
  const bool encrypted =
      by_settings ? set == config::CredentialStore::encrypted_file : wanted == "encrypted-file";
  return encrypted ? auth::LoginStore::encrypted_file : auth::LoginStore::file;
}

// Empty for an empty one.
std::string absolute(const std::string& written,
                     const config::Environment& environment,
                     const std::string& base) {
  std::string path =
      config::expand_home(config::interpolate(written, environment).text, environment);
  const bool is_relative = !path.empty() && !path.starts_with('/');
  return is_relative ? base + "/" + path : path;
}

}  // namespace

auth::Access store_access(const config::Environment& environment,
                          const config::Settings& settings) {
  auth::Access access;
  access.agent_dir = settings.agent_dir;
  access.principal = settings.principal;
  access.variables = environment.variables;
  access.store = login_store(settings, environment);
  access.key_file = absolute(settings.oauth_key_file, environment, settings.agent_dir);
  const std::string set = environment.variable("MCP_OAUTH_DIR").value_or("");
  access.adapter_dir =
      absolute(set.empty() ? settings.oauth_dir : set, environment, environment.cwd);
  return access;
}

std::optional<StoredLogin> stored_login(const config::Server& server,
                                        const config::Environment& environment,
                                        const config::Settings& settings) {
  const bool by_itself = server.oauth && server.oauth->grant != config::Grant::authorization_code;
  if (!may_use_oauth(server) || by_itself) {
    return std::nullopt;
  }
  auth::Access access = store_access(environment, settings);
  access.server = server.name;
  access.url = config::interpolate(*server.url, environment).text;
  access.adapter_tokens = server.auth == config::Auth::oauth;
  access.store = auth::LoginStore::file;
  access.shared = settings.shared_logins;
  const auth::TokenStore store(access);
  Result<std::optional<auth::Credentials>> record = store.remembered();
  if (!*record) {
    record = store.record();
  }
  std::optional<auth::Tokens> tokens = record && *record ? (*record)->tokens : std::nullopt;
  const bool is_open = !tokens || (*record)->secrets_in == auth::SecretsIn::file;
  if (!tokens) {
    tokens = store.adapter_tokens();
  }
  StoredLogin login{.is_there = tokens.has_value(), .ends_at = {}};
  if (tokens) {
    const bool ends_with_token = is_open && tokens->refresh.empty();
    login.ends_at = ends_with_token ? tokens->stale_at : tokens->login_ends_at;
  }
  return login;
}

bool may_use_oauth(const config::Server& server) {
  if (!server.url || server.oauth_off) {
    return false;
  }
  const bool shown_otherwise =
      server.bearer_token || server.bearer_token_env || server.bearer_token_store ||
      server.request_headers_command ||
      std::any_of(server.headers.begin(), server.headers.end(), [](const auto& header) {
        return is_authorization(header.first);
      });
  return server.auth == config::Auth::oauth ||
         (server.auth == config::Auth::automatic && !shown_otherwise);
}

io::Task<Result<auth::Access>> resolve_access(config::Server server,
                                              LaunchEnvironment environment,
                                              config::Settings settings) {
  const LaunchText fields(server, environment);
  Result<std::string> url = fields.secret("url", server.url.value_or(""));
  if (!url) {
    co_return fail(std::move(url).error());
  }
  Result<auth::ClientSettings> client = co_await resolve_settings(server, environment);
  if (!client) {
    co_return fail(std::move(client).error());
  }
  client->private_hosts = settings.private_hosts;
  auth::Access access = store_access(environment, settings);
  access.server = server.name;
  access.url = *std::move(url);
  access.settings = *std::move(client);
  access.adapter_tokens = server.auth == config::Auth::oauth;
  // The browser of this machine is the user's, and logged in as the user.
  access.may_ask = settings.auto_auth && settings.principal.empty();
  access.identity_token = identity_token(server, environment);
  // Where nobody is asked each replica gets tokens of its own, as each principal does.
  if (access.settings.grant == auth::Grant::authorization_code) {
    access.shared = settings.shared_logins;
  }
  co_return access;
}

}  // namespace pi_mcp::servers
