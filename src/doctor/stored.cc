#include "doctor/stored.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "auth/secret_store.h"
#include "base/text.h"
#include "config/secret_use.h"
#include "io/files/file.h"
#include "json/document.h"
#include "secrets/plain.h"
#include "servers/launch/oauth_access.h"

namespace pi_mcp::doctor {
namespace {

constexpr std::size_t file_bytes_max = std::size_t{16} << 20U;

// Who else may see what the file says; empty: nobody.
std::string exposure_of(const std::string& path) {
  for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
       slash = path.rfind('/', slash - 1)) {
    const std::string git = path.substr(0, slash) + "/.git";
    if (io::is_directory(git) || io::is_file(git)) {
      return "which is in a repository";
    }
  }
  const Result<std::string> text = io::read_private_file(path, file_bytes_max);
  return text ? "" : "which others can read";
}

// Those in files of pi-mcp: in those of other hosts a reference would not count.
std::vector<PlainToken> plain_tokens(const config::Server& server) {
  std::vector<PlainToken> found;
  const Result<json::Document> entry = json::Document::parse_view(server.entry_json);
  if (!entry) {
    return found;
  }
  for (const secrets::PlainSecret& plain : secrets::plain_secrets(server.name, entry->root())) {
    const auto known = server.origins.find(plain.path.front());
    const config::Origin& origin = known == server.origins.end() ? server.origin : known->second;
    const std::string exposure = origin.import_kind.empty() ? exposure_of(origin.path) : "";
    for (const std::string& name : plain.names) {
      if (!exposure.empty()) {
        found.push_back({.field = text::join(plain.path, "."),
                         .path = origin.path,
                         .exposure = exposure,
                         .name = name,
                         .replacement = plain.replacement,
                         .no_keyring = false});
      }
    }
  }
  return found;
}

using Names = Result<std::vector<std::string>>;

bool has(const Names& names, const std::string& name) {
  return names && std::ranges::find(*names, name) != names->end();
}

std::vector<config::SecretUse> uses_without(const Names& in_file, const config::Server& server) {
  std::vector<config::SecretUse> uses = config::secret_uses(server);
  std::erase_if(uses, [&in_file](const config::SecretUse& use) { return has(in_file, use.name); });
  return uses;
}

}  // namespace

io::Task<void> look_at_secrets(const Place* place, Facts* facts) {
  const auth::SecretStore store(servers::store_access(place->environment, place->settings));
  const Names in_file = store.names_in_file();
  std::optional<Names> in_keyring;
  for (ServerFacts& facts_of : facts->servers) {
    const config::Server* server = place->settings.find(facts_of.name);
    if (server == nullptr || server->disabled) {
      continue;
    }
    facts_of.plain_tokens = plain_tokens(*server);
    const std::vector<config::SecretUse> others = uses_without(in_file, *server);
    if (facts_of.plain_tokens.empty() && others.empty()) {
      continue;
    }
    if (!in_keyring) {
      in_keyring.emplace(co_await store.names_in_keyring());
    }
    for (PlainToken& token : facts_of.plain_tokens) {
      token.no_keyring = !*in_keyring;
    }
    for (const config::SecretUse& use : others) {
      if (!has(*in_keyring, use.name)) {
        facts_of.missing_secrets.push_back(
            {.name = use.name,
             .field = use.field,
             .problem = *in_keyring ? "" : in_keyring->error().message()});
      }
    }
  }
}

}  // namespace pi_mcp::doctor
