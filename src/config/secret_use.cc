#include "config/secret_use.h"

#include <map>
#include <string_view>

#include "base/variable_reference.h"
#include "config/interpolate.h"

namespace pi_mcp::config {
namespace {

class Collector {
 public:
  explicit Collector(const Server& server) : server_(server) {}

  // A string of the entry's member `key`.
  void look(std::string_view key, const std::string& field, std::string_view configured) {
    for (std::size_t at = configured.find(secret_opening); at != std::string_view::npos;
         at = configured.find(secret_opening, at + 1)) {
      const VariableReference reference = reference_at(configured.substr(at));
      const auto origin = server_.origins.find(std::string(key));
      found_.push_back(
          {.field = field,
           .name = std::string(reference.name),
           .origin = origin == server_.origins.end() ? server_.origin : origin->second});
    }
  }
  void look(std::string_view key,
            const std::string& field,
            const std::optional<std::string>& text) {
    look(key, field, std::string_view(text ? *text : ""));
  }
  // One that may be a `!command`.
  void look_value(std::string_view key, const std::string& field, std::string_view configured) {
    if (const SecretCommand command = secret_command(configured); !command.is_command) {
      look(key, field, std::string_view(command.text));
    }
  }
  void look_in(std::string_view key,
               const std::string& prefix,
               const std::map<std::string, std::string>& values) {
    for (const auto& [name, value] : values) {
      look_value(key, prefix + name, value);
    }
  }
  void look_in(std::string_view key, const std::vector<std::string>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string inside = key == "args" ? "" : ".args";
      look(key,
           std::string(key) + inside + "[" + std::to_string(i) + "]",
           std::string_view(arguments[i]));
    }
  }

  std::vector<SecretUse> take() { return std::move(found_); }

 private:
  const Server& server_;
  std::vector<SecretUse> found_;
};

}  // namespace

std::vector<SecretUse> secret_uses(const Server& server) {
  Collector all(server);
  all.look("command", "command", server.command);
  all.look_in("args", server.args);
  all.look("cwd", "cwd", server.cwd);
  if (!server.literal_env) {
    all.look_in("env", "env ", server.env);
  }
  all.look("url", "url", server.url);
  all.look("socket", "socket", server.socket);
  all.look_in("headers", "header ", server.headers);
  all.look_value("bearerToken", "bearerToken", server.bearer_token.value_or(""));
  all.look("caFile", "caFile", server.ca_file);
  if (const auto& command = server.request_headers_command) {
    constexpr std::string_view key = "requestHeadersCommand";
    all.look(key, std::string(key) + ".command", std::string_view(command->command));
    all.look_in(key, command->args);
    for (const auto& [name, value] : command->env) {
      all.look(key, std::string(key) + ".env " + name, std::string_view(value));
    }
  }
  if (server.oauth) {
    all.look_in("oauth", "oauth.", server.oauth->texts);
    for (const auto& [name, value] : server.oauth->authorization_params) {
      all.look("oauth", "oauth.authorizationParams." + name, std::string_view(value));
    }
  }
  return all.take();
}

}  // namespace pi_mcp::config
