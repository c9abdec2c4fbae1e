#include "servers/launch/stored_secrets.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "auth/secret_store.h"
#include "base/text.h"
#include "base/variable_reference.h"
#include "config/secret_use.h"
#include "servers/launch/oauth_access.h"

namespace pi_mcp::servers {
namespace {

// Why it cannot be asked for at all.
std::optional<Error> refusal(const config::SecretUse& use) {
  if (!use.origin.import_kind.empty()) {
    return Error(ErrorCode::invalid_argument,
                 use.field +
                     " has ${keyring:...}, which counts in files of pi-mcp only, and this "
                     "entry is one of " +
                     use.origin.import_kind + "; move the entry into a file of pi-mcp");
  }
  if (!is_name_of_secret(use.name)) {
    return Error(ErrorCode::invalid_argument,
                 use.field +
                     " has ${keyring:...} with something else than the name of a secret: "
                     "letters, digits, \"_\", \".\" and \"-\", 64 at most");
  }
  return std::nullopt;
}

}  // namespace

io::Task<Result<void>> add_secrets(config::Server server,
                                   config::Settings settings,
                                   LaunchEnvironment* environment) {
  const std::vector<config::SecretUse> uses = config::secret_uses(server);
  if (uses.empty()) {
    co_return Result<void>();
  }
  for (const config::SecretUse& use : uses) {
    if (std::optional<Error> problem = refusal(use)) {
      co_return fail(*std::move(problem));
    }
  }
  const auth::SecretStore store(store_access(*environment, settings));
  for (const config::SecretUse& use : uses) {
    if (environment->secrets.contains(use.name)) {
      continue;
    }
    Result<std::optional<std::string>> secret = co_await store.find(use.name);
    const std::string what = use.field + " uses the secret " + use.name + ", which ";
    if (!secret) {
      co_return fail(secret.error().saying(what + "cannot be read: " + secret.error().message()));
    }
    if (!*secret) {
      co_return fail(Error(ErrorCode::invalid_argument, what + "is not stored")
                         .with({.kind = Remedy::Kind::store_secret, .subject = use.name}));
    }
    environment->secrets[use.name] = **std::move(secret);
  }
  co_return Result<void>();
}

}  // namespace pi_mcp::servers
