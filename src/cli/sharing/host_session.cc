#include "cli/sharing/host_session.h"

#include <utility>

#include "host/host_server.h"
#include "io/loop/clock.h"

namespace pi_mcp::cli {

Result<render::HostKind> host_kind(const CommandLine& line) {
  const std::string kind = line.value(OptionId::host).value_or("mcp");
  if (kind != "mcp" && kind != "pi") {
    return fail(ErrorCode::invalid_argument, "--host wants mcp or pi. " + see_help(line.command()));
  }
  return kind == "pi" ? render::HostKind::pi : render::HostKind::mcp;
}

std::optional<tool::ThroughOptions> through(const Setup& setup) {
  return setup.line.has(OptionId::through)
             ? std::optional(tool::ThroughOptions{.server = setup.load_options.servers.front()})
             : std::nullopt;
}

namespace {

tool::ConfigAccess access_of(SessionConfig& config,
                             gateway::Gateway& gateway,
                             tool::SharedAccess shared) {
  tool::ConfigAccess access = config.access();
  access.shared = std::move(shared);
  access.stop_servers = [&gateway](std::string name) {
    return gateway.stop_servers(std::move(name));
  };
  access.stop_resting = [&gateway](std::string name) {
    return gateway.stop_resting(std::move(name));
  };
  return access;
}

}  // namespace

HostSession::HostSession(const io::Executor& executor,
                         gateway::Gateway& gateway,
                         const Setup& setup,
                         Options options)
    : config_(executor, setup),
      gateway_(gateway),
      is_shared_(options.shared.view != nullptr),
      session_(&gateway.open(config_.load(),
                             setup.environment,
                             {.host = options.kind,
                              .is_shell = options.is_shell,
                              .config = access_of(config_, gateway, std::move(options.shared)),
                              .sharing = std::move(options.sharing),
                              .through = std::move(options.through)})),
      publisher_(executor,
                 session_,
                 setup.environment.cwd,
                 is_shared_ ? gateway::RunTelling::when_asked : gateway::RunTelling::by_files),
      host_(std::move(options.host)),
      last_question_(options.last_question),
      serving_(executor),
      closing_(executor),
      changed_(executor),
      client_(options.is_shell ? "pi-mcp, from a shell" : ""),
      folder_(setup.environment.cwd),
      since_(io::now()),
      starts_servers_(!options.is_shell) {}

tool::SharedView::Session HostSession::view() const {
  tool::SharedView::Session view{
      .client = client_,
      .folder = folder_,
      .age = std::chrono::duration_cast<Milliseconds>(io::now() - since_),
      .servers = {}};
  for (const servers::ServerStatus& server : session_->status()) {
    if (server.state == servers::ServerStatus::State::connected) {
      view.servers.push_back(server.name);
    }
  }
  return view;
}

// Servers are started once the host is known, because they are told what it can do.
io::Task<void> HostSession::run() {
  config_.start(session_);
  publisher_.start();
  serving_.spawn("host", serve(), [this](const std::string& /*what*/) { end(); });
  bool is_warm = !starts_servers_;
  io::Wake wake = io::Wake::notified;
  while (!ended_ && wake != io::Wake::cancelled) {
    if (met_ && !is_warm) {
      is_warm = true;
      config_.tell_first_warnings();
      co_await session_->warm_up();
    } else {
      wake = co_await changed_.wait();
    }
  }
}

io::Task<void> HostSession::serve() {
  host::HostOptions options;
  options.version = PI_MCP_VERSION;
  options.last_question = last_question_;
  options.on_met = [this](const mcp::HostInfo& host) {
    if (starts_servers_) {
      client_ = host.version.empty() ? host.name : host.name + " " + host.version;
    }
    publisher_.set_client(client_);
    met_ = true;
    changed_.notify_all();
  };
  co_await host::serve_host(host_.get(), session_, std::move(options));
  end();
}

void HostSession::end() {
  ended_ = true;
  changed_.notify_all();
}

io::Task<void> HostSession::stop_serving() {
  serving_.cancel();
  co_await serving_.join();
  // The host may be slow to read what is left; the servers do not wait for it.
  closing_.spawn("host", host_->close(), io::log_only);
  co_await config_.stop();
  co_await publisher_.stop();
}

io::Task<void> HostSession::leave() {
  co_await stop_serving();
  co_await session_->close();
  publisher_.bury();
  co_await closing_.join();
  co_await gateway_.close(session_);
}

io::Task<void> HostSession::end_gateway() {
  co_await stop_serving();
  co_await gateway_.close();
  publisher_.bury();
  co_await closing_.join();
}

}  // namespace pi_mcp::cli
