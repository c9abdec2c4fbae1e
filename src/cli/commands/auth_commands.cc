// The commands that log in to a server and out of it: auth, logout.
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "access/narrow.h"
#include "auth/authorizer.h"
#include "auth/handed_login.h"
#include "auth/login.h"
#include "auth/token_store.h"
#include "base/count_text.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/http/replica_store.h"
#include "cli/principals/principal_option.h"
#include "cli/timed_command.h"
#include "cli/trust_prompt.h"
#include "cli/unknown_server.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "io/loop/stream.h"
#include "io/net/http_client.h"
#include "io/process/browser.h"
#include "io/process/terminal.h"
#include "json/writer.h"
#include "runs/run_folder.h"
#include "servers/launch/connector.h"
#include "servers/launch/launch.h"
#include "servers/launch/oauth_access.h"
#include "tool/failures.h"

namespace pi_mcp::cli {
namespace {

// How long the end of reading from the terminal may take.
constexpr Milliseconds reading_max{2000};
// A pasted address; terminals hand over at most 4096 bytes of a line anyway.
constexpr std::size_t line_bytes_max = std::size_t{64} << 10U;

// Why nobody can log in to this server.
std::optional<Error> login_problem(const config::Server& server, const config::Settings& settings) {
  if (server.standing == config::Standing::needs_trust) {
    return needs_trust(server.name, settings);
  }
  if (!server.url) {
    return Error(
        ErrorCode::invalid_argument,
        quoted(server.name) + " has no url: only servers that are reached by HTTP have logins");
  }
  if (!servers::may_use_oauth(server)) {
    return Error(ErrorCode::invalid_argument,
                 quoted(server.name) +
                     " does not use OAuth: its configuration has a token or an Authorization "
                     "header, or turns OAuth off; set \"auth\": \"oauth\" to use it");
  }
  return std::nullopt;
}

class AuthCommand {
 public:
  struct Wanted {
    std::optional<access::Principal> principal;  // whose login it is; nullopt: the user's
    std::optional<std::string> handed;           // the text of a login to be stored; nullopt: none
    std::optional<ReplicaStore::Options> store;  // nullopt: what is on this machine alone
  };
  AuthCommand(io::Executor executor, const Setup& setup, Wanted wanted)
      : setup_(setup),
        principal_(std::move(wanted.principal)),
        handed_(std::move(wanted.handed)),
        console_(*setup.console),
        executor_(std::move(executor)),
        settings_(principal_ ? access::narrow(load_settings(setup), *principal_)
                             : load_settings(setup)),
        frame_(executor_, setup) {
    if (wanted.store) {
      store_ = std::make_unique<ReplicaStore>(executor_, setup, *std::move(wanted.store));
      settings_.shared_logins = &store_->logins();
    }
  }

  io::Task<ExitStatus> run() {
    if (store_) {
      store_->start();
    }
    const ExitStatus status =
        co_await frame_.run(command(), "the login was not done within --timeout");
    if (store_) {
      co_await store_->close();
    }
    co_return status;
  }

 private:
  io::Task<Result<std::string>> command() {
    const std::string& name = setup_.line.words().front();
    if (principal_ && !access::may_use(*principal_, name)) {
      co_return fail(ErrorCode::invalid_argument,
                     "the token " + principal_->name + " may not use " + quoted(name));
    }
    const config::Server* configured = settings_.find(name);
    if (configured == nullptr) {
      co_return fail(unknown_server(settings_, name, ""));
    }
    say_warnings(settings_, std::vector{name});
    const config::Server server = *configured;
    if (std::optional<Error> problem = login_problem(server, settings_)) {
      co_return fail(*std::move(problem));
    }
    Result<servers::Launch> launch =
        co_await servers::resolve_launch(server, setup_.environment, settings_);
    if (!launch) {  // its entry is wrong, not the command line
      co_return fail(ErrorCode::unavailable, launch.error().message());
    }
    const std::optional<servers::RemoteLaunch> remote = std::move(launch->remote);
    if (!remote || !remote->access) {
      co_return fail(ErrorCode::invalid_argument, quoted(server.name) + " does not use OAuth");
    }
    io::HttpClient client(executor_, servers::client_options(*remote));
    const auth::Access& access = *remote->access;
    Result<std::string> said = co_await action(&client, access);
    co_return said ? std::move(said) : fail(std::move(said).error().while_doing(server.name));
  }

  io::Task<Result<std::string>> action(io::HttpClient* client, auth::Access access) {
    if (setup_.line.command()->id == CommandId::logout) {
      return log_out(client, std::move(access));
    }
    if (setup_.line.has(OptionId::export_login)) {
      return export_login(std::move(access));
    }
    return handed_ ? import_login(client, std::move(access)) : log_in(client, std::move(access));
  }

  io::Task<Result<std::string>> export_login(auth::Access access) {
    Result<std::optional<auth::Credentials>> known = co_await auth::TokenStore(access).read();
    if (!known) {
      co_return fail(std::move(known).error());
    }
    if (!*known || !(*known)->tokens) {
      co_return fail(ErrorCode::unauthorized, "nobody is logged in; to log in: " + again());
    }
    console_.note("whoever has this text is logged in to " + quoted(access.server) +
                  (principal_ ? " as " + principal_->name : " as you"));
    co_return auth::handed_login_text(**std::move(known));
  }

  io::Task<Result<std::string>> import_login(io::HttpClient* client, auth::Access access) {
    const std::string server = access.server;
    Result<auth::HandedLogin> login =
        auth::parse_handed_login(*handed_, access.url, io::epoch_now());
    if (!login) {
      co_return fail(std::move(login).error());
    }
    if (auto* foreign = std::get_if<auth::ForeignLogin>(&*login)) {
      auth::Login redeemed(executor_, client, std::move(access), {});
      const Result<auth::Credentials> credentials =
          co_await redeemed.take_over(std::move(*foreign), std::nullopt);
      if (!credentials) {
        co_return fail(credentials.error());
      }
    } else {
      const auth::TokenStore store(access);
      const Result<auth::LoginLock> lock = co_await store.lock(auth::lock_max);
      if (!lock) {
        co_return fail(lock.error());
      }
      Result<void> stored =
          co_await store.write_login(std::get<auth::Credentials>(*std::move(login)));
      if (!stored) {
        co_return fail(std::move(stored).error());
      }
    }
    forget_want(server);
    co_return success(
        server, "imported", "The login for " + quoted(server) + for_whom() + " is stored.\n");
  }

  // The command that logs in.
  [[nodiscard]] std::string again() const {
    return "pi-mcp auth " + setup_.line.words().front() +
           (principal_ ? " --for " + principal_->name : "");
  }
  // Behind the name of a server.
  [[nodiscard]] std::string for_whom() const {
    return principal_ ? " for the token " + principal_->name : "";
  }

  // It said that it needs a login.
  void forget_want(const std::string& server) {
    if (const config::Server* configured = settings_.find(server); configured && !principal_) {
      runs::RunFolder(settings_.agent_dir).forget(*configured);
    }
  }

  io::Task<Result<std::string>> log_in(io::HttpClient* client, auth::Access access) {
    const std::string server = access.server;
    const auto& variables = setup_.environment.variables;
    const bool browser = !setup_.line.has(OptionId::no_browser) && io::has_browser(variables);
    const auto open = [browser, &variables](const std::string& url) {
      return browser && io::open_browser(url, variables);
    };
    auth::Login login(
        executor_,
        client,
        std::move(access),
        {.open =
             [this, server, open](const std::string& url) { show_address(server, url, open(url)); },
         .show_code = [this, server, open](
                          const auth::DevicePrompt& code) { show_code(server, code, open); },
         .device = browser ? auth::DeviceUse::when_needed : auth::DeviceUse::preferred});
    io::TaskGroup::TaskId reader = 0;
    if (console_.input_is_terminal()) {
      reading_ = true;
      reader = frame_.tasks().spawn(
          "pasted address", read_pasted(&login), [this](const std::string& /*what*/) {
            reading_ = false;
            frame_.changed().notify_all();
          });
    }
    const Result<auth::Credentials> credentials = co_await login.run(std::nullopt);
    frame_.tasks().cancel(reader);
    while (reading_) {
      (void)co_await frame_.changed().wait_shielded(io::now() + reading_max);
    }
    if (!credentials) {
      co_return fail(credentials.error());
    }
    forget_want(server);
    co_return success(server,
                      "authenticated",
                      "OAuth authentication successful for " + quoted(server) + for_whom() + ".\n");
  }

  io::Task<Result<std::string>> log_out(io::HttpClient* client, auth::Access access) {
    const std::string server = access.server;
    auth::Authorizer authorizer(executor_, client, std::move(access));
    const Result<bool> existed = co_await authorizer.log_out();
    if (!existed) {
      co_return fail(existed.error());
    }
    co_return success(
        server,
        "loggedOut",
        *existed ? "OAuth credentials cleared for " + quoted(server) + for_whom() +
                       ". To log in again: " + again() + "\n"
                 : "There are no OAuth credentials for " + quoted(server) + for_whom() + ".\n");
  }

  [[nodiscard]] std::string success(const std::string& server,
                                    std::string_view done,
                                    std::string sentence) const {
    if (!setup_.json) {
      return sentence;
    }
    json::Writer out;
    return out.begin_object().member("server", server).member(done, true).end_object().take();
  }

  // On stderr, also with --quiet: without it nobody could go on.
  void show_address(const std::string& server, const std::string& url, bool opened) {
    std::string message = "to log in to " + quoted(server);
    message += opened ? ", go on in the browser, or open this address:\n\n"
                      : ", open this address in a browser:\n\n";
    message += url + "\n";
    if (console_.input_is_terminal()) {
      message +=
          "\nwith a browser on another machine: when it cannot show the last page, paste the "
          "address of that page here";
    }
    console_.error(message);
  }

  void show_code(const std::string& server,
                 const auth::DevicePrompt& prompt,
                 const std::function<bool(const std::string& url)>& open) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(prompt.good_for);
    std::string message = "to log in to " + quoted(server);
    message += open(prompt.page) ? ", go on in the browser, or open this address on any device:"
                                 : ", open this address on any device:";
    message += "\n\n" + prompt.page + "\n\nand enter the code " + prompt.code + " there, within " +
               text::age_text(seconds.count());
    if (!prompt.page_with_code.empty()) {
      message += "; this address has the code in it:\n\n" + prompt.page_with_code + "\n";
    }
    console_.error(message);
  }

  io::Task<void> read_pasted(auth::Login* login) {
    io::ReadStream terminal(executor_, io::open_terminal());
    std::string line;
    std::array<char, 4096> space{};
    while (terminal.is_open() && line.size() < line_bytes_max) {
      const Result<std::size_t> count = co_await terminal.read_some(space);
      if (!count || *count == 0) {
        break;
      }
      line.append(space.data(), *count);
      if (!line.ends_with('\n')) {
        continue;
      }
      if (const Result<void> taken = login->paste(line); !taken) {
        console_.error(taken.error().message());
      }
      line.clear();
    }
    reading_ = false;
    frame_.changed().notify_all();
  }

  const Setup& setup_;
  std::optional<access::Principal> principal_;
  std::optional<std::string> handed_;
  Console& console_;
  io::Executor executor_;
  config::Settings settings_;
  std::unique_ptr<ReplicaStore> store_;  // null: without replicas
  bool reading_ = false;
  TimedCommand frame_;
};

io::Task<ExitStatus> auth_main(io::Executor executor,
                               const Setup* setup,
                               AuthCommand::Wanted wanted) {
  AuthCommand command(std::move(executor), *setup, std::move(wanted));
  co_return co_await command.run();
}

// The text of --import. invalid_argument: it cannot be read, or is not the only wish.
Result<std::optional<std::string>> handed_text(const CommandLine& line) {
  const std::optional<std::string> path = line.value(OptionId::import_login);
  if (path && line.has(OptionId::export_login)) {
    return fail(ErrorCode::invalid_argument,
                "--export and --import cannot both be given. " + see_help(line.command()));
  }
  if (!path) {
    return std::optional<std::string>();
  }
  Result<std::string> text = read_input(*path);
  return text ? Result<std::optional<std::string>>(*std::move(text))
              : fail(std::move(text).error());
}

}  // namespace

ExitStatus run_auth_command(const Setup& setup) {
  const Result<std::optional<std::string>> handed = handed_text(setup.line);
  if (!handed) {
    return report(setup, handed.error());
  }
  const Result<std::optional<access::Principal>> principal = principal_option(setup);
  if (!principal) {
    return report(setup, principal.error());
  }
  Result<std::optional<ReplicaStore::Options>> store = ReplicaStore::options(setup);
  if (!store) {
    return report(setup, store.error());
  }
  const Setup own = *principal ? as_served(setup) : setup;
  return io::run([&](const io::Executor& executor) {
    return auth_main(
        executor, &own, {.principal = *principal, .handed = *handed, .store = *std::move(store)});
  });
}

}  // namespace pi_mcp::cli
