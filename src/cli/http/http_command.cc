#include "cli/http/http_command.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "access/bearers.h"
#include "access/issued_tokens.h"
#include "access/key_fetch.h"
#include "access/narrow.h"
#include "access/token_file.h"
#include "base/log.h"
#include "cli/config_watch.h"
#include "cli/http/http_options.h"
#include "cli/http/listen_address.h"
#include "cli/http/replica.h"
#include "cli/principals/absent_principals.h"
#include "cli/principals/principal_option.h"
#include "cli/stopper.h"
#include "config/load.h"
#include "endpoint/endpoint.h"
#include "endpoint/metrics.h"
#include "endpoint/rates.h"
#include "endpoint/sessions.h"
#include "gateway/gateway.h"
#include "gateway/gateway_runs.h"
#include "host/methods.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "io/loop/sleep.h"
#include "io/loop/task_group.h"
#include "io/net/http_server.h"

namespace pi_mcp::cli {
namespace {

constexpr Milliseconds clock_pause{1'000};
// What may be left when the time to drain is over: servers that have to be killed.
constexpr Milliseconds cleaning_max{4'500};
constexpr Milliseconds drain_look{20};
constexpr std::chrono::days look_for_absent{1};

class HttpCommand {
 public:
  HttpCommand(const io::Executor& executor,
              const Setup& setup,
              HttpOptions options,
              access::TokenFile& tokens)
      : executor_(executor),
        setup_(setup),
        options_(std::move(options)),
        // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): a member owns it
        issued_(make_issued()),
        // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): a member owns it
        keys_(make_keys()),
        tokens_(tokens, issued_.get()),
        gateway_(executor),
        runs_(&gateway_,
              config::agent_dir(setup.environment),
              "clients over HTTP",
              setup.environment.cwd),
        config_(executor, setup),
        replica_(make_replica()),
        rates_(executor, replica_ ? replica_->store() : nullptr),
        sessions_(executor, gateway_, options_.keys, sessions_options()),
        endpoint_(options_.gate,
                  tokens_,
                  sessions_,
                  replica_ ? &replica_->routing() : nullptr,
                  observers()),
        stopper_(executor, setup.console, options_.drain + cleaning_max),
        tasks_(executor) {
    rates_.limit_all(options_.http.rate);
    endpoint_.limit(rates_);
  }

  io::Task<ExitStatus> run();

 private:
  std::unique_ptr<Replica> make_replica();
  std::unique_ptr<access::IssuedTokens> make_issued();
  std::unique_ptr<access::KeyFetch> make_keys();
  endpoint::Sessions::Options sessions_options();
  endpoint::Sessions::Options own_sessions_options();
  endpoint::Endpoint::Observers observers();
  [[nodiscard]] endpoint::Metrics::Gauges gauges() const;
  void use(config::Settings settings);
  void take(config::Settings settings);
  void note_visit(const access::Principal& principal) const;
  io::Task<void> keep_time();
  io::Task<void> forget_absent();
  void tell_where() const;
  io::Task<void> drain();

  io::Executor executor_;
  const Setup& setup_;
  HttpOptions options_;
  std::unique_ptr<access::IssuedTokens> issued_;  // null: there is no authorization server
  std::unique_ptr<access::KeyFetch> keys_;        // the same
  access::Bearers tokens_;
  gateway::Gateway gateway_;
  gateway::GatewayRuns runs_;
  ConfigWatch config_;
  config::Settings settings_;
  std::unique_ptr<Replica> replica_;  // null: there is one process
  endpoint::Rates rates_;
  endpoint::Sessions sessions_;
  endpoint::Endpoint endpoint_;
  Stopper stopper_;
  io::TaskGroup tasks_;
  std::unique_ptr<io::HttpServer> server_;
};

std::unique_ptr<Replica> HttpCommand::make_replica() {
  if (!options_.replica) {
    return nullptr;
  }
  return std::make_unique<Replica>(
      executor_, setup_, options_.keys, *options_.replica, [this](const std::string& nonce) {
        sessions_.lose(nonce);
      });
}

std::unique_ptr<access::IssuedTokens> HttpCommand::make_issued() {
  return options_.http.oauth ? std::make_unique<access::IssuedTokens>(*options_.http.oauth,
                                                                      [this] { keys_->look(); })
                             : nullptr;
}

std::unique_ptr<access::KeyFetch> HttpCommand::make_keys() {
  return issued_ ? std::make_unique<access::KeyFetch>(
                       executor_,
                       issued_->keys(),
                       access::KeyFetch::Options{.environment = setup_.environment.variables,
                                                 .private_hosts = options_.private_hosts,
                                                 .fetched =
                                                     [this] {
                                                       endpoint_.look_again();
                                                     }})
                 : nullptr;
}

endpoint::Sessions::Options HttpCommand::sessions_options() {
  endpoint::Sessions::Options options = own_sessions_options();
  if (replica_) {
    replica_->listen_to(options);
  }
  return options;
}

endpoint::Sessions::Options HttpCommand::own_sessions_options() {
  return {.environment = setup_.environment,
          .settings =
              [this](const access::Principal& principal) {
                return access::narrow(settings_, principal);
              },
          .has_server =
              [this](const access::Principal& principal, const std::string& name) {
                const config::Server* const server = settings_.find(name);
                return server != nullptr && !server->disabled && access::may_use(principal, name);
              },
          .is_good =
              [this](const access::Principal& principal) {
                return tokens_.is_good(principal, io::epoch_now());
              },
          .answered =
              [this](std::string_view method, std::int64_t code, Duration taken) {
                endpoint_.metrics().count_answer(
                    host::find_method(method) != nullptr ? method : "other", code, taken);
              },
          .version = PI_MCP_VERSION,
          .came =
              [this](const access::Principal& principal) {
                note_visit(principal);
              }};
}

endpoint::Metrics::Gauges HttpCommand::gauges() const {
  endpoint::Metrics::Gauges gauges;
  gauges.connections = server_->connections();
  gauges.connections_max = io::HttpServerLimits().connections_max;
  gauges.sessions = sessions_.live();
  gauges.sessions_max = sessions_.live_max();
  gauges.calls = sessions_.under_way();
  gauges.calls_max = sessions_.calls_max();
  gauges.servers = gateway_.running_servers().size();
  if (replica_) {
    gauges.replica = replica_->figures();
  }
  return gauges;
}

endpoint::Endpoint::Observers HttpCommand::observers() {
  endpoint::Endpoint::Observers observers{.served = nullptr,
                                          .gauges = [this]() -> endpoint::Metrics::Gauges {
                                            return gauges();
                                          }};
  if (options_.access_log) {
    observers.served = [this](const endpoint::Served& served) {
      options_.access_log->append(endpoint::access_line(served, io::epoch_now()));
    };
  }
  return observers;
}

void HttpCommand::use(config::Settings settings) {
  settings_ = std::move(settings);
  if (replica_) {
    settings_.shared_logins = replica_->logins();
  }
}

void HttpCommand::take(config::Settings settings) {
  const Result<HttpSettings> http = read_http_settings(settings);
  if (!http) {
    log::warning(http.error().message() + "; what it said before counts until that is corrected");
  } else {
    rates_.limit_all(http->rate);
    options_.http.absence_max = http->absence_max;
    if (http->oauth.has_value() != (issued_ != nullptr) ||
        (issued_ && !issued_->replace(*http->oauth))) {
      log::warning(
          "settings.http.oauth has other issuers, or another resource, than at start; that "
          "counts from the next start on");
    }
  }
  use(std::move(settings));
  sessions_.reload();
}

void HttpCommand::note_visit(const access::Principal& principal) const {
  cli::note_visit(settings_.agent_dir, principal, io::epoch_now());
}

io::Task<void> HttpCommand::keep_time() {
  while (co_await io::sleep_for(clock_pause)) {
    sessions_.look_at_clock();
    rates_.look_at_clock(io::now());
    runs_.look();
    if (replica_) {
      replica_->look_at_clock(sessions_);
    }
  }
}

// Who has something in memory is not absent.
io::Task<void> HttpCommand::forget_absent() {
  do {
    for (const endpoint::PrincipalPtr& principal : sessions_.principals()) {
      note_visit(*principal);
    }
    // At other replicas they may be: what those have in common stays.
    config::Settings settings = settings_;
    settings.shared_logins = nullptr;
    co_await forget_absent_principals(
        executor_, setup_.environment, std::move(settings), options_.http.absence_max);
  } while (co_await io::sleep_for(look_for_absent));
}

void HttpCommand::tell_where() const {
  const bool has_tls = options_.identity.has_value();
  setup_.console->note(listening_text(server_->address(), has_tls));
  for (const std::string& each : listening_warnings(server_->address(), has_tls, options_.names)) {
    log::warning(each);
  }
}

// Calls under way may end, and nothing new begins.
io::Task<void> HttpCommand::drain() {
  endpoint_.drain();
  server_->drain();
  sessions_.send_away();
  const TimePoint last = io::now() + options_.drain;
  while (sessions_.under_way() > 0 && io::now() < last) {
    if (!co_await io::sleep_for(drain_look)) {
      break;
    }
  }
}

io::Task<ExitStatus> HttpCommand::run() {
  use(config_.load());
  if (keys_) {
    // So that the first who come find them.
    keys_->start();
    co_await keys_->first();
  }
  Result<std::unique_ptr<io::HttpServer>> server =
      io::HttpServer::open(executor_,
                           options_.address,
                           endpoint_,
                           {},
                           options_.identity ? &*options_.identity : nullptr);
  if (!server) {
    if (keys_) {
      co_await keys_->stop();
    }
    co_return report(setup_, server.error());
  }
  server_ = *std::move(server);
  config_.start(
      {.take = [this](config::Settings settings) { take(std::move(settings)); }, .warn = nullptr});
  stopper_.start([this] { config_.reload_soon(); });
  if (replica_) {
    replica_->start();
    if (catalog::SharedListings* const listings = replica_->listings()) {
      gateway_.share(*listings);
    }
  }
  tasks_.spawn("http sessions", keep_time(), io::log_only);
  tasks_.spawn("those who come no more", forget_absent(), io::log_only);
  tell_where();
  io::Wake wake = io::Wake::notified;
  while (!stopper_.stopped() && wake != io::Wake::cancelled) {
    wake = co_await stopper_.changed().wait();
  }
  co_await drain();
  tasks_.cancel();
  co_await tasks_.join();
  co_await config_.stop();
  if (keys_) {
    co_await keys_->stop();
  }
  if (replica_) {
    co_await replica_->end_routing();
  }
  runs_.look();
  co_await sessions_.close();
  co_await server_->close();
  co_await rates_.close();
  co_await gateway_.close();
  runs_.bury();
  if (replica_) {
    co_await replica_->close();
  }
  co_await stopper_.close();
  co_return ExitStatus::done;
}

io::Task<ExitStatus> http_main(io::Executor executor,
                               const Setup* setup,
                               HttpOptions options,
                               access::TokenFile* tokens) {
  HttpCommand command(executor, *setup, std::move(options), *tokens);
  co_return co_await command.run();
}

}  // namespace

ExitStatus run_http_command(const Setup& setup) {
  const Setup own = as_served(setup);
  access::TokenFile tokens(config::agent_dir(own.environment));
  Result<HttpOptions> options = read_http_options(own, tokens);
  if (!options) {
    return report(own, options.error());
  }
  return io::run([&](const io::Executor& executor) {
    return http_main(executor, &own, *std::move(options), &tokens);
  });
}

}  // namespace pi_mcp::cli
