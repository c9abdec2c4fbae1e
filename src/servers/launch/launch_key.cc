// What makes two launches the same.
#include "base/digest.h"
#include "json/writer.h"
#include "servers/launch/launch.h"

namespace pi_mcp::servers {
namespace {

// One command in one environment always prints credentials of the same principal.
void add(json::Writer& text, std::string_view name, const CredentialCommand& command) {
  text.begin_array().string(name).string(command.program);
  for (const std::string& arg : command.args) {
    text.string(arg);
  }
  text.end_array().begin_array();
  for (const auto& [variable, value] : command.env) {
    text.string(variable).string(value);
  }
  text.end_array().string(command.cwd).number(std::int64_t{command.time_max.count()});
}

// The soft number of open files is left out: who starts programs raises it for its own use.
void add(json::Writer& text, const ProcessTraits& traits) {
  text.begin_array().number(std::int64_t{traits.umask}).number(std::int64_t{traits.niceness});
  for (std::size_t i = 0; i < resource_count; ++i) {
    const ResourceLimit& limit = traits.limits.at(i);
    text.string(std::to_string(limit.hard));
    text.string(i == open_files_resource ? "" : std::to_string(limit.soft));
  }
  text.end_array();
}

std::string text_of(const RemoteLaunch& remote) {
  json::Writer text;
  text.begin_array().string("http").string(remote.url).begin_array();
  for (const auto& [name, value] : remote.headers) {
    text.string(name).string(value);
  }
  text.end_array().begin_array();
  for (const auto& [name, value] : remote.environment) {
    text.string(name).string(value);
  }
  text.end_array();
  if (remote.token_command) {
    add(text, "token", *remote.token_command);
    text.number(std::int64_t{remote.token_ttl.count()});
  }
  if (remote.headers_command) {
    add(text, "headers", *remote.headers_command);
  }
  if (remote.access) {  // whose tokens are shown
    text.string(remote.access->agent_dir).string(remote.access->server);
    text.string(remote.access->settings.client_id).string(remote.access->settings.scope);
  }
  text.string(remote.ca_file).number(static_cast<std::int64_t>(remote.kind));
  return text.end_array().take();
}

std::string text_of(const Launch& launch) {
  if (launch.remote) {
    return text_of(*launch.remote);
  }
  json::Writer text;
  if (!launch.socket.empty()) {
    return text.begin_array().string("socket").string(launch.socket).end_array().take();
  }
  text.begin_array().string("stdio").string(launch.command).begin_array();
  for (const std::string& arg : launch.args) {
    text.string(arg);
  }
  text.end_array().begin_array();
  for (const auto& [name, value] : launch.env) {
    if (!launch.not_in_key.contains(name)) {
      text.string(name).string(value);
    }
  }
  text.end_array().string(launch.cwd).string(launch.cwd_identity).begin_array();
  for (const std::string& file : launch.leads_to) {
    text.string(file);
  }
  text.end_array().boolean(launch.short_list);
  if (launch.kept_out) {
    text.string("kept out");
  }
  if (launch.process) {
    add(text, *launch.process);
  }
  return text.end_array().take();
}

std::string digest(const Launch& launch, bool for_any_session) {
  json::Writer text;
  text.begin_array().raw(text_of(launch)).string(launch.principal);
  if (!for_any_session) {
    text.raw(mcp::capabilities_json(launch.features)).string(launch.session).string(launch.roots);
    text.number(std::int64_t{launch.copy});
  }
  text.number(static_cast<std::int64_t>(launch.protocol)).boolean(launch.tasks);
  for (const std::string& host : launch.pages.addresses.private_hosts) {
    text.string(host);
  }
  return sha256_hex(text.end_array().text());
}

}  // namespace

// The text that is hashed names the transport first, so that transports can never collide.
std::string Launch::key() const {
  return digest(*this, false);
}

std::string Launch::key_of_any_session() const {
  return digest(*this, true);
}

}  // namespace pi_mcp::servers
