#include "cli/principals/forget_principal.h"

#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "access/narrow.h"
#include "auth/authorizer.h"
#include "auth/token_store.h"
#include "base/log.h"
#include "config/identity.h"
#include "config/interpolate.h"
#include "io/files/file.h"
#include "io/loop/with_deadline.h"
#include "io/net/http_client.h"
#include "servers/launch/connector.h"
#include "servers/launch/launch.h"
#include "servers/launch/oauth_access.h"

namespace pi_mcp::cli {
namespace {

// For one login. Authorization servers that do not answer keep nobody from being forgotten.
constexpr Milliseconds log_out_max{15'000};

// As far as it is known without asking anybody for a secret.
auth::Access plain_access(const config::Server& server,
                          const config::Environment& environment,
                          const config::Settings& settings) {
  auth::Access access = servers::store_access(environment, settings);
  access.server = server.name;
  access.url = config::interpolate(server.url.value_or(""), environment).text;
  access.shared = settings.shared_logins;
  return access;
}

// False: there was no login.
io::Task<Result<bool>> log_out(io::Executor executor,
                               config::Server server,
                               config::Environment environment,
                               config::Settings settings) {
  const auth::TokenStore store(plain_access(server, environment, settings));
  const Result<std::optional<auth::Credentials>> login = co_await store.look();
  if (!login && store.is_shared()) {
    log::warning("its login at " + server.name + " is left: " + login.error().message());
  }
  if (!login || !*login || !(*login)->tokens) {
    co_return false;
  }
  const Result<servers::Launch> launch =
      co_await servers::resolve_launch(server, environment, settings);
  if (launch && launch->remote && launch->remote->access) {
    io::HttpClient client(executor, servers::client_options(*launch->remote));
    auth::Authorizer authorizer(executor, &client, *launch->remote->access);
    // What it leaves in files is removed with the rest.
    if (const Result<bool> out = co_await authorizer.log_out(); !out && store.is_shared()) {
      log::warning("its login at " + server.name + " is left: " + out.error().message());
    }
  }
  co_return true;
}

}  // namespace

io::Task<std::size_t> forget_principal(io::Executor executor, Forgotten forgotten) {
  const std::string& id = forgotten.id;
  const config::Settings theirs =
      access::narrow(std::move(forgotten.settings),
                     {.name = id, .id = id, .servers = {}, .tools = {}, .expires = {}});
  std::size_t logins = 0;
  for (const config::Server& server : theirs.servers) {
    if (servers::may_use_oauth(server)) {
      const Result<bool> ended = co_await io::with_deadline(
          log_out_max, "logging out", log_out(executor, server, forgotten.environment, theirs));
      logins += ended.value_or(true) ? 1U : 0U;
    }
  }
  co_await auth::remove_logins(servers::store_access(forgotten.environment, theirs));
  const auto state = co_await boost::asio::this_coro::cancellation_state;
  if (!io::is_cancelled(state)) {
    io::remove_folder(config::own_dir(theirs.agent_dir, id));
  }
  co_return logins;
}

}  // namespace pi_mcp::cli
