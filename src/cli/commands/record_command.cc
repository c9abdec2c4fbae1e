// `pi-mcp record`: pi-mcp serve, or one server as it is, with all that is said written down.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/add_words.h"
#include "cli/commands/commands.h"
#include "cli/commands/once.h"
#include "cli/stopper.h"
#include "cli/unknown_server.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "io/loop/task_group.h"
#include "json/writer.h"
#include "secrets/mask.h"
#include "servers/launch/connector.h"
#include "servers/launch/launch.h"
#include "transport/stdio_host.h"

namespace pi_mcp::cli {
namespace {

constexpr Milliseconds cleaning_max{4500};  // as serve has
constexpr std::size_t queued_bytes_max = std::size_t{1} << 20U;

// What is not found, or wrong in the entry, is there to the user: its server does not work.
Error as_no_server(const Error& error) {
  const bool is_of_entry =
      error.code() == ErrorCode::not_found || error.code() == ErrorCode::invalid_argument;
  return is_of_entry ? Error(ErrorCode::unavailable, error.message()).with(error.remedy()) : error;
}

// One server and the host, with us between them.
class Bridge {
 public:
  Bridge(const io::Executor& executor, const Setup& setup, Recorder* recorder)
      : setup_(setup),
        recorder_(recorder),
        stopper_(executor, setup.console, cleaning_max),
        host_(recorded(transport::open_stdio_host(executor), recorder)),
        connector_(executor),
        tasks_(executor) {}

  io::Task<ExitStatus> run(config::Server server, config::Settings settings) {
    stopper_.start();
    const std::string name = server.name;
    Result<std::unique_ptr<transport::Transport>> link =
        co_await connect(std::move(server), std::move(settings));
    ExitStatus status = ExitStatus::done;
    if (link) {
      server_ = *std::move(link);
      status = co_await pass_on(name);
      co_await server_->close();
    } else {
      status = report(setup_, as_no_server(link.error()));
    }
    co_await host_->close();
    co_await connector_.close();
    co_await stopper_.close();
    co_return stopper_.stopped().value_or(status);
  }

 private:
  io::Task<Result<std::unique_ptr<transport::Transport>>> connect(config::Server server,
                                                                  config::Settings settings) {
    Result<servers::Launch> launch = co_await servers::resolve_launch(
        std::move(server), setup_.environment, std::move(settings));
    if (!launch) {
      co_return fail(launch.error());
    }
    recorder_->hide(launch->secrets);
    co_return co_await connector_.connect(*std::move(launch));
  }

  io::Task<ExitStatus> pass_on(std::string name) {
    server_->on_call_failure([this](const rpc::Id& id, const Error& error) {
      (void)host_->send(
          rpc::failure(id, rpc::error_code::internal_error, error.message()));  // seen by receive()
    });
    const auto broken = [this](const std::string& /*what*/) {
      end(Speaker::server);
    };
    tasks_.spawn("host", pump(Speaker::host), broken);
    tasks_.spawn("server", pump(Speaker::server), broken);
    while (!ended_ && !stopper_.stopped()) {
      (void)co_await stopper_.changed().wait();  // this task is not cancelled
    }
    (void)recorder_->finish();  // asked again at the end
    const bool server_is_gone = ended_ == Speaker::server && !stopper_.stopped();
    if (!stopper_.stopped()) {
      stopper_.limit_cleaning(server_is_gone ? ExitStatus::unavailable : ExitStatus::done);
    }
    tasks_.cancel();
    co_await tasks_.join();
    if (!server_is_gone) {
      co_return ExitStatus::done;
    }
    const transport::LinkEnd end = server_->end();
    co_return report(setup_,
                     {ErrorCode::unavailable,
                      name + " " + (end.reason.empty() ? "has gone" : end.reason) +
                          (end.stderr_tail.empty() ? "" : "; stderr: " + end.stderr_tail)});
  }

  io::Task<void> pump(Speaker from) {
    transport::Transport* const source = from == Speaker::host ? host_.get() : server_.get();
    transport::Transport* const sink = from == Speaker::host ? server_.get() : host_.get();
    for (;;) {
      const Result<rpc::Message> message = co_await source->receive();
      if (!message) {
        break;
      }
      rpc::Outgoing same;
      same.add(message->share(message->root()));
      if (!sink->send(std::move(same)) || !co_await sink->drain(queued_bytes_max)) {
        break;
      }
    }
    end(from);
  }

  void end(Speaker who) {
    ended_ = ended_ ? ended_ : who;
    stopper_.changed().notify_all();
  }

  const Setup& setup_;
  Recorder* recorder_;
  Stopper stopper_;
  std::unique_ptr<transport::Transport> host_;
  servers::Connector connector_;
  std::unique_ptr<transport::Transport> server_;
  io::TaskGroup tasks_;
  std::optional<Speaker> ended_;  // who was the first to go
};

io::Task<ExitStatus> bridge_main(io::Executor executor, const Setup* setup, Recorder* recorder) {
  const config::Settings settings = load_settings(*setup);
  const std::string& name = setup->load_options.servers.front();
  const config::Server* const server = settings.find(name);
  if (server == nullptr) {
    co_return report(*setup, unknown_server(settings, name));
  }
  say_warnings(settings, std::vector{name});
  if (server->disabled) {
    co_return report(*setup,
                     {ErrorCode::unavailable,
                      name + (server->standing == config::Standing::needs_trust
                                  ? " needs trust: pi-mcp trust " + name
                                  : " is disabled: pi-mcp enable " + name)});
  }
  Bridge bridge(executor, *setup, recorder);
  co_return co_await bridge.run(*server, settings);
}

// The server that the command line names; "" for none. One that it describes is put into `setup`.
Result<std::string> named_server(Setup& setup) {
  std::vector<std::string> words = setup.line.words();
  const bool by_option = setup.line.has(OptionId::stdio) || setup.line.has(OptionId::url);
  if (words.size() == 1 && !by_option) {
    return "";
  }
  const bool is_configured = !by_option && words.size() == 2 &&
                             setup.line.words_before_dashes() == 2 && !tool::is_url(words[1]);
  if (is_configured) {
    return words[1];
  }
  CommandLine line = setup.line;
  words.front() = "recorded";
  line.set_words(words);
  const Result<std::vector<tool::NewServer>> server =
      added_servers(line, new_server_facts(setup), read_input);
  if (!server) {
    return fail(server.error());
  }
  const std::string& entry = server->front().entry_json;
  std::string name = name_of_entry(entry);
  json::Writer out;
  setup.load_options.registered = out.begin_object().member_raw(name, entry).end_object().take();
  return name;
}

// What the servers of `serve` have of the user, as far as it is known before they start.
secrets::Secrets secrets_of(const Setup& setup) {
  secrets::Secrets known;
  for (const auto& [name, value] : setup.environment.variables) {
    if (secrets::is_secret_name(name) || secrets::looks_like_secret(value)) {
      known.add(value);
    }
  }
  return known;
}

}  // namespace

ExitStatus run_record_command(const Setup& setup) {
  Setup own = setup;
  const Result<std::string> server = named_server(own);
  if (!server) {
    return report(own, server.error());
  }
  Result<Recorder> recorder = Recorder::begin(own.line.words().front(), io::now());
  if (!recorder) {
    return report(own, recorder.error());
  }
  if (const std::string& asked = own.line.words().front(); recorder->path() != asked) {
    own.console->note(asked + " has a recording already; this one is in " + recorder->path());
  }
  ExitStatus status = ExitStatus::done;
  if (server->empty()) {
    recorder->hide(secrets_of(own));
    status = run_serve_command(own, &*recorder);
  } else {
    own.load_options.servers = {*server};
    status = io::run([&own, &recorder](const io::Executor& executor) {
      return bridge_main(executor, &own, &*recorder);
    });
  }
  const Result<void> finished = recorder->finish();
  return finished || status != ExitStatus::done ? status : report(own, finished.error());
}

}  // namespace pi_mcp::cli
