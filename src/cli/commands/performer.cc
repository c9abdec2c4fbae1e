#include "cli/commands/performer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/log.h"
#include "cli/show/call_output.h"
#include "io/loop/clock.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

using tool::Answer;
using tool::ToolRequest;

// What a first ctrl-C may take: telling the server. One that does not hear the end of its input is
// left to its keeper, which gives it a second (io/process/keeping_linux.cc).
constexpr Milliseconds cleaning_max{250};
// A terminal shows what we wait for after this time, and how long we have waited every second.
constexpr Milliseconds activity_delay{300};
constexpr Milliseconds activity_step{1000};
// Servers that are started at once; a machine has only so many cores.
constexpr std::size_t together_max = 10;

// Commands that may need a server. What counts for this command alone, a server of its own or the
// user's yes for this once, another process does not know.
bool may_share(const Setup& setup) {
  constexpr std::array commands = {CommandId::call, CommandId::connect, CommandId::read};
  return std::ranges::find(commands, setup.line.command()->id) != commands.end() &&
         setup.load_options.registered.empty() && setup.load_options.trust.once.empty() &&
         !setup.load_options.given;
}

// How long a server that nobody has used yet may take before an answer is given without it. A
// command about one server has nothing else to say, and starts it anew each time.
Milliseconds first_wait_of(const Setup& setup) {
  constexpr Milliseconds start_max{60'000};  // docs/cli.md, --timeout
  const CommandId id = setup.line.command()->id;
  const bool is_about_one = id == CommandId::list || id == CommandId::describe;
  return setup.timeout.value_or(is_about_one ? start_max : tool::first_answer_wait);
}

}  // namespace

Performer::Performer(const io::Executor& executor, const Setup& setup, config::Settings settings)
    : setup_(setup),
      gateway_(executor),
      session_(gateway_.open(
          for_shell(std::move(settings), setup.timeout),
          setup.environment,
          {.host = render::HostKind::mcp, .config = {}, .first_wait = first_wait_of(setup)})),
      stopper_(executor, setup.console, cleaning_max),
      publisher_(executor, &session(), setup.environment.cwd),
      executor_(executor),
      background_(executor),
      deadline_(setup.timeout ? io::now() + *setup.timeout : TimePoint::max()),
      activity_changed_(executor) {
  session().add_observer(*this);
}

void Performer::share() {
  if (!may_share(setup_)) {
    return;
  }
  if (std::optional<ShellSession> session = share_shell(setup_)) {
    remote_ = std::make_unique<RemoteSession>(executor_, *std::move(session));
  }
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
  background_.spawn("progress",
                    setup_.console->shows_progress() ? show_activity() : tell_activity(),
                    io::log_only);
}

io::Task<void> Performer::close() {
  co_await publisher_.stop();
  if (remote_) {
    co_await remote_->close();
  }
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

io::Task<std::vector<Answer>> Performer::perform_each(std::vector<ToolRequest> requests,
                                                      OnDone on_done,
                                                      IsEnough is_enough) {
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
  // A cancelled request says so itself; only an answer in time counts.
  std::vector<bool> in_time(results.size());
  const auto take = [&] {
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i] && !in_time[i] && on_done) {
        on_done(i, *results[i]);
      }
      in_time[i] = results[i].has_value();
    }
  };
  bool enough = false;
  while (open() && !stopped() && !late && !broken && !enough) {
    late = co_await stopper_.changed().wait_until(deadline_) == io::Wake::timed_out;
    take();
    enough = is_enough && is_enough();
  }
  if (late) {
    note_late_starts(requests, in_time);
  }
  next = requests.size();
  workers.cancel();
  co_await workers.join();
  activity_.clear();
  activity_changed_.notify_all();
  std::vector<Answer> all;
  for (std::size_t i = 0; i < results.size(); ++i) {
    all.push_back(in_time[i] ? *std::move(results[i]) : given_up(requests[i]));
    if (!in_time[i] && on_done) {
      on_done(i, all.back());
    }
  }
  co_return all;
}

io::Task<std::optional<rpc::Outgoing>> Performer::finish(io::Task<rpc::Outgoing> work) {
  std::optional<rpc::Outgoing> answer;
  bool late = false;
  bool broken = false;
  io::TaskGroup tasks(executor_);
  tasks.spawn("request", take(std::move(work), &answer), [this, &broken](const std::string&) {
    broken = true;
    stopper_.changed().notify_all();
  });
  while (!answer && !stopped() && !late && !broken) {
    late = co_await stopper_.changed().wait_until(deadline_) == io::Wake::timed_out;
  }
  const bool in_time = answer.has_value();  // one that is cancelled may say so itself
  tasks.cancel();
  co_await tasks.join();
  co_return in_time ? std::move(answer) : std::nullopt;
}

io::Task<void> Performer::take(io::Task<rpc::Outgoing> work, std::optional<rpc::Outgoing>* answer) {
  answer->emplace(co_await std::move(work));
  stopper_.changed().notify_all();
}

io::Task<void> Performer::work(Batch batch) {
  while (*batch.next < batch.requests->size()) {
    const std::size_t index = (*batch.next)++;
    lines_.begin(index, (*batch.requests)[index].subject, io::now());
    activity_changed_.notify_all();
    (*batch.results)[index].emplace(co_await perform_one((*batch.requests)[index], index));
    lines_.end(index);
    stopper_.changed().notify_all();
  }
}

io::Task<Answer> Performer::perform_one(ToolRequest request, std::size_t number) {
  tool::CallContext context;
  const std::string tool = request.mode == tool::Mode::call ? request.subject : std::string();
  context.on_phase = [this, number](std::string_view what) {
    activity_ = what;
    lines_.say(number, activity_);
    activity_changed_.notify_all();
  };
  context.on_asked = [this, number](std::string_view what) {
    activity_ = what;
    lines_.say(number, "");
    activity_changed_.notify_all();
  };
  context.on_progress = [this, tool, number](json::Value params) {
    activity_ = tool + ": " + progress_text(params);
    lines_.say(number, "");
    activity_changed_.notify_all();
  };
  activity_ = tool;
  if (remote_ && RemoteSession::is_for(request) && setup_.load_options.trust.once.empty()) {
    return perform_there(std::move(request), std::move(context));
  }
  return session().run(std::move(request), std::move(context));
}

io::Task<Answer> Performer::perform_there(ToolRequest request, tool::CallContext context) {
  const std::string server = request.mode == tool::Mode::connect ? request.subject : request.server;
  Answer answer = co_await remote_->run(request, context);
  if (request.mode != tool::Mode::connect || answer.is_error()) {
    co_return answer;
  }
  session().read_again(server);
  // What the cache does not have, as where it cannot be written, the answer has.
  const bool is_known = session().catalog().knowledge(server) != catalog::Knowledge::unknown;
  if (setup_.json || !setup_.console->output_is_terminal() || !is_known) {
    co_return answer;
  }
  request.mode = tool::Mode::list;  // a person is shown a view of the facts
  co_return co_await session().run(std::move(request), std::move(context));
}

void Performer::note_late_starts(const std::vector<ToolRequest>& requests,
                                 const std::vector<bool>& in_time) {
  for (std::size_t i = 0; remote_ && i < requests.size(); ++i) {  // whose starts are not seen here
    if (!in_time[i] && requests[i].mode == tool::Mode::connect) {
      publisher_.note_given_up(requests[i].subject, "did not start within " + time_limit());
    }
  }
  for (const servers::ServerStatus& server : session().status()) {
    if (server.state == servers::ServerStatus::State::connecting) {
      publisher_.note_given_up(server.name, "did not start within " + time_limit());
    }
  }
}

std::string Performer::time_limit() const {
  return setup_.line.value(OptionId::timeout).value_or("") + " s";
}

Answer Performer::given_up(const ToolRequest& request) const {
  if (stopped()) {
    return tool::Reply(request.mode, tool::Failure::cancelled, "aborted", "interrupted").take();
  }
  return tool::Reply(request.mode,
                     tool::Failure::timed_out,
                     "timed_out",
                     request.subject + ": no answer within " + time_limit() +
                         "; give it longer with --timeout SECONDS")
      .take();
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
      shown = activity_ + (seconds > 0 ? " (" + std::to_string(seconds) + " s)" : "");
    }
    setup_.console->progress(shown);
  }
  setup_.console->progress("");
}

// Where no line can be replaced: that something is prepared or started, now and then.
io::Task<void> Performer::tell_activity() {
  while (co_await activity_changed_.wait_until(lines_.next_line()) != io::Wake::cancelled) {
    const std::string line = lines_.take_line(io::now());
    if (!line.empty()) {
      setup_.console->note(line);
    }
  }
}

}  // namespace pi_mcp::cli
