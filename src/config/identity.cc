#include "config/identity.h"

#include <array>
#include <map>
#include <string_view>

#include "base/digest.h"
#include "config/interpolate.h"
#include "json/canonical.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

// Sorted by code unit, as the canonical text wants them.
constexpr std::array<std::string_view, 10> hashed_fields = {"args",
                                                            "auth",
                                                            "bearerToken",
                                                            "bearerTokenEnv",
                                                            "command",
                                                            "cwd",
                                                            "env",
                                                            "exposeResources",
                                                            "headers",
                                                            "url"};

}  // namespace

std::string identity_text(json::Value entry) {
  std::string out = "{";
  for (const std::string_view field : hashed_fields) {
    out += out.size() == 1 ? "\"" : ",\"";
    out += field;
    out += "\":";
    const json::Value value = entry.find(field);
    if (value) {
      out += json::canonical(value);
    } else {
      out += "undefined";
    }
  }
  return out + "}";
}

std::string identity_hash(json::Value entry) {
  return sha256_hex(identity_text(entry));
}

std::string authorization_context(const Server& server, const Environment& environment) {
  json::Writer text;
  const auto add = [&](std::string_view configured) {
    text.string(interpolate(configured, environment).text);
  };
  const auto add_map = [&](const std::map<std::string, std::string>& values) {
    text.begin_array();
    for (const auto& [name, value] : values) {
      text.string(name);
      add(value);
    }
    text.end_array();
  };
  text.begin_array();
  add(server.command.value_or(""));
  add(server.url.value_or(""));
  add(server.socket.value_or(""));
  add(server.bearer_token.value_or(""));
  text.string(server.bearer_token_env ? environment.variable(*server.bearer_token_env).value_or("")
                                      : "");
  text.begin_array();
  for (const std::string& arg : server.args) {
    add(arg);
  }
  text.end_array();
  add_map(server.env);
  add_map(server.headers);
  if (server.request_headers_command) {
    add(server.request_headers_command->command);
    text.begin_array();
    for (const std::string& arg : server.request_headers_command->args) {
      add(arg);
    }
    text.end_array();
    add_map(server.request_headers_command->env);
  }
  if (server.oauth) {
    add_map(server.oauth->texts);
  }
  return sha256_hex(text.end_array().text());
}

}  // namespace pi_mcp::config
