// The commands that log in to a server and out of it: auth, logout.
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "auth/authorizer.h"
#include "auth/login.h"
#include "base/count_text.h"
#include "base/text.h"
#include "cli/commands/commands.h"
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
std::optional<Error> login_problem(const config::Server& server) {
  if (server.standing == config::Standing::needs_trust) {
    return needs_trust(server.name);
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
  AuthCommand(io::Executor executor, const Setup& setup)
      : setup_(setup),
        console_(*setup.console),
        executor_(std::move(executor)),
        settings_(load_settings(setup)),
        frame_(executor_, setup) {}

  io::Task<ExitStatus> run() {
    say_warnings(settings_, std::vector{setup_.line.words().front()});
    co_return co_await frame_.run(command(), "the login was not done within --timeout");
  }

 private:
  io::Task<Result<std::string>> command() {
    const std::string& name = setup_.line.words().front();
    const config::Server* configured = settings_.find(name);
    if (configured == nullptr) {
      co_return fail(unknown_server(settings_, name, ""));
    }
    const config::Server server = *configured;
    if (std::optional<Error> problem = login_problem(server)) {
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
    io::Task<Result<std::string>> task = setup_.line.command()->id == CommandId::logout
                                             ? log_out(&client, access)
                                             : log_in(&client, access);
    Result<std::string> said = co_await std::move(task);
    co_return said ? std::move(said) : fail(std::move(said).error().while_doing(server.name));
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
    if (const config::Server* configured = settings_.find(server)) {
      runs::RunFolder(settings_.agent_dir).forget(*configured);  // it said that it needs a login
    }
    co_return success(
        server, "authenticated", "OAuth authentication successful for " + quoted(server) + ".\n");
  }

  io::Task<Result<std::string>> log_out(io::HttpClient* client, auth::Access access) {
    const std::string server = access.server;
    auth::Authorizer authorizer(executor_, client, std::move(access));
    const Result<bool> existed = co_await authorizer.log_out();
    if (!existed) {
      co_return fail(existed.error());
    }
    co_return success(server,
                      "loggedOut",
                      *existed ? "OAuth credentials cleared for " + quoted(server) +
                                     ". To log in again: pi-mcp auth " + server + "\n"
                               : "There are no OAuth credentials for " + quoted(server) + ".\n");
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
  Console& console_;
  io::Executor executor_;
  config::Settings settings_;
  bool reading_ = false;
  TimedCommand frame_;
};

io::Task<ExitStatus> auth_main(io::Executor executor, const Setup* setup) {
  AuthCommand command(std::move(executor), *setup);
  co_return co_await command.run();
}

}  // namespace

ExitStatus run_auth_command(const Setup& setup) {
  return io::run([&setup](const io::Executor& executor) { return auth_main(executor, &setup); });
}

}  // namespace pi_mcp::cli
