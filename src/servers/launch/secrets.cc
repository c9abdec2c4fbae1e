#include "servers/launch/secrets.h"

#include <string>
#include <string_view>

#include "base/text.h"
#include "config/interpolate.h"
#include "secrets/mask.h"

namespace pi_mcp::servers {
namespace {

bool is_path(std::string_view value) {
  return value.starts_with('/');  // SSH_AUTH_SOCK, PWD
}

bool is_secret(std::string_view name, std::string_view value) {
  return secrets::looks_like_secret(value) || (secrets::is_secret_name(name) && !is_path(value));
}

// "postgres://me:PASSWORD@host": a program may show a part of it.
void add_password(std::string_view value, secrets::Secrets& secrets) {
  const std::size_t address = value.find("://");
  const std::size_t at = value.find('@', address);
  if (address != std::string_view::npos && at != std::string_view::npos) {
    const std::string_view user = value.substr(address + 3, at - address - 3);
    secrets.add(user.substr(user.find(':') + 1));
  }
}

// What a command printed or the user has stored: a program may show any line of it.
void add_output(std::string_view value, secrets::Secrets& secrets) {
  secrets.add(value);
  for (const std::string_view line : text::split(value, '\n')) {
    secrets.add(text::trim(line));
  }
}

void add_variable(std::string_view name, std::string_view value, secrets::Secrets& secrets) {
  if (is_secret(name, value)) {
    secrets.add(value);
  }
  add_password(value, secrets);
}

// A value of `env` that became `value`.
void add_configured(std::string_view configured,
                    std::string_view value,
                    const LaunchEnvironment& environment,
                    secrets::Secrets& secrets) {
  if (config::secret_command(configured).is_command) {
    add_output(value, secrets);
    return;
  }
  for (const config::Inserted& inserted : environment.filled(configured).inserted) {
    if (!is_path(inserted.value)) {
      secrets.add(inserted.value);
    }
    add_password(inserted.value, secrets);
  }
}

void add_child(const config::Server& server,
               const LaunchEnvironment& environment,
               const Launch& launch,
               secrets::Secrets& secrets) {
  for (const auto& [name, value] : launch.env) {
    add_variable(name, value, secrets);
    const auto configured = server.env.find(name);
    if (configured == server.env.end()) {
      continue;
    }
    if (secrets::is_secret_name(name)) {
      secrets.add(value);
    }
    if (!server.literal_env) {
      add_configured(configured->second, value, environment, secrets);
    }
  }
  for (const std::string& arg : server.args) {
    for (const auto& [name, value] : environment.filled(arg).inserted) {
      add_variable(name, value, secrets);
    }
  }
}

void add_remote(const config::Server& server,
                const LaunchEnvironment& environment,
                const RemoteLaunch& remote,
                secrets::Secrets& secrets) {
  if (server.request_headers_command && remote.headers_command) {
    for (const auto& [name, configured] : server.request_headers_command->env) {
      const std::string& value = remote.headers_command->env.at(name);
      add_variable(name, value, secrets);
      add_configured(configured, value, environment, secrets);
    }
  }
  for (const auto& [name, value] : remote.headers) {
    secrets.add_header(value);
  }
  secrets.add_url(remote.url);
  if (remote.access) {
    secrets.add(remote.access->settings.client_secret);
    add_output(remote.access->settings.private_key, secrets);
  }
}

}  // namespace

secrets::Secrets secrets_of(const config::Server& server,
                            const LaunchEnvironment& environment,
                            const Launch& launch) {
  secrets::Secrets secrets;
  for (const auto& [name, value] : environment.secrets) {
    add_output(value, secrets);
  }
  add_child(server, environment, launch, secrets);
  if (launch.remote) {
    add_remote(server, environment, *launch.remote, secrets);
  }
  return secrets;
}

}  // namespace pi_mcp::servers
