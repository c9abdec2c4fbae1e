#include "auth/scope.h"

#include <algorithm>

#include "base/text.h"

namespace pi_mcp::auth {

std::string choose_scope(const ClientSettings& settings,
                         const std::optional<Demand>& demand,
                         const std::optional<ResourceMetadata>& resource,
                         const ServerMetadata& server,
                         const std::optional<Credentials>& known) {
  std::string scope = settings.scope;
  if (scope.empty() && demand && demand->scope) {
    scope = *demand->scope;
  } else if (scope.empty() && resource) {
    scope = text::join(resource->scopes_supported, " ");
  }
  const bool more = demand && demand->error == "insufficient_scope";
  if (more && demand->scope) {
    scope = scope_union(scope, *demand->scope);
  }
  if (known && (more || !known->wanted_scope.empty())) {
    scope = scope_union(known->requested_scope, scope);
    scope = scope_union(scope, known->tokens ? known->tokens->scope : "");
    scope = scope_union(scope, known->wanted_scope);
  }
  const auto& supported = server.scopes_supported;
  const bool may_refresh =
      std::find(supported.begin(), supported.end(), "offline_access") != supported.end();
  if (!scope.empty() && may_refresh && settings.grant == Grant::authorization_code) {
    scope = scope_union(scope, "offline_access");
  }
  return scope;
}

}  // namespace pi_mcp::auth
