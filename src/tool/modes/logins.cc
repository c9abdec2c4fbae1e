#include "tool/modes/logins.h"

#include <algorithm>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "auth/authorizer.h"
#include "auth/login.h"
#include "auth/shared_logins.h"
#include "auth/token_store.h"
#include "base/log.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/task_group.h"
#include "io/net/http_client.h"
#include "io/process/browser.h"
#include "json/document.h"
#include "servers/launch/connector.h"
#include "servers/launch/launch.h"
#include "servers/launch/oauth_access.h"
#include "tool/answer.h"
#include "tool/call_context.h"
#include "tool/failures.h"
#include "tool/mode_parts.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

// From the first request to the URL for a person, and from what they paste to the tokens: a few
// requests each.
constexpr Milliseconds step_max{60'000};
// For the server of a login that was completed elsewhere, so that the answer already has it.
constexpr Milliseconds server_wait{2'000};

Answer successful(Mode mode, const std::string& server) {
  return Reply(mode,
               "OAuth authentication successful for " + quoted(server) + ". Run " +
                   Message(NextStep{.mode = Mode::connect, .subject = server}) + " to use it.")
      .with("server", server)
      .with("authenticated", true)
      .take();
}

Answer missing_server(Mode mode) {
  return Reply(mode,
               Failure::usage,
               "missing_server",
               std::string(row_of(mode).name) +
                   " requires `server`: " + Message(NextStep{.mode = mode, .subject = "NAME"}))
      .take();
}

Answer failed(Mode mode, const std::string& server, const Error& error) {
  const bool starting = mode == Mode::auth_start;
  return Reply(mode,
               failure_of(error.code()),
               starting ? "auth_start_failed" : "auth_complete_failed",
               std::string("Failed to ") + (starting ? "start" : "complete") + " OAuth for " +
                   quoted(server) + ": " + error.message() + remedy_step(error.remedy().get()))
      .with("server", server)
      .take();
}

// Nobody has to log in: the tokens are still good.
bool is_good(const std::optional<auth::Credentials>& login) {
  if (!login || !login->tokens || !login->wanted_scope.empty()) {
    return false;
  }
  const std::optional<EpochMs> stale = login->tokens->stale_at;
  return !stale || io::epoch_now() < *stale;
}

Answer not_under_way(const std::string& server) {
  return Reply(Mode::auth_complete,
               Failure::usage,
               "auth_complete_failed",
               "Failed to complete OAuth for " + quoted(server) + ": no login is under way; call " +
                   Message(NextStep{.mode = Mode::auth_start, .subject = server}) + " first")
      .with("server", server)
      .take();
}

std::string pasted(const ToolRequest& request) {
  const Result<json::Document> args = json::Document::parse(request.args);
  if (args) {
    for (const std::string_view name : {"redirectUrl", "code", "input"}) {
      if (std::string text = args->root().find(name).string_or(""); !text.empty()) {
        return text;
      }
    }
  }
  return "";
}

}  // namespace

struct Logins::Pending {
  Pending(const io::Executor& executor,
          io::HttpClientOptions options,
          auth::Access wanted,
          std::function<void(const std::string&)> open)
      : server(wanted.server),
        is_users(wanted.principal.empty()),
        store(wanted),
        client(executor, std::move(options)),
        login(executor, &client, std::move(wanted), {.open = std::move(open)}),
        changed(executor),
        tasks(executor) {}

  // Waits for the URL or the end; once there is a URL, only for the end.
  io::Task<void> wait(bool for_end) {
    const TimePoint deadline = io::now() + step_max;
    while (!result && (for_end || url.empty())) {
      if (co_await changed.wait_until(deadline) != io::Wake::notified) {
        co_return;
      }
    }
  }

  // A person is wanted, and may come back to another replica.
  [[nodiscard]] bool may_end_elsewhere() const {
    return store.is_shared() && !result && !url.empty() && !login.has_answer();
  }

  [[nodiscard]] bool is_due(TimePoint now) const {
    return may_end_elsewhere() && (!looked || now - *looked >= look_pause);
  }

  // Somebody has logged in since it was begun.
  io::Task<bool> is_made_elsewhere() const {
    if (!store.is_shared()) {
      co_return false;
    }
    const Result<std::optional<auth::Credentials>> known = co_await store.look();
    co_return known && *known && (*known)->tokens && (*known)->made_at > older;
  }

  std::string server;
  bool is_users = true;  // else a principal's, who may be anywhere
  auth::TokenStore store;
  EpochMs older;    // the login that there was when it was begun; see auth::Credentials
  std::string url;  // empty until a person is wanted
  bool opened = false;
  std::optional<TimePoint> looked;  // whether it was completed elsewhere
  std::optional<Result<void>> result;
  bool is_used = false;  // its server was connected to with it, or that has failed
  io::HttpClient client;
  auth::Login login;
  io::Condition changed;
  io::TaskGroup tasks;
};

Logins::Logins(registry::ServerRegistry* registry, registry::SessionObserver* observer)
    : registry_(registry), observer_(observer) {}
Logins::~Logins() = default;

io::Task<void> Logins::connect(std::string server) {
  // So that the next call finds an open connection, and no memory of the one that was refused.
  const Result<std::shared_ptr<servers::Connection>> connection =
      co_await registry_->open(server, servers::Use::on_demand);
  if (!connection) {
    log::info(server + ": " + connection.error().message());
  }
  observer_->noticed(
      {.level = registry::LogLevel::info, .text = "MCP: The login to " + server + " is done"});
}

io::Task<void> Logins::use(Pending* pending) {
  co_await connect(pending->server);
  pending->is_used = true;
  pending->changed.notify_all();
}

io::Task<void> Logins::run(Pending* pending) {
  const Result<auth::Credentials> credentials = co_await pending->login.run(std::nullopt);
  const bool has_failed = !credentials && credentials.error().code() != ErrorCode::cancelled;
  // Its code may have been redeemed elsewhere, or nobody has asked since.
  const bool is_made = credentials || (has_failed && co_await pending->is_made_elsewhere());
  if (pending->result) {
    co_return;  // look_at() was faster
  }
  pending->result.emplace(is_made ? Result<void>() : Result<void>(fail(credentials.error())));
  pending->changed.notify_all();
  if (is_made) {
    co_await use(pending);
  } else if (has_failed) {
    observer_->noticed({.level = registry::LogLevel::error,
                        .text = "MCP: The login to " + pending->server +
                                " failed: " + credentials.error().message()});
  }
}

bool Logins::wants_look() const {
  return !pending_.empty() && std::ranges::any_of(pending_, [now = io::now()](const auto& each) {
    return each.second->is_due(now);
  });
}

io::Task<Answer> Logins::look_first(io::Task<Answer> request) {
  std::vector<std::shared_ptr<Pending>> due;
  for (const auto& [name, pending] : pending_) {
    if (pending->is_due(io::now())) {
      due.push_back(pending);
    }
  }
  for (const std::shared_ptr<Pending>& pending : due) {
    co_await look_at(pending);
  }
  co_return co_await std::move(request);
}

io::Task<void> Logins::look_at(std::shared_ptr<Pending> pending) {
  pending->looked = io::now();
  const bool is_made = co_await pending->is_made_elsewhere();
  if (!is_made || !pending->may_end_elsewhere()) {
    co_return;
  }
  pending->result.emplace();
  pending->tasks.cancel();  // nobody has to come back here any more
  pending->tasks.spawn("using a login", use(pending.get()), io::log_only);
  pending->changed.notify_all();
  const TimePoint deadline = io::now() + server_wait;
  while (!pending->is_used &&
         co_await pending->changed.wait_until(deadline) == io::Wake::notified) {
  }
}

io::Task<Result<Logins::Pending*>> Logins::begin(config::Server server) {
  Result<servers::Launch> launch =
      co_await servers::resolve_launch(server, registry_->environment(), registry_->settings());
  if (!launch) {
    co_return fail(std::move(launch).error());
  }
  const std::optional<servers::RemoteLaunch> remote = std::move(launch->remote);
  if (!remote || !remote->access) {
    co_return fail(ErrorCode::invalid_argument, "it does not use OAuth");
  }
  const auth::Access& access = *remote->access;
  const Result<std::optional<auth::Credentials>> stored = co_await auth::TokenStore(access).read();
  const std::optional<auth::Credentials> login = stored ? *stored : std::nullopt;
  if (is_good(login)) {
    co_return nullptr;
  }
  const std::string name = server.name;
  // The browser of this machine may be logged in as its user, which a principal is not.
  const bool is_users = access.principal.empty();
  auto show = [this, name, is_users, variables = access.variables](const std::string& url) {
    const auto found = pending_.find(name);
    if (found == pending_.end()) {
      return;  // the session is closing
    }
    found->second->url = url;
    found->second->opened = is_users && io::open_browser(url, variables);
    found->second->changed.notify_all();
  };
  const io::Executor executor = co_await boost::asio::this_coro::executor;
  std::erase_if(ended_, [](const auto& ended) { return ended->tasks.running() == 0; });
  if (const auto known = pending_.find(name); known != pending_.end()) {
    if (!known->second->result) {
      co_return known->second.get();  // another request was faster
    }
    ended_.push_back(std::move(known->second));
  }
  auto made = std::make_shared<Pending>(
      executor, servers::client_options(*remote), access, std::move(show));
  made->older = login ? login->made_at : EpochMs();
  Pending* pending = made.get();
  pending_.insert_or_assign(name, std::move(made));
  pending->tasks.spawn("login to " + name, run(pending), [pending](const std::string& what) {
    if (!pending->result) {
      pending->result.emplace(fail(ErrorCode::unavailable, io::escaped_text(what)));
    }
    pending->changed.notify_all();
  });
  co_return pending;
}

io::Task<Answer> Logins::start(ToolRequest request) {
  const std::string& name = request.subject;
  if (name.empty()) {
    co_return missing_server(Mode::auth_start);
  }
  const config::Server* server = registry_->find(name);
  if (server == nullptr) {
    co_return unknown_server(Mode::auth_start, *registry_, name).take();
  }
  if (!servers::may_use_oauth(*server)) {
    co_return Reply(Mode::auth_start,
                    Failure::usage,
                    "oauth_not_supported",
                    "Server " + quoted(name) + " is not configured for OAuth over HTTP.")
        .with("server", name)
        .take();
  }
  const auto known = pending_.find(name);
  Pending* pending =
      known != pending_.end() && !known->second->result ? known->second.get() : nullptr;
  if (pending == nullptr) {
    const Result<Pending*> begun = co_await begin(*server);
    if (!begun) {
      co_return failed(Mode::auth_start, name, begun.error());
    }
    pending = *begun;
  }
  if (pending == nullptr) {
    co_return successful(Mode::auth_start, name);
  }
  co_await pending->wait(false);
  co_return started(*pending);
}

// What there is to say once a person is wanted, or the login is over without one.
Answer Logins::started(const Pending& pending) {
  const std::string& name = pending.server;
  if (pending.url.empty() && pending.result && *pending.result) {
    return successful(Mode::auth_start, name);
  }
  if (pending.url.empty()) {
    const Error silent(ErrorCode::timed_out, "the server does not answer");
    return failed(Mode::auth_start, name, pending.result ? pending.result->error() : silent);
  }
  Message text = "MCP OAuth required for " + quoted(name) + ".\n";
  text += pending.opened ? "A browser was asked to open this address; the user logs in there:\n"
                         : "The user has to open this address in a browser and log in:\n";
  text += pending.url + "\n\n";
  text += pending.is_users
              ? "When the browser runs on this machine the login then completes by itself (port " +
                    std::to_string(pending.login.port()) + " waits for it). Otherwise ask"
              : std::string(
                    "The last page may say that it cannot be reached: it is on the machine "
                    "of pi-mcp. Ask");
  text += " the user for the address of the last page and call\n" +
          Message(NextStep{.mode = Mode::auth_complete,
                           .subject = name,
                           .args = R"({ redirectUrl: "PASTE_REDIRECT_URL_HERE" })"}) +
          "\nor, with the code alone, args: { code: \"...\" }.";
  return Reply(Mode::auth_start, std::move(text))
      .with("server", name)
      .with("authorizationUrl", pending.url)
      .take();
}

// False: none waits at another replica either.
io::Task<Result<bool>> Logins::resume(std::string server, std::string pasted) {
  if (registry_->settings().shared_logins == nullptr) {
    co_return false;
  }
  const Result<servers::Launch> launch = co_await servers::resolve_launch(
      *registry_->find(server), registry_->environment(), registry_->settings());
  if (!launch) {
    co_return fail(launch.error());
  }
  const std::optional<servers::RemoteLaunch>& remote = launch->remote;
  if (!remote || !remote->access || remote->access->shared == nullptr) {
    co_return false;
  }
  const auth::Access& access = *remote->access;
  Result<std::optional<auth::WaitingLogin>> waiting =
      co_await access.shared->waiting(auth::TokenStore(access).name());
  if (!waiting || !*waiting) {
    co_return waiting ? Result<bool>(false) : Result<bool>(fail(std::move(waiting).error()));
  }
  const io::Executor executor = co_await boost::asio::this_coro::executor;
  io::HttpClient client(executor, servers::client_options(*remote));
  auth::Login login(executor, &client, access, {});
  const Result<auth::Credentials> credentials =
      co_await login.resume(**std::move(waiting), std::move(pasted));
  if (!credentials) {
    co_return fail(credentials.error());
  }
  co_await connect(std::move(server));
  co_return true;
}

io::Task<Answer> Logins::complete(ToolRequest request) {
  const std::string& name = request.subject;
  if (name.empty()) {
    co_return missing_server(Mode::auth_complete);
  }
  if (registry_->find(name) == nullptr) {
    co_return unknown_server(Mode::auth_complete, *registry_, name).take();
  }
  const std::string text = pasted(request);
  if (text.empty()) {
    co_return Reply(Mode::auth_complete,
                    Failure::usage,
                    "missing_input",
                    "auth-complete requires args with `redirectUrl`, `code`, or `input`.")
        .with("server", name)
        .take();
  }
  const auto known = pending_.find(name);
  if (known == pending_.end()) {
    const Result<bool> gone_on = co_await resume(name, text);
    if (!gone_on) {
      co_return failed(Mode::auth_complete, name, gone_on.error());
    }
    co_return *gone_on ? successful(Mode::auth_complete, name) : not_under_way(name);
  }
  const std::shared_ptr<Pending> shown = known->second;
  Pending& pending = *shown;
  if (pending.may_end_elsewhere()) {
    co_await look_at(shown);  // a code that comes twice may end what it was redeemed for
  }
  if (!pending.result) {
    if (const Result<void> taken = pending.login.paste(text); !taken) {
      co_return failed(Mode::auth_complete, name, taken.error());
    }
    co_await pending.wait(true);
  }
  if (!pending.result) {
    co_return Reply(Mode::auth_complete,
                    Failure::unauthorized,
                    "not_authenticated",
                    "OAuth authentication did not complete for " + quoted(name) + ".")
        .with("server", name)
        .take();
  }
  co_return *pending.result ? successful(Mode::auth_complete, name)
                            : failed(Mode::auth_complete, name, pending.result->error());
}

io::Task<Answer> Logins::log_out(std::string server) {
  const config::Server* const configured = registry_->find(server);
  if (configured == nullptr || !servers::may_use_oauth(*configured)) {
    co_return Reply(std::nullopt,
                    Failure::usage,
                    "oauth_not_supported",
                    "Server " + quoted(server) + " has no OAuth login.")
        .take();
  }
  const Result<servers::Launch> launch = co_await servers::resolve_launch(
      *configured, registry_->environment(), registry_->settings());
  Result<bool> existed = false;
  if (!launch) {
    existed = fail(launch.error());
  } else if (launch->remote && launch->remote->access) {
    const io::Executor executor = co_await boost::asio::this_coro::executor;
    io::HttpClient client(executor, servers::client_options(*launch->remote));
    auth::Authorizer authorizer(executor, &client, *launch->remote->access);
    existed = co_await authorizer.log_out();
  }
  if (!existed) {
    co_return Reply(std::nullopt,
                    failure_of(existed.error().code()),
                    "logout_failed",
                    quoted(server) + ": " + existed.error().message())
        .take();
  }
  // What it still allows must not go on with the old token.
  if (*existed && registry_->connected(server)) {
    (void)co_await registry_->reopen(server);  // it fails, and says so in the status
  }
  co_return Reply(std::nullopt,
                  *existed ? "OAuth credentials cleared for " + quoted(server) +
                                 ". To log in again: /mcp-auth " + server
                           : "There are no OAuth credentials for " + quoted(server) + ".")
      .take();
}

io::Task<void> Logins::settle(std::string server) {
  const auto known = pending_.find(server);
  if (known != pending_.end() && known->second->login.has_answer()) {
    co_await known->second->wait(true);
  }
}

io::Task<void> Logins::close() {
  for (auto& [name, pending] : std::exchange(pending_, {})) {
    ended_.push_back(std::move(pending));
  }
  for (const std::shared_ptr<Pending>& pending : ended_) {
    pending->tasks.cancel();
    co_await pending->tasks.join();
  }
  ended_.clear();
}

io::Task<Answer> run_auth_start(ModeParts* parts, ToolRequest request, CallContext /*context*/) {
  co_return co_await parts->logins->start(std::move(request));
}

io::Task<Answer> run_auth_complete(ModeParts* parts, ToolRequest request, CallContext /*context*/) {
  co_return co_await parts->logins->complete(std::move(request));
}

}  // namespace pi_mcp::tool
