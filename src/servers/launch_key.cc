// What makes two launches the same.
#include "base/digest.h"
#include "json/writer.h"
#include "servers/launch.h"

namespace pi_mcp::servers {

// The text that is hashed names the transport first, so that other transports can never collide.
std::string Launch::key() const {
  json::Writer text;
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
