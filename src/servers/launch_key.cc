// What makes two launches the same.
#include "base/digest.h"
#include "json/writer.h"
#include "servers/launch.h"

namespace pi_mcp::servers {

namespace {

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
  if (remote.access) {  // whose tokens are shown
    text.string(remote.access->agent_dir).string(remote.access->server);
    text.string(remote.access->settings.client_id).string(remote.access->settings.scope);
  }
  text.string(remote.ca_file).number(static_cast<std::int64_t>(remote.kind));
  return text.end_array().take();
}

}  // namespace

// The text that is hashed names the transport first, so that transports can never collide.
std::string Launch::key() const {
  if (remote) {
    return sha256_hex(text_of(*remote));
  }
  json::Writer text;
  if (!socket.empty()) {
    return sha256_hex(text.begin_array().string("socket").string(socket).end_array().text());
  }
  text.begin_array().string("stdio").string(command).begin_array();
  for (const std::string& arg : args) {
    text.string(arg);
  }
  text.end_array().begin_array();
  for (const auto& [name, value] : env) {
    text.string(name).string(value);
  }
  text.end_array().string(cwd).end_array();
  return sha256_hex(text.text());
}

}  // namespace pi_mcp::servers
