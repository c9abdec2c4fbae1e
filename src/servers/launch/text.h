// Configured strings of one server, resolved in the environment of one session.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/environment.h"
#include "config/interpolate.h"
#include "config/settings.h"
#include "io/loop/task.h"

namespace pi_mcp::servers {

// What the strings of one launch are resolved with.
struct LaunchEnvironment : config::Environment {
  std::map<std::string, std::string> secrets;  // stored ones that the server names, by name

  // `configured` with its variables and secrets.
  [[nodiscard]] config::Interpolated filled(std::string_view configured) const {
    return config::interpolate(configured, *this, secrets);
  }
};

// A plain text counts a missing variable as empty and warns; in a secret that is an error, since an
// empty credential would be sent.
enum class TextKind : std::uint8_t { plain, secret };

// Whether an empty value of a variable would be sent somewhere as a credential.
[[nodiscard]] bool is_credential_name(std::string_view name);

// What to write for a "command" that holds its arguments, too; secrets in it are masked.
std::string command_advice(std::string_view command);

class LaunchText {
 public:
  LaunchText(const config::Server& server, const LaunchEnvironment& environment)
      : server_(server), environment_(environment) {}

  // `field` names it in messages: `env GITHUB_TOKEN`, `args[2]`. invalid_argument: a variable is
  // missing in a secret, or there is a zero byte.
  [[nodiscard]] Result<std::string> text(const std::string& field,
                                         std::string_view configured) const {
    return resolve(field, configured, TextKind::plain);
  }
  [[nodiscard]] Result<std::string> secret(const std::string& field,
                                           std::string_view configured) const {
    return resolve(field, configured, TextKind::secret);
  }
  [[nodiscard]] Result<std::string> resolve(const std::string& field,
                                            std::string_view configured,
                                            TextKind kind) const;

 private:
  const config::Server& server_;
  const LaunchEnvironment& environment_;
};

struct LaunchField {
  std::string name;
  std::string configured;
  TextKind kind = TextKind::plain;
};

// Resolves a value that may be a `!command`: 10 s and 1 MiB of output; errors never have output
// or command line in them. Also unavailable: the command failed.
io::Task<Result<std::string>> launch_value(config::Server server,
                                           LaunchEnvironment environment,
                                           LaunchField field);

}  // namespace pi_mcp::servers
