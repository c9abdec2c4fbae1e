// An authorisation server, a client of it and where its tokens are stored, for tests of logins.
#pragma once

#include <filesystem>

#include <gtest/gtest.h>

#include "auth/access.h"
#include "auth/credentials.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "io/loop/random.h"
#include "io/net/http_client.h"
#include "support/auth_peer.h"

namespace pi_mcp::test {

struct AuthScene {
  explicit AuthScene(const io::Executor& executor)
      : peer(executor), client(executor, {}), executor(executor) {
    access.server = "remote";
    access.url = peer.server_url();
    access.agent_dir = testing::TempDir() + "/logins-" + io::random_hex(8);
  }
  // As a login at the peer would have made them.
  [[nodiscard]] auth::Credentials credentials(std::string token,
                                              std::string refresh,
                                              std::int64_t stale_in_ms) const {
    auth::Credentials credentials;
    credentials.server_url = access.url;
    credentials.issuer = peer.origin();
    credentials.token_endpoint = peer.origin() + "/token";
    credentials.revocation_endpoint = peer.origin() + "/revoke";
    credentials.requested_scope = "a";
    credentials.client.id = "client";
    credentials.client.source = auth::ClientSource::registered;
    credentials.tokens = auth::Tokens{.access = std::move(token),
                                      .refresh = std::move(refresh),
                                      .scope = "a",
                                      .stale_at = EpochMs{io::epoch_now().value + stale_in_ms},
                                      .login_ends_at = {}};
    return credentials;
  }
  io::Task<void> end() {
    co_await peer.close();
    std::filesystem::remove_all(access.agent_dir);
  }

  AuthPeer peer;
  io::HttpClient client;
  io::Executor executor;
  auth::Access access;
};

template <class Scene>
io::Task<int> played(io::Executor executor, io::Task<int> (*test)(Scene*)) {
  Scene scene(executor);
  const int done = co_await test(&scene);
  co_await scene.end();
  co_return done;
}

template <class Scene>
void play(io::Task<int> (*test)(Scene*)) {
  io::run([test](const io::Executor& executor) { return played(executor, test); });
}

}  // namespace pi_mcp::test
