#include "cli/commands/performer.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "cli/show/call_output.h"
#include "io/loop/clock.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

using tool::Answer;
using tool::ToolRequest;

// What a first ctrl-C may take: telling the server, and ending it in the order of MCP.
constexpr Milliseconds cleaning_max{2000};
// A terminal shows what we wait for after this time, and how long we have waited every second.
constexpr Milliseconds activity_delay{300};
constexpr Milliseconds activity_step{1000};
// Servers that are started at once; a machine has only so many cores.
constexpr std::size_t together_max = 10;
// How much longer than --timeout a server's own limits are, so that ours is the one reported.
constexpr Milliseconds server_limit_extra{5000};

// A shell gets the whole result, and the time that was asked for.
config::Settings for_shell(config::Settings settings, std::optional<Milliseconds> timeout) {
  settings.output_guard.enabled = false;
  if (timeout) {
    const Milliseconds limit = *timeout + server_limit_extra;
    settings.request_timeout = limit;
    for (config::Server& server : settings.servers) {
      server.request_timeout = limit;
      server.request_total_timeout = limit;
      server.startup_timeout = limit;
      server.install_timeout = limit;
    }
  }
  return settings;
}

}  // namespace

Performer::Performer(const io::Executor& executor, const Setup& setup, config::Settings settings)
    : setup_(setup),
      gateway_(executor),
      session_(gateway_.open(for_shell(std::move(settings), setup.timeout),
                             setup.environment,
                             {.host = render::HostKind::mcp, .config = {}})),
      stopper_(executor, setup.console, cleaning_max),
      publisher_(executor, &session(), setup.environment.cwd),
      executor_(executor),
      background_(executor),
      deadline_(setup.timeout ? io::now() + *setup.timeout : TimePoint::max()),
      activity_changed_(executor) {
  session().add_observer(*this);
}

void Performer::server_said(std::string_view server, json::Value params) {
  const json::Value data = params.find("data");
  log::info(std::string(server) + ": " + data.as_string().value_or(std::string(data.raw())));
}

void Performer::noticed(const registry::Notice& notice) {
  log::info(std::string(registry::own_logger) + ": " + notice.text);
}

void Performer::reload(config::Settings settings) {
  session().reload(for_shell(std::move(settings), setup_.timeout));
}

void Performer::start() {
  stopper_.start();
  if (setup_.console->shows_progress()) {
    background_.spawn("progress", show_activity(), io::log_only);
  }
}

io::Task<void> Performer::close() {
  co_await publisher_.stop();
  co_await gateway_.close();
  publisher_.bury();
  background_.cancel();
  co_await background_.join();
  co_await stopper_.close();
}

io::Task<Answer> Performer::perform(ToolRequest request) {
  std::vector<ToolRequest> requests;
  requests.push_back(std::move(request));
  std::vector<Answer> results = co_await perform_each(std::move(requests));
  co_return std::move(results.front());
}

io::Task<std::vector<Answer>> Performer::perform_each(std::vector<ToolRequest> requests) {
  std::vector<std::optional<Answer>> results(requests.size());
  std::size_t next = 0;
  bool late = false;
  bool broken = false;  // an exception has ended a worker, and its request has no result
  io::TaskGroup workers(executor_);
  for (std::size_t i = 0; i < std::min(requests.size(), together_max); ++i) {
    workers.spawn("requests",
                  work({.requests = &requests, .results = &results, .next = &next}),
                  [this, &broken](const std::string& /*what*/) {
                    broken = true;
                    stopper_.changed().notify_all();
                  });
  }
  const auto open = [&results] {
    return std::ranges::any_of(results, [](const auto& result) { return !result; });
  };
  while (open() && !stopped() && !late && !broken) {
    late = co_await stopper_.changed().wait_until(deadline_) == io::Wake::timed_out;
  }
  // A cancelled request says so itself; only an answer in time counts.
  std::vector<bool> in_time;
  in_time.reserve(results.size());
  for (const std::optional<Answer>& result : results) {
    in_time.push_back(result.has_value());
  }
  next = requests.size();
  workers.cancel();
  co_await workers.join();
  activity_.clear();
  calling_.clear();
  activity_changed_.notify_all();
  std::vector<Answer> all;
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::optional<Answer>& result = results[i];
    all.push_back(in_time[i] && result ? *std::move(result) : given_up(requests[i]));
  }
  co_return all;
}

io::Task<void> Performer::work(Batch batch) {
  while (*batch.next < batch.requests->size()) {
    const std::size_t index = (*batch.next)++;
    (*batch.results)[index].emplace(co_await perform_one((*batch.requests)[index]));
    stopper_.changed().notify_all();
  }
}

io::Task<Answer> Performer::perform_one(ToolRequest request) {
  tool::CallContext context;
  const std::string tool = request.mode == tool::Mode::call ? request.subject : std::string();
  context.on_phase = [this](std::string_view what) {
    activity_ = what;
    activity_changed_.notify_all();
  };
  context.on_progress = [this, tool](json::Value params) {
    activity_ = tool + ": " + progress_text(params);
    calling_.clear();
    activity_changed_.notify_all();
  };
  activity_ = tool;
  calling_ = tool;
  return session().run(std::move(request), std::move(context));
}

Answer Performer::given_up(const ToolRequest& request) const {
  if (stopped()) {
    return tool::Reply(request.mode, tool::Failure::cancelled, "aborted", "interrupted").take();
  }
  const std::string limit = setup_.line.value(OptionId::timeout).value_or("");
  return tool::Reply(request.mode,
                     tool::Failure::timed_out,
                     "timed_out",
                     request.subject + ": no answer within " + limit +
                         " s; give it longer with --timeout SECONDS")
      .take();
}

// No phase is told when a server has started and its tool is at work.
std::string Performer::activity() const {
  if (!calling_.empty()) {
    const catalog::CatalogTool* tool = session().catalog().find(calling_, "", {}).tool;
    const bool at_work =
        tool != nullptr && session().catalog().knowledge(tool->server) == catalog::Knowledge::live;
    if (at_work) {
      return "calling " + calling_;
    }
  }
  return activity_;
}

// Draws the activity when it lasts, with the time it has taken so far.
io::Task<void> Performer::show_activity() {
  std::string shown;
  TimePoint since = io::now();
  while (true) {
    const TimePoint next = activity_.empty() ? TimePoint::max()
                           : shown.empty()   ? since + activity_delay
                                             : io::now() + activity_step;
    const io::Wake wake = co_await activity_changed_.wait_until(next);
    if (wake == io::Wake::cancelled) {
      break;
    }
    if (activity_.empty()) {
      shown.clear();
      since = io::now();
    } else if (wake == io::Wake::timed_out || !shown.empty()) {
      const auto seconds =
          std::chrono::duration_cast<std::chrono::seconds>(io::now() - since).count();
      shown = activity() + (seconds > 0 ? " (" + std::to_string(seconds) + " s)" : "");
    }
    setup_.console->progress(shown);
  }
  setup_.console->progress("");
}

}  // namespace pi_mcp::cli
