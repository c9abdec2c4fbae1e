#include "servers/launch/connector.h"

#include <utility>

#include <boost/asio/this_coro.hpp>

#include "auth/authorizer.h"
#include "base/log.h"
#include "io/loop/with_deadline.h"
#include "io/process/browser.h"
#include "servers/launch/command_token.h"
#include "servers/launch/request_headers.h"
#include "transport/http/http_transport.h"
#include "transport/unix_socket.h"

namespace pi_mcp::servers {
namespace {

transport::HttpKind http_kind(config::HttpTransport configured) {
  switch (configured) {
    case config::HttpTransport::streamable_http:
      return transport::HttpKind::streamable_http;
    case config::HttpTransport::sse:
      return transport::HttpKind::sse;
    case config::HttpTransport::automatic:
      break;
  }
  return transport::HttpKind::automatic;
}

// For a call that waits for a person; the address goes to the log where no browser can be opened.
void show_login(const std::string& server,
                const std::map<std::string, std::string>& variables,
                const std::string& url) {
  if (!io::open_browser(url, variables)) {
    log::warning("to log in to " + server + ", open " + url);
  }
}

// The tokens of one server, for its link.
class OAuthCredentials final : public transport::Credentials {
 public:
  OAuthCredentials(const io::Executor& executor,
                   io::HttpClientOptions options,
                   const auth::Access& access)
      : client_(executor, std::move(options)),
        authorizer_(executor,
                    &client_,
                    access,
                    [server = access.server, variables = access.variables](const std::string& url) {
                      show_login(server, variables, url);
                    }) {}

  io::Task<Result<std::string>> token() override { return authorizer_.token(); }
  io::Task<Result<bool>> refused(transport::Refusal refusal) override {
    auth::Refusal same;
    same.status = refusal.status;
    same.challenges = std::move(refusal.challenges);
    same.token = std::move(refusal.token);
    same.attempt = refusal.attempt;
    return authorizer_.refused(std::move(same));
  }

 private:
  io::HttpClient client_;  // for authorisation servers
  auth::Authorizer authorizer_;
};

transport::HttpTransportOptions http_options(const io::Executor& executor, const Launch& launch) {
  const RemoteLaunch& remote = *launch.remote;
  transport::HttpTransportOptions options;
  options.name = launch.server;
  options.url = remote.url;
  options.kind = http_kind(remote.kind);
  for (const auto& [name, value] : remote.headers) {
    options.headers.push_back({.name = name, .value = value});
  }
  options.secrets = launch.secrets;
  options.client = client_options(remote);
  if (remote.access) {
    options.credentials =
        std::make_shared<OAuthCredentials>(executor, options.client, *remote.access);
  } else if (remote.token_command) {
    options.credentials = std::make_shared<CommandToken>(
        executor, launch.server, *remote.token_command, remote.token_ttl);
  }
  if (remote.headers_command) {
    options.request_headers = [signer = std::make_shared<RequestHeaders>(
                                   executor, launch.server, *remote.headers_command)](
                                  transport::UnsignedRequest request) {
      return signer->headers_of(std::move(request));
    };
  }
  return options;
}

}  // namespace

io::HttpClientOptions client_options(const RemoteLaunch& remote) {
  io::HttpClientOptions options;
  options.ca_file = remote.ca_file;
  options.environment = remote.environment;
  return options;
}

io::Task<Result<std::unique_ptr<transport::Transport>>> Connector::connect(Launch launch) {
  if (!launch.trace) {
    co_return co_await open(std::move(launch));
  }
  Result<std::unique_ptr<transport::Transport>> link = co_await open(launch);
  co_return link ? traces_.traced(*std::move(link), launch) : std::move(link);
}

io::Task<Result<std::unique_ptr<transport::Transport>>> Connector::open(Launch launch) {
  if (!launch.socket.empty()) {
    const Milliseconds limit = launch.deadlines.start;
    const std::string what = "the socket " + launch.socket;
    transport::UnixSocketOptions options;
    options.name = std::move(launch.server);
    options.path = std::move(launch.socket);
    co_return co_await io::with_deadline(
        limit, what, transport::open_unix_socket(std::move(options)));
  }
  if (!launch.remote) {
    co_return co_await stdio_.connect(std::move(launch));
  }
  const io::Executor executor = co_await boost::asio::this_coro::executor;
  co_return transport::make_http_transport(executor, http_options(executor, launch));
}

}  // namespace pi_mcp::servers
