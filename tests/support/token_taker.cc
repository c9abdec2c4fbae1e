// Takes the token of one server as the program would, prints it and ends: AGENT_DIR SERVER URL.
#include <cstdio>
#include <span>
#include <string>
#include <utility>

#include "auth/authorizer.h"
#include "io/loop/loop.h"
#include "io/net/http_client.h"

namespace {

using namespace pi_mcp;

io::Task<int> take(io::Executor executor, auth::Access access) {
  io::HttpClient client(executor, {});
  auth::Authorizer authorizer(executor, &client, std::move(access));
  const Result<std::string> token = co_await authorizer.token();
  (void)std::puts(token ? token->c_str() : token.error().message().c_str());
  co_return token ? 0 : 1;
}

}  // namespace

int main(int count, char** values) {
  const std::span arguments(values, static_cast<std::size_t>(count));
  if (arguments.size() != 4) {
    return 2;
  }
  auth::Access access;
  access.agent_dir = arguments[1];
  access.server = arguments[2];
  access.url = arguments[3];
  return io::run([&access](const io::Executor& executor) { return take(executor, access); });
}
