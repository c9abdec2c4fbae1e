// `pi-mcp logs`: what a server wrote to its stderr last, in whichever process it runs or ran.
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/count_text.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/sharing/shared_commands.h"
#include "cli/show/running.h"
#include "cli/show/shared_lines.h"
#include "cli/show/status_view.h"
#include "cli/trust_prompt.h"
#include "cli/unknown_server.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "json/writer.h"
#include "runs/run_folder.h"
#include "tool/failures.h"

namespace pi_mcp::cli {
namespace {

// One process in which the server runs.
struct ServerLog {
  runs::RunRecord run;
  servers::ServerStatus status;
  std::string text;
};

bool is_at_work(const servers::ServerStatus& status) {
  return status.state == servers::ServerStatus::State::connected ||
         status.state == servers::ServerStatus::State::connecting;
}

std::string process_text(const std::string& client, const std::string& cwd) {
  return (client.empty() ? "pi-mcp" : client) + " in " + cwd;
}

class LogsCommand {
 public:
  explicit LogsCommand(const Setup& setup)
      : setup_(setup),
        console_(*setup.console),
        server_(setup.line.words().front()),
        settings_(load_settings(setup)),
        folder_(settings_.agent_dir) {}

  ExitStatus run() {
    const EpochMs now = io::epoch_now();
    const config::Server* configured = settings_.find(server_);
    for (const runs::RunFolder::Run& run : folder_.runs(now)) {
      for (const runs::RunServer& server : run.record.servers) {
        add(run.record, server, [&] { return folder_.log(run, server); });
      }
    }
    const SharedNow shared = io::run(
        [this](const io::Executor& /*executor*/) { return look_at_shared(&setup_, server_); });
    for (const int process : shared.silent) {
      console_.error(silent_text(process));
    }
    for (const int process : shared.of_other_builds) {
      console_.note(other_build_text(process));
    }
    if (!shared.saw_all()) {
      unseen_ = shared.silent.empty() ? ErrorCode::unavailable : ErrorCode::timed_out;
    }
    for (const runs::RunRecord& run : shared.runs) {
      for (const runs::RunServer& server : run.servers) {
        add(run, server, [&server] { return server.words; });
      }
    }
    last_ = configured == nullptr ? folder_.newest_run(server_) : folder_.last_run(*configured);
    if (logs_.empty() && !last_) {
      return nothing();
    }
    say_warnings(settings_, std::vector{server_});
    if (setup_.json) {
      print_json(console_, json(now));
      return ExitStatus::done;
    }
    if (logs_.empty()) {
      print_last(now);
    }
    for (const ServerLog& log : logs_) {
      print_log(log);
    }
    return ExitStatus::done;
  }

 private:
  // If it is the server that is meant.
  void add(const runs::RunRecord& run,
           const runs::RunServer& server,
           const std::function<std::string()>& text) {
    if (server.status.name == server_ &&
        (settings_.find(server_) == nullptr ||
         runs::is_configured(settings_, server_, server.identity))) {
      logs_.push_back({.run = run, .status = server.status, .text = text()});
    }
  }

  // The server neither runs nor has run.
  ExitStatus nothing() {
    const config::Server* server = settings_.find(server_);
    if (server != nullptr) {
      say_warnings(settings_, std::vector{server_});
    }
    if (server != nullptr && server->standing == config::Standing::needs_trust) {
      return report(setup_, needs_trust(server_, settings_));
    }
    if (server != nullptr && unseen_) {
      return report(setup_,
                    {*unseen_,
                     "whether " + server_ +
                         " runs in that process is not known, and of earlier "
                         "runs there is nothing to read"});
    }
    if (server != nullptr) {
      return report(
          setup_,
          {ErrorCode::unavailable,
           server_ + " is not running in any pi-mcp, and of earlier runs there is nothing "
                     "to read; it starts when one of its tools is called"});
    }
    return report(setup_, unknown_server(settings_, server_, ""));
  }

  void print_text(const std::string& text) {
    console_.print_foreign(text);
    console_.print(text.empty() || text.ends_with('\n') ? "" : "\n");
  }

  void print_log(const ServerLog& log) {
    // A heading as tail(1) writes for several files.
    if (logs_.size() > 1) {
      console_.print("==> " + text::printable(process_text(log.run.client, log.run.cwd)) +
                     " (process " + std::to_string(log.run.process_id) + ") <==\n");
    }
    print_text(log.text);
    if (log.text.empty()) {
      console_.note(server_ + " has written nothing to its stderr");
    }
    const std::string& error =
        log.status.reason.empty() ? log.status.last_error : log.status.reason;
    if (!is_at_work(log.status)) {
      console_.note(server_ + " is not running" + (error.empty() ? "" : ": " + error));
    }
  }

  void print_last(EpochMs now) {
    print_text(last_->stderr_tail);
    if (last_->stderr_tail.empty()) {
      console_.note(server_ + " wrote nothing to its stderr");
    }
    constexpr std::int64_t milliseconds_per_second = 1000;
    const std::int64_t seconds =
        std::max<std::int64_t>(now.value - last_->ended_at.value, 0) / milliseconds_per_second;
    console_.note("this is from its last run, for " + process_text(last_->client, last_->cwd) +
                  ", which ended " + text::age_text(seconds) + " ago" +
                  (last_->error.empty() ? "" : ": " + last_->error));
  }

  [[nodiscard]] std::string json(EpochMs now) const {
    json::Writer out;
    out.begin_object().member("server", server_).key("running").begin_array();
    for (const ServerLog& log : logs_) {
      out.begin_object()
          .member("client", log.run.client)
          .member("cwd", log.run.cwd)
          .member("ownerProcessId", log.run.process_id)
          .member("status", servers::state_name(log.status.state))
          .member("lastError", log.status.last_error)
          .member("stderr", log.text)
          .end_object();
    }
    out.end_array();
    if (last_) {
      out.key("lastRun")
          .begin_object()
          .member("client", last_->client)
          .member("cwd", last_->cwd)
          .member("endedAgo", (now.value - last_->ended_at.value) / 1000)
          .member("error", last_->error)
          .member("stderr", last_->stderr_tail)
          .end_object();
    }
    return out.end_object().take();
  }

  const Setup& setup_;
  Console& console_;
  std::string server_;
  config::Settings settings_;
  runs::RunFolder folder_;
  std::vector<ServerLog> logs_;
  std::optional<runs::LastRun> last_;
  std::optional<ErrorCode> unseen_;  // there is a process that does not say what runs in it
};

}  // namespace

ExitStatus run_logs_command(const Setup& setup) {
  return LogsCommand(setup).run();
}

}  // namespace pi_mcp::cli
